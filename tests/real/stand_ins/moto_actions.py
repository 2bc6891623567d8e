"""Actions of AWS that moto does not have, as far as an audit asks them: made of moto's own state, and of what a test says.

Each answer is serialized by moto from the model of botocore: what that does not know does not leave. A test lays them
beside that model.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any
from unittest import mock

from .moto_refresh import Refreshes


@dataclass
class Said:
    """What a test has the account say."""

    refreshes: list[dict[str, Any]] = field(default_factory=list)
    activities: list[dict[str, Any]] = field(default_factory=list)
    reservations: list[dict[str, Any]] = field(default_factory=list)
    # Those that somebody starts.
    started: Refreshes = field(default_factory=Refreshes)

    def answers(self) -> dict[str, dict[str, Any]]:
        """By their operations."""
        return {
            "DescribeInstanceRefreshes": {"InstanceRefreshes": self.refreshes},
            "DescribeScalingActivities": {"Activities": self.activities},
            "DescribeCapacityReservations": {"CapacityReservations": self.reservations},
            "DescribePlacementGroups": {"PlacementGroups": []},
        }


SERVICES = {
    "autoscaling": ("DescribeInstanceRefreshes", "DescribeScalingActivities"),
    "ec2": ("DescribeCapacityReservations", "DescribePlacementGroups"),
}


@contextmanager
def added_to_moto(said: Said) -> Iterator[None]:
    """As long as the `with` lasts."""
    from botocore import xform_name
    from moto.autoscaling.responses import AutoScalingResponse
    from moto.core.responses import ActionResult
    from moto.ec2.responses import EC2Response

    classes: dict[str, Any] = {"autoscaling": AutoScalingResponse, "ec2": EC2Response}
    with (
        mock.patch.multiple(
            classes["autoscaling"], create=True, **_methods("autoscaling", said, ActionResult, xform_name)
        ),
        mock.patch.multiple(classes["ec2"], create=True, **_methods("ec2", said, ActionResult, xform_name)),
    ):
        yield


def _methods(service: str, said: Said, result: Any, name_of: Any) -> dict[str, Any]:
    def answering(operation: str) -> Any:
        return lambda _: result(said.answers()[operation])

    found = {name_of(each): answering(each) for each in SERVICES[service]}
    return found | (_of_refreshes(said, result) if service == "autoscaling" else {})


def _of_refreshes(said: Said, result: Any) -> dict[str, Any]:
    """Those that a test says, and those that somebody has started."""

    def described(response: Any) -> Any:
        started = said.started.described(response)["InstanceRefreshes"]
        return result({"InstanceRefreshes": [*started, *said.refreshes]})

    return {
        "describe_instance_refreshes": described,
        "start_instance_refresh": lambda response: result(said.started.start(response)),
        "cancel_instance_refresh": lambda response: result(said.started.cancel(response)),
    }
