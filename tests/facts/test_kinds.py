"""What kinds of facts say of themselves, which decides who may judge them: one resource of a program alone does not tell a
fact that joins several, and what a first preview can't know yet is known late."""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Iterator

import pytest

import nodeworthy.facts

OF_A_WHOLE_STACK = {
    *(
        "AnnouncedEvents",
        "AwsStack",
        "BuiltNodes",
        "ClusterClasses",
        "ClusterRelease",
        "ClusterVersion",
        "DeclaredResource",
    ),
    *(
        "DevicePlugins",
        "Disk",
        "EfaGroups",
        "GuardedNodes",
        "HamiSetup",
        "ImageAge",
        "InstanceRefreshes",
        "JoinedMachines",
    ),
    *("Launches", "MonitoringStack", "NodeDrainers", "NodeGroup", "NodeOfMachine", "NodeReservation", "NodeVersion"),
    *(
        "ProfilingAsked",
        "ProfilingNodes",
        "ProfilingPromise",
        "QueueDatabase",
        "QuotaRoom",
        "RunningNodes",
        "SecurityGroup",
    ),
    *("SubnetRoom", "UnbuiltPool"),
}
KNOWN_LATE = {"BootScript", "ProfilingNodes", "ProfilingPromise"}


def _saying(word: str) -> Iterator[str]:
    for module in pkgutil.walk_packages(nodeworthy.facts.__path__, "nodeworthy.facts."):
        for kind in vars(importlib.import_module(module.name)).values():
            if isinstance(kind, type) and kind.__module__ == module.name and vars(kind).get(word) is True:
                yield kind.__name__


@pytest.mark.parametrize(("word", "kinds"), [("whole_stack", OF_A_WHOLE_STACK), ("known_late", KNOWN_LATE)])
def test_who_says_so(word: str, kinds: set[str]) -> None:
    assert set(_saying(word)) == kinds
