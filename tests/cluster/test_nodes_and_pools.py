"""What a node says of itself, and which pool it therefore belongs to."""

from __future__ import annotations

from pathlib import Path

import pytest

from nodeworthy.facts.cluster.node import ClusterNode, cluster_node
from nodeworthy.facts.fleet.pool_membership import Membership, pool_of
from nodeworthy.fleet.model import Fleet
from nodeworthy.fleet.read import read_fleet_file
from nodeworthy.known.containerd import containerd_of, defaults, distributions
from nodeworthy.known.node_signs import cri_socket, signs
from nodeworthy.verdict import Known, Unknown
from tests.cluster.objects import node

SAYS = {
    "k3s": {"kubeletVersion": "v1.34.1+k3s1", "containerRuntimeVersion": "containerd://2.1.4-k3s1"},
    "rke2": {"kubeletVersion": "v1.34.1+rke2r1"},
    "k0s": {"kubeletVersion": "v1.34.1+k0s"},
    "eks-al2023": {"kubeletVersion": "v1.34.1-eks-113cf36", "osImage": "Amazon Linux 2023.9.20251014"},
    "eks-al2": {"kubeletVersion": "v1.32.9-eks-113cf36", "osImage": "Amazon Linux 2"},
    "eks-ubuntu": {"kubeletVersion": "v1.34.1-eks-113cf36", "osImage": "Ubuntu 22.04.5 LTS"},
    "talos": {"kubeletVersion": "v1.32.3", "osImage": "Talos (v1.9.5)"},
    "gke-cos": {"kubeletVersion": "v1.33.5-gke.1080000", "osImage": "Container-Optimized OS from Google"},
    "bottlerocket": {
        "kubeletVersion": "v1.34.1-eks-113cf36",
        "osImage": "Bottlerocket OS 1.49.0 (aws-k8s-1.34-nvidia)",
    },
    "crio": {"containerRuntimeVersion": "cri-o://1.33.4", "osImage": "Red Hat Enterprise Linux CoreOS 9.6"},
}
LABELS = {"microk8s": "microk8s.io/cluster", "aks": "kubernetes.azure.com/cluster", "k8s-snap": "k8sd.io/role"}


def of(labels: dict[str, str] | None = None, **info: str) -> ClusterNode:
    return cluster_node(node("gpu-1", labels, **info))


@pytest.mark.parametrize("distribution", SAYS)
def test_versions_tell_the_distribution(distribution: str) -> None:
    says = of({}, **SAYS[distribution])
    assert says.sign is not None
    assert says.sign.distributions == (distribution,)
    assert says.containerd.state == Known(containerd_of(distribution))


@pytest.mark.parametrize("distribution", LABELS)
def test_labels_tell_the_distribution(distribution: str) -> None:
    says = of({LABELS[distribution]: "true"})
    assert says.sign is not None
    assert says.sign.distributions == (distribution,)


def test_every_sign_is_of_a_distribution_that_we_know() -> None:
    for sign in signs():
        assert set(sign.distributions) <= set(distributions())
    assert {each for sign in signs() for each in sign.distributions} == {*SAYS, *LABELS}


def test_a_snap_alone_decides_nothing() -> None:
    assert isinstance(of({"k8sd.io/role": "worker"}).containerd.state, Unknown)


def test_an_ordinary_node_says_nothing() -> None:
    assert of().sign is None
    assert isinstance(of().containerd.state, Unknown)


def test_any_eks_image_but_bottlerocket_has_the_same_paths() -> None:
    decided = of(kubeletVersion="v1.34.1-eks-113cf36", osImage="Our own image 7").containerd.state
    assert isinstance(decided, Known)
    assert (decided.value.config, decided.value.socket) == (defaults().config, defaults().socket)


def annotated(socket: str) -> ClusterNode:
    data = node("gpu-1")
    data["metadata"]["annotations"][cri_socket().annotation] = socket
    return cluster_node(data)


