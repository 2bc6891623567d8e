"""What nodes are follows from whatever makes their cluster, each by its own words; what is called so and says less, says
nothing."""

from __future__ import annotations

import pytest

from nodeworthy.collect.objects import facts_of
from nodeworthy.documents.yaml import read
from nodeworthy.facts.fleet.asked_nodes import AskedNodes
from nodeworthy.fleet.model import Driver
from nodeworthy.verdict import Place

MADE = {
    "k3d": ("{apiVersion: k3d.io/v1alpha5, kind: Simple, metadata: {name: ml}, agents: 1}", "k3s", None),
    "canonical": (
        "{apiVersion: bootstrap.cluster.x-k8s.io/v1beta2, kind: CK8sConfigTemplate, metadata: {name: gpu}}",
        "k8s-snap",
        None,
    ),
    "nodeadm": (
        "{apiVersion: bootstrap.cluster.x-k8s.io/v1beta2, kind: NodeadmConfigTemplate, metadata: {name: gpu}}",
        "eks-al2023",
        None,
    ),
    "anywhere": (
        "{apiVersion: anywhere.eks.amazonaws.com/v1alpha1, kind: TinkerbellMachineConfig, metadata: {name: gpu}, "
        "spec: {osFamily: ubuntu}}",
        "kubeadm",
        None,
    ),
    "openshift": (
        "{apiVersion: machine.openshift.io/v1beta1, kind: MachineSet, metadata: {name: gpu}, spec: {replicas: 1, "
        "template: {spec: {providerSpec: {value: {instanceType: g5.12xlarge}}}}}}",
        "crio",
        None,
    ),
    "omni": (
        "{kind: Workers, name: gpu, systemExtensions: [siderolabs/nvidia-open-gpu-kernel-modules-lts]}",
        "talos",
        Driver.AMI,
    ),
}


def found(text: str) -> list[tuple[str, Driver | None]]:
    tree = read(text, Place(path="cluster.yaml"))
    assert tree is not None
    pools = [each.pool for each in facts_of(tree) if isinstance(each, AskedNodes)]
    return [(pool.distribution.shown(), pool.driver) for pool in pools]


@pytest.mark.parametrize(("text", "distribution", "driver"), MADE.values(), ids=MADE)
def test_what_its_nodes_are(text: str, distribution: str, driver: Driver | None) -> None:
    assert found(text) == [(distribution, driver)]


@pytest.mark.parametrize(
    ("which", "written", "other"),
    [
        ("k3d", "k3d.io/", "example.org/"),
        ("canonical", "bootstrap.cluster.x-k8s.io/", "example.org/"),
        ("anywhere", "osFamily: ubuntu", "osFamily: bottlerocket"),
        ("anywhere", "anywhere.eks.amazonaws.com/", "example.org/"),
        ("openshift", "g5.12xlarge", "m5.large"),
        ("openshift", "machine.openshift.io/", "cluster.x-k8s.io/"),
        ("omni", "nvidia-open-gpu-kernel-modules-lts", "nvidia-container-toolkit-lts"),
        ("omni", "kind: Workers", "apiVersion: example.org/v1, kind: Workers"),
    ],
)
def test_what_says_less_says_nothing(which: str, written: str, other: str) -> None:
    assert found(MADE[which][0].replace(written, other)) == []
