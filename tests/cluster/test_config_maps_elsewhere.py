"""A ConfigMap that kubelet misses for a pod, and that lies in another namespace."""

from __future__ import annotations

from typing import Any

import pytest

from nodeworthy.collect.cluster.stack_seen import StackSeen

MISSING = 'MountVolume.SetUp failed for volume "config" : configmap "plugin-config" not found'


def event(namespace: str, name: str) -> dict[str, Any]:
    return {
        "kind": "Event",
        "reason": "FailedMount",
        "message": MISSING,
        "lastTimestamp": "2026-09-01T10:00:00Z",
        "involvedObject": {"kind": "Pod", "namespace": namespace, "name": name},
    }


def said(namespace: str, name: str, *maps: tuple[str, str]) -> str:
    seen = StackSeen()
    for key in maps:
        seen.add_config_map(key, {"kind": "ConfigMap", "metadata": {"namespace": key[0], "name": key[1]}})
    seen.add_event(event(namespace, name))
    return next(iter(seen.said.values()))


def test_where_it_lies_is_said() -> None:
    words = said("gpu-operator", "plugin-x2x9k", ("default", "plugin-config"))
    assert words == f"{MISSING} (a ConfigMap of that name is in namespace default)"


@pytest.mark.parametrize("maps", [[], [("default", "another")], [("gpu-operator", "plugin-config")]])
def test_nothing_is_said_of_one_that_is_nowhere_or_here(maps: list[tuple[str, str]]) -> None:
    assert said("gpu-operator", "plugin-x2x9k", *maps) == MISSING


@pytest.mark.parametrize("name", ["a/b", "", "/"])
def test_a_name_that_no_api_server_takes_is_no_crash(name: str) -> None:
    assert said("ai", name, ("default", "plugin-config")).startswith(MISSING)
