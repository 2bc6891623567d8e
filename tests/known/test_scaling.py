"""What changes that Karpenter starts no node, by the machines that its words name."""

from __future__ import annotations

import pytest

from nodeworthy.facts.cluster.starters_words import is_about_gpus
from nodeworthy.known.scaling import obstacle_in, uncounted_by_karpenter

_ASKED = (
    'incompatible with nodepool "gpu", daemonset overhead={"cpu":"185m"}, no instance type satisfied resources '
    '{"cpu":"1185m","nvidia.com/gpu":"2","pods":"5"} and requirements karpenter.sh/nodepool In [gpu], %s (no instance '
    "type has enough resources)"
)
_TYPES, _FAMILY = "node.kubernetes.io/instance-type In [%s]", "karpenter.k8s.aws/instance-family In [%s]"


@pytest.mark.parametrize(
    ("required", "says"),
    [
        (_TYPES % "g4dn.2xlarge g4dn.4xlarge", "a type with 2: of those that it allows (g4dn.2xlarge, g4dn.4xlarge)"),
        (_TYPES % "g4dn.2xlarge g4dn.12xlarge", "allow an instance type that has what the pods ask for"),
        (_TYPES % "g4dn.2xlarge x9.large", "allow an instance type that has what the pods ask for"),
        (_FAMILY % "g6f", "choose a family with whole GPUs (g6, g6e): g6f has a part of one"),
        (_FAMILY % "g6f g6", "allow an instance type that has what the pods ask for"),
        (_FAMILY % "g5", "allow an instance type that has what the pods ask for"),
        ("karpenter.sh/capacity-type In [spot]", "allow an instance type that has what the pods ask for"),
    ],
)
def test_machines_with_too_few_gpus_are_named(required: str, says: str) -> None:
    found = obstacle_in(_ASKED % required)
    assert found is not None
    assert says in found.remedy
    assert "NodePool gpu" in found.remedy


def test_of_two_pools_nobody_says_which_it_is() -> None:
    one = _ASKED % (_TYPES % "g4dn.2xlarge")
    found = obstacle_in(f"{one}; {one}")
    assert found is not None
    assert "a type with 2" not in found.remedy


_EFA = '"nvidia.com/gpu":"8","vpc.amazonaws.com/efa":"4"'


@pytest.mark.parametrize(
    ("words", "uncounted"),
    [
        ('nodepool "gpu", no instance type satisfied resources {"cpu":"1","nvidia.com/mig-1g.10gb":"1"} and', ["mig"]),
        ('nodepool "gpu", no instance type has enough resources, requirements=a In [b], resources={' + _EFA + "}", []),
        ('incompatible with provisioner "gpu", no instance type satisfied resources {' + _EFA + "} and", ["efa"]),
        ('nodepool "gpu", daemonset overhead={"example.com/x":"1"}, all available instance types exceed limits', []),
    ],
)
def test_what_karpenter_counts_on_no_machine_is_named(words: str, uncounted: list[str]) -> None:
    found = uncounted_by_karpenter(words)
    assert len(found) == len(uncounted)
    assert all(said in name for said, name in zip(uncounted, found, strict=True))


def test_a_group_without_the_resource_is_told_beside_one_that_is_full() -> None:
    both = obstacle_in("pod didn't trigger scale-up: 2 Insufficient nvidia.com/gpu, 1 max node group size reached")
    full = obstacle_in("pod didn't trigger scale-up: 1 max node group size reached")
    assert both is not None
    assert full is not None
    assert "node-template/resources/nvidia.com/gpu" in both.remedy
    assert "node-template" not in full.remedy


@pytest.mark.parametrize("asked", ["600Gi", "50G", "1000000"])
def test_a_part_of_the_disk_is_told_where_no_machine_is_enough(asked: str) -> None:
    words = f'nodepool "l4", no instance type has enough resources, resources={{"ephemeral-storage":"{asked}"}}'
    found, near = obstacle_in(words), obstacle_in(words.replace("ephemeral-storage", "memory"))
    assert found is not None
    assert near is not None
    assert f"ephemeral-storage than {asked}" in found.remedy
    assert "ephemeral-storage" not in near.remedy


@pytest.mark.parametrize(
    ("claim", "is_so"),
    [
        ("gpu-l8c4z", True),
        ("spot-g5-x2k7p", True),
        ("l4-9zk2p", True),
        ("default-x2k7p", False),
        ("build-5xk2p", False),
    ],
)
def test_a_claim_of_a_pool_with_gpus_is_known_by_its_name(claim: str, is_so: bool) -> None:
    assert is_about_gpus(claim, "VcpuLimitExceeded: You have requested more vCPU capacity") is is_so
    assert not is_about_gpus(claim, "InsufficientInstanceCapacity: no sufficient c7i.2xlarge capacity")
    assert is_about_gpus(claim, "InsufficientInstanceCapacity: no sufficient p5.48xlarge capacity")


_OF_MEMORY = (
    'incompatible with nodepool "gpu-g5", daemonset overhead={"cpu":"250m","memory":"2198Mi","pods":"6"}, no instance '
    'type satisfied resources {"cpu":"%s","memory":"15510Mi","nvidia.com/gpu":"1","pods":"7"} and requirements '
    "node.kubernetes.io/instance-type In [%s] (no instance type which had enough resources and the required offering "
    "met the scheduling requirements)"
)


@pytest.mark.parametrize(
    ("cpu", "types", "is_memory"),
    [
        ("3250m", "g5.xlarge", True),
        ("3", "g5.xlarge g4dn.xlarge", True),
        ("3700m", "g5.xlarge", False),
        ("3250m", "x9.large", False),
    ],
)
def test_what_is_neither_cpus_nor_gpus_is_memory(cpu: str, types: str, is_memory: bool) -> None:
    found = obstacle_in(_OF_MEMORY % (cpu, types))
    assert found is not None
    assert ("so it is the memory (15510Mi, 2198Mi of it for DaemonSets" in found.remedy) is is_memory
