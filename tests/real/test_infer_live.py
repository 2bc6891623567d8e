"""`fleet infer --context` asks a real API server: what its nodes say of themselves becomes a fleet."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from nodeworthy.documents.yaml import read
from nodeworthy.fleet.read import read_fleet
from nodeworthy.verdict import Known, Place
from tests.run import run

from .control_plane import ControlPlane
from .tools import Tools

NODES = "/api/v1/nodes"
A10G = {
    "node.kubernetes.io/instance-type": "g5.12xlarge",
    "eks.amazonaws.com/nodegroup": "a10g",
    "alpha.eksctl.io/cluster-name": "ml",
    "nvidia.com/gpu.product": "NVIDIA-A10G",
}
RUNS = {
    "kubeletVersion": "v1.33.4-eks-1234567",
    "osImage": "Amazon Linux 2023.8.20250707",
    "containerRuntimeVersion": "containerd://1.7.27",
    **dict.fromkeys(("architecture", "bootID", "kernelVersion", "kubeProxyVersion", "machineID"), "x"),
    **dict.fromkeys(("operatingSystem", "systemUUID"), "linux"),
}


@pytest.fixture
def plane(tools: Tools) -> Iterator[ControlPlane]:
    """Of its own: whatever nodes are there are pools."""
    with ControlPlane(tools) as plane:
        yield plane


def test_the_nodes_of_a_live_cluster(plane: ControlPlane, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("KUBECONFIG", str(plane.kubeconfig))
    for name in ("a10g-1", "a10g-2"):
        node = {"kind": "Node", "metadata": {"name": name, "labels": A10G}}
        plane.client.create(NODES, node)
        told = {"capacity": {"nvidia.com/gpu": "4"}, "allocatable": {"nvidia.com/gpu": "4"}, "nodeInfo": RUNS}
        plane.client.patch_status(f"{NODES}/{name}", told)
    ran = run("fleet", "infer", "--context", "real", cwd=tmp_path)
    assert ran.code == 0, ran.err
    tree = read(ran.out, Place(path="inferred"))
    assert tree is not None, ran.out
    fleet = read_fleet(tree, None)
    (pool,) = fleet.pools
    assert (fleet.cluster.name.state, fleet.cluster.version.state) == (Known("ml"), Known("1.33")), ran.out
    assert pool.instance_type is not None
    assert (pool.instance_type.state, pool.nodes) == (Known("g5.12xlarge"), 2), ran.out
    assert pool.distribution.state == Known("eks-al2023"), ran.out