def test_kubeadm_keeps_the_socket_in_an_annotation() -> None:
    assert annotated(f"unix://{defaults().socket}").containerd.state == Known(containerd_of("kubeadm"))
    assert annotated(f"/var{defaults().socket}").containerd.state == Known(containerd_of("kubeadm"))
    odd = annotated("unix:///opt/containerd/containerd.sock").containerd.state
    assert isinstance(odd, Known)
    assert (odd.value.socket, odd.value.config) == ("/opt/containerd/containerd.sock", None)
    assert isinstance(annotated("npipe:////./pipe/containerd").containerd.state, Unknown)


@pytest.fixture
def fleet(tmp_path: Path) -> Fleet:
    (tmp_path / "Pulumi.x.yaml").write_text(
        """\
config:
  nodeworthy:fleet:
    cluster: {name: x, version: "1.34"}
    pools:
      h100: {gpu: h100, instanceType: p5.48xlarge, nodes: 2}
      t4: {gpu: t4, instanceType: g4dn.12xlarge, nodes: 2}
      onprem: {gpu: h200, distribution: k8s-snap, provision: false}
      edge: {gpu: h200, distribution: k3s, provision: false}
      cpu: {instanceType: c7i.4xlarge, nodes: 2}
"""
    )
    return read_fleet_file(tmp_path / "Pulumi.x.yaml", "Pulumi.x.yaml")


def member(fleet: Fleet, labels: dict[str, str], **info: str) -> Membership:
    return pool_of(of(labels, **info), fleet.pools)


EKS = {"kubeletVersion": "v1.34.1-eks-113cf36", "osImage": "Amazon Linux 2023.9.20251014"}
INSTANCE, PRODUCT, POOL = "node.kubernetes.io/instance-type", "nvidia.com/gpu.product", "nodeworthy/pool"


def name(found: Membership) -> str | None:
    return found.pool.name if found.pool else None


def test_the_label_decides(fleet: Fleet) -> None:
    assert name(member(fleet, {POOL: "edge", INSTANCE: "p5.48xlarge"})) == "edge"
    wrong = member(fleet, {POOL: "h1000", INSTANCE: "p5.48xlarge"})
    assert name(wrong) is None
    assert "'h1000'" in wrong.why


def test_else_the_only_pool_that_fits(fleet: Fleet) -> None:
    assert name(member(fleet, {INSTANCE: "p5.48xlarge", PRODUCT: "NVIDIA-H100-80GB-HBM3"}, **EKS)) == "h100"
    assert name(member(fleet, {INSTANCE: "g4dn.12xlarge", PRODUCT: "Tesla-T4-SHARED"}, **EKS)) == "t4"
    assert name(member(fleet, {PRODUCT: "NVIDIA-H200"}, kubeletVersion="v1.34.1+k3s1")) == "edge"
    assert name(member(fleet, {PRODUCT: "NVIDIA-H200", "k8sd.io/role": "worker"})) == "onprem"


def test_else_none_and_why(fleet: Fleet) -> None:
    stranger = member(fleet, {INSTANCE: "g5.12xlarge", PRODUCT: "NVIDIA-A10G"}, **EKS)
    assert name(stranger) is None
    assert "instance type g5.12xlarge, not p5.48xlarge" in stranger.why
    assert "cpu has no GPUs" in stranger.why
    both = member(fleet, {PRODUCT: "NVIDIA-H200"})
    assert name(both) is None
    assert "several pools of the fleet (onprem, edge)" in both.why


def test_of_several_a_node_of_eks_would_show_it(fleet: Fleet) -> None:
    """A node without an instance type and without EKS's version is none of the cloud's."""
    data = node("gpu-1")
    del data["metadata"]["labels"][PRODUCT]
    plain = [each for each in fleet.pools if each.name in ("h100", "onprem")]
    assert pool_of(cluster_node(data), plain).pool is None  # a k8s-snap would show its label, too
    data["metadata"]["labels"]["k8sd.io/role"] = "worker"
    found = pool_of(cluster_node(data), plain)
    assert found.pool is not None
    assert found.pool.name == "onprem"
