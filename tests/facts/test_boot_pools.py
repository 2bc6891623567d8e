"""Which pools of a fleet a script is for."""

from __future__ import annotations

import pytest

from nodeworthy.boot.unpack import unpack
from nodeworthy.facts.boot.pools import in_fleet, makes_a_node
from nodeworthy.facts.boot.script import BootScript
from nodeworthy.verdict import Place
from tests.fleet.reading import fleet_of

FLEET = fleet_of(
    """
    cluster: {name: gpu-dev}
    pools:
      h100: {gpu: h100, instanceType: p5.48xlarge, nodes: 2}
      a10g: {gpu: a10g, instanceType: g5.12xlarge, nodes: 1, os: ubuntu-22.04}
      onprem: {gpu: h200, distribution: k8s-snap, provision: false}
      cpu: {instanceType: c7i.4xlarge, nodes: 2}
    """
)
NODE_CONFIG = "apiVersion: node.eks.aws/v1alpha1\nkind: NodeConfig\nspec: {cluster: {name: gpu-dev}}\n"
JOIN = "/etc/eks/bootstrap.sh gpu-dev"


def script(text: str, path: str = "user-data.sh") -> BootScript:
    place = Place(path=path)
    data = text if text.startswith("api") else f"#!/bin/bash\n{text}\n"
    return BootScript(place, unpack(data.encode(), place))


def pools(text: str, path: str = "user-data.sh") -> list[str]:
    return [each.pool.name for each in in_fleet(script(text, path), FLEET, "").pools]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (NODE_CONFIG, ["cpu"]),
        ("dnf install -y nvidia-driver\nnodeadm init", ["h100"]),
        ("modprobe nvidia", ["h100", "a10g"]),
        (JOIN, ["a10g"]),
        ("apt-get install -y nvidia-driver-570-server", ["a10g"]),
        ("dnf install -y nvidia-driver", ["h100"]),
        (f"apt-get install -y nvidia-driver-570\n{JOIN}", ["a10g"]),
        (f"{JOIN} --kubelet-extra-args '--node-labels=nodeworthy/pool=h100'", ["h100"]),
    ],
)
def test_by_what_it_does(text: str, expected: list[str]) -> None:
    assert pools(text) == expected


def test_by_its_name() -> None:
    assert pools(NODE_CONFIG, "userdata/h100.yaml") == ["h100"]
    assert pools(NODE_CONFIG, "al2023-gpu-user-data.yaml") == ["h100"]
    assert pools(NODE_CONFIG, "al2023-cpu-user-data.yaml") == ["cpu"]


def test_a_pool_that_the_fleet_does_not_have_is_said() -> None:
    placed = in_fleet(script(f"{JOIN} --kubelet-extra-args --node-labels=nodeworthy/pool=b200"), FLEET, "")
    assert placed.pools == ()
    assert "'b200'" in placed.no_pool


def test_without_a_fleet_there_is_a_reason() -> None:
    assert in_fleet(script(JOIN), None, "no fleet here").no_pool == "no fleet here"


def test_what_can_not_be_read_is_for_no_pool_in_particular() -> None:
    unread = BootScript(Place(path="x"), None, "it is not known yet")
    assert "it is not known yet" in in_fleet(unread, FLEET, "").no_pool


@pytest.mark.parametrize(
    ("text", "is_one"),
    [
        ('curl -sfL https://get.k3s.io | "$SUDO_SHELL"', True),
        ("curl -sfL https://get.rke2.io/ | $AS_ROOT sh -", True),
        # What is kept in a file may be for another machine, and a list of what k3s has is no installer.
        ("curl -sfLo k3s.sh https://get.k3s.io", False),
        ('curl -sfL https://update.k3s.io/v1-release/channels | "$READ"', False),
    ],
)
def test_an_installer_that_flows_into_a_pipe_is_meant_to_run(text: str, is_one: bool) -> None:
    userdata = script(text, "get.sh").userdata
    assert userdata is not None
    assert makes_a_node(userdata) is is_one
