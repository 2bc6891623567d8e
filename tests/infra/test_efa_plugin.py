"""Pods can ask for EFA wherever nodes have it."""

from __future__ import annotations

from tests.infra.plans import RELEASE, inputs, of_fleet, of_stack

NAME = "aws-efa-k8s-device-plugin"


def test_it_runs_on_every_type_of_the_fleet_that_has_efa() -> None:
    values = inputs(of_stack("prod"), RELEASE)[NAME]["values"]
    assert values["supportedInstanceLabels"]["values"] == [
        "g4dn.12xlarge",
        "g6.12xlarge",
        "p4d.24xlarge",
        "p5.48xlarge",
        "p5e.48xlarge",
        "p6-b200.48xlarge",
    ]
    assert {each["key"] for each in values["tolerations"]} == {"nvidia.com/gpu", "nodeworthy/unverified"}


def test_without_efa_there_is_none() -> None:
    assert NAME not in inputs(of_fleet("pools:\n  cpu: {instanceType: c7i.4xlarge}\n"), RELEASE)
