"""What changes that Karpenter starts no node, by the machines that its words name."""

from __future__ import annotations

import pytest

from nodeworthy.known.scaling import obstacle_in

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
