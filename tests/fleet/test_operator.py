"""The operator's values follow from the pools, and what the fleet says itself is laid over them."""

from __future__ import annotations

from typing import Any

import pytest

from nodeworthy.documents.tree import plain
from nodeworthy.facts.operator.fleet_operator import operator_of_fleet
from nodeworthy.fleet.operator import effective_values, implied_values
from nodeworthy.known.containerd import containerd_of, defaults
from nodeworthy.verdict import need
from tests.fleet.reading import fleet_of

BASE_DIR = "/var/lib/k8s-containerd/k8s-containerd"


def fleet_with(pools: str, operator: str = "{}") -> Any:
    return fleet_of(
        f"cluster: {{name: x}}\noperator: {operator}\npools:\n" + "".join(f"  {each}\n" for each in pools.split("\n"))
    )


def env_of(values: Any) -> dict[str, str]:
    return {each["name"]: each["value"] for each in plain(values)["toolkit"]["env"]}


def test_the_paths_of_the_pools_are_implied() -> None:
    fleet = fleet_with(f"a: {{gpu: h200, distribution: k8s-snap, containerdBaseDir: {BASE_DIR}}}")
    runtime = containerd_of("k8s-snap", BASE_DIR)
    assert env_of(implied_values(fleet)) == {
        "CONTAINERD_CONFIG": runtime.config,
        "CONTAINERD_SOCKET": runtime.socket,
        "CONTAINERD_RUNTIME_CLASS": defaults().runtime_class,
    }
    assert plain(implied_values(fleet))["toolkit"]["enabled"] is True
    socket = implied_values(fleet).get("toolkit", "env").sequence[1].get("value")
    assert (socket.place.line, socket.place.subject) == (4, "toolkit.env[CONTAINERD_SOCKET]")
    assert socket.place.column == fleet.pools[0].runtime.place.column


def test_what_else_a_distribution_needs_is_implied() -> None:
    assert env_of(implied_values(fleet_with("a: {gpu: h200, distribution: microk8s}"))).items() >= (
        containerd_of("microk8s").toolkit_env.items()
    )
    assert env_of(implied_values(fleet_with("a: {gpu: h200, distribution: crio}"))) == {}


def test_the_driver_is_the_operators_where_a_pool_says_so() -> None:
    from_images = fleet_with("a: {gpu: h100, driver: ami}\nb: {gpu: t4, driver: user-data}")
    assert plain(implied_values(from_images))["driver"] == {"enabled": False}
    mixed = fleet_with("a: {gpu: h100, driver: ami}\nb: {gpu: t4, driver: operator}")
    assert plain(implied_values(mixed))["driver"] == {"enabled": True}


def test_bottlerocket_alone_turns_the_toolkit_off() -> None:
    alone = plain(implied_values(fleet_with("a: {gpu: h100, os: bottlerocket}")))
    assert alone["toolkit"] == {"enabled": False}
    beside = implied_values(fleet_with("a: {gpu: h100, os: bottlerocket}\nb: {gpu: t4, os: al2023}"))
    assert env_of(beside)["CONTAINERD_SOCKET"] == containerd_of("eks-al2023").socket


def test_a_list_of_the_users_replaces_the_implied_one() -> None:
    fleet = fleet_with("a: {gpu: h200, distribution: k3s}", "{values: {toolkit: {env: []}, cdi: {enabled: false}}}")
    values = plain(effective_values(fleet))
    assert values["toolkit"] == {"enabled": True, "env": []}
    assert values["cdi"] == {"enabled": False}
    assert effective_values(fleet).get("toolkit", "env").place.line == 2


def test_paths_that_nothing_would_read_are_not_implied() -> None:
    operator = "{chart: 26.3.0, values: {cdi: {enabled: true, nriPluginEnabled: true}}}"
    env = env_of(effective_values(fleet_with("a: {gpu: h200, distribution: microk8s}", operator)))
    assert {"CONTAINERD_CONFIG", "CONTAINERD_SOCKET"}.isdisjoint(env)
    assert env.items() >= containerd_of("microk8s").toolkit_env.items()


@pytest.mark.parametrize("off", ["false", '"false"'])
def test_a_toolkit_that_is_off_is_told_nothing(off: str) -> None:
    operator = f"{{values: {{toolkit: {{enabled: {off}}}}}}}"
    assert env_of(effective_values(fleet_with("a: {gpu: h200, distribution: microk8s}", operator))) == {}


def test_a_release_that_does_not_know_nri_reads_the_paths() -> None:
    operator = "{chart: 25.10.0, values: {cdi: {nriPluginEnabled: true}}}"
    env = env_of(effective_values(fleet_with("a: {gpu: h200, distribution: k3s}", operator)))
    assert env["CONTAINERD_SOCKET"] == containerd_of("k3s").socket


def test_a_null_of_the_users_takes_the_implied_value_away() -> None:
    fleet = fleet_with("a: {gpu: h200, distribution: k3s}", "{values: {toolkit: {env: null}}}")
    assert "env" not in plain(effective_values(fleet))["toolkit"]


def test_the_fact() -> None:
    fleet = fleet_with("a: {gpu: h200, distribution: k3s}", "{chart: 26.3.1}")
    values = operator_of_fleet(fleet)
    assert values is not None
    assert need(values.release) == "26.3.1"
    assert need(values.toolkit.socket) == containerd_of("k3s").socket
    assert values.implied
    assert operator_of_fleet(fleet_with("a: {gpu: h200}", "false")) is None
    written = operator_of_fleet(fleet_with("a: {gpu: h200}", "{values: {toolkit: {enabled: false}}}"))
    assert written is not None
    assert not written.implied


def test_an_unknown_distribution_gives_unknown_paths() -> None:
    fleet = fleet_with("a: {gpu: h200, distribution: {secure: v1:abc=}}")
    values = operator_of_fleet(fleet)
    assert values is not None
    assert "encrypted" in values.toolkit.socket.state.why  # type: ignore[union-attr]


def test_a_fleet_without_gpus_implies_nothing() -> None:
    assert plain(implied_values(fleet_with("a: {instanceType: c7i.4xlarge}"))) == {}
