"""The operator's release: what the pools imply, and where its parts may run."""

from __future__ import annotations

from typing import Any

from nodeworthy.known.containerd import containerd_of
from tests.infra.plans import RELEASE, inputs, of_fleet, of_stack

TAINTS = {"nvidia.com/gpu", "nodeworthy/unverified"}


def values(fleet: str | None) -> Any:
    plan = of_stack("prod") if fleet is None else of_fleet(fleet)
    return inputs(plan, RELEASE)["gpu-operator"]["values"]


def tolerated(part: Any) -> set[str]:
    return {each["key"] for each in part["tolerations"]}


def test_its_parts_run_on_nodes_that_have_not_been_checked_yet() -> None:
    told = values(None)
    assert tolerated(told["daemonsets"]) == TAINTS
    assert tolerated(told["node-feature-discovery"]["worker"]) == TAINTS
    assert "operator" not in told


def test_where_every_node_has_gpus_all_of_it_runs_there() -> None:
    told = values("pools:\n  t4: {instanceType: g4dn.12xlarge}\n")
    assert tolerated(told["operator"]) == TAINTS
    assert set(told["node-feature-discovery"]) == {"master", "worker", "gc"}


def test_what_the_fleet_says_itself_is_laid_over() -> None:
    told = values(
        "operator: {values: {daemonsets: {tolerations: []}, dcgm: {enabled: true}}}\n"
        "pools:\n  t4: {instanceType: g4dn.12xlarge}\n"
    )
    assert told["daemonsets"]["tolerations"] == []
    assert told["dcgm"] == {"enabled": True}


def test_paths_and_driver_follow_from_the_pools() -> None:
    told = values(None)
    right = containerd_of("eks-al2023")
    env = {each["name"]: each["value"] for each in told["toolkit"]["env"]}
    assert (env["CONTAINERD_CONFIG"], env["CONTAINERD_SOCKET"]) == (right.config, right.socket)
    assert told["driver"]["enabled"] is False
    assert values("pools:\n  l4: {instanceType: g6.12xlarge, os: ubuntu-24.04}\n")["driver"]["enabled"] is True


def test_without_a_gpu_there_is_nothing_for_it_to_do() -> None:
    cpu = "hami: {}\npools:\n  cpu: {instanceType: c7i.4xlarge}\n"
    assert {"gpu-operator", "hami"}.isdisjoint(inputs(of_fleet(cpu), RELEASE))
