"""Whether an old image is AWS's doing, which is a warning, or one's own."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Any, Final

import pytest

from nodeworthy.documents.tree import plant
from nodeworthy.engine import judge
from nodeworthy.facts.aws.node_group import NodeGroup
from nodeworthy.facts.aws.running import Makeup, RunningMachine, RunningNodes
from nodeworthy.facts.aws.stack import AwsResource, AwsStack
from nodeworthy.rules.nodes_current import CAUSE, RULE
from nodeworthy.rules.rule_crashed import RULE as CRASHED
from nodeworthy.scene import make_scene
from nodeworthy.verdict import Finding, Located, Place, Severity

ARN = "arn:aws:autoscaling:us-east-2:123456789012:autoScalingGroup:1:autoScalingGroupName/t4"
HERE = Place(urn=ARN)
PARAMETER = "/aws/service/eks/optimized-ami/1.33/amazon-linux-2023/x86_64/nvidia/recommended/image_id"
TAG = {"key": "kubernetes.io/cluster/gpu-dev", "value": "owned", "propagateAtLaunch": True}

NOTHING: Final[Mapping[str, Any]] = MappingProxyType({})


def made_of(
    image: str,
    profile: str = "gpu-node",
    *,
    encrypted: Mapping[str, bool] = NOTHING,
    sizes: Mapping[str, int] = NOTHING,
    metadata: Mapping[str, str] = NOTHING,
) -> Makeup:
    return Makeup(
        Located.known(image, HERE),
        Located.known(frozenset({"g4dn.xlarge"}), HERE),
        Located.known(profile, HERE),
        Located.known(frozenset({"sg-0a1b2c3d"}), HERE),
        Located.known("#!/bin/bash\n", HERE),
        {device: Located.known(said, HERE) for device, said in encrypted.items()},
        {device: Located.known(said, HERE) for device, said in sizes.items()},
        {name: Located.known(said, HERE) for name, said in metadata.items()},
    )


def told_of(machine: Makeup, now: Makeup, image_by: str = "") -> Sequence[Finding]:
    tree = plant({"tags": [TAG]}, HERE)
    nodes = NodeGroup(
        AwsStack(HERE, []), AwsResource("aws:autoscaling/group:Group", "t4", ARN, HERE, lambda: tree), None
    )
    machines = Located.known([RunningMachine("i-0123456789abcdef0", HERE, machine)], HERE)
    running = RunningNodes(HERE, nodes, machines, Located.known(now, HERE), image_by=image_by)
    (judgement,) = judge([make_scene([running])], [RULE], CRASHED)
    return judgement.findings


@pytest.mark.parametrize(
    ("image_by", "profile", "severity", "cause"),
    [
        (PARAMETER, "gpu-node", Severity.WARNING, f"AWS has a newer image under {PARAMETER}"),
        ("", "gpu-node", Severity.ERROR, CAUSE),
        (PARAMETER, "gpu-node-of-old", Severity.ERROR, CAUSE),
    ],
)
def test_an_image_that_aws_has_renewed_is_a_warning(
    image_by: str, profile: str, severity: Severity, cause: str
) -> None:
    found = told_of(made_of("ami-0old", profile), made_of("ami-0new"), image_by)
    assert [(each.severity, each.cause) for each in found] == [(severity, cause)]


DISK = "/dev/xvda"


@pytest.mark.parametrize(
    ("machine", "now", "told"),
    [
        (made_of("ami", sizes={DISK: 100}), made_of("ami", sizes={DISK: 100}), None),
        (made_of("ami", sizes={DISK: 99}), made_of("ami", sizes={DISK: 100}), f"disk {DISK} 99 GiB"),
        # It was grown where it runs.
        (made_of("ami", sizes={DISK: 101}), made_of("ami", sizes={DISK: 100}), None),
        (made_of("ami", encrypted={DISK: False}), made_of("ami", encrypted={DISK: True}), f"disk {DISK} not encrypted"),
        (made_of("ami", encrypted={DISK: True}), made_of("ami", encrypted={DISK: True}), None),
        (
            made_of("ami", metadata={"tokens": "optional"}),
            made_of("ami", metadata={"tokens": "required"}),
            "tokens optional",
        ),
        (made_of("ami", metadata={"tokens": "required"}), made_of("ami", metadata={"tokens": "required"}), None),
        # What the machine does not tell is not compared.
        (
            made_of("ami"),
            made_of("ami", sizes={DISK: 100}, encrypted={DISK: True}, metadata={"tokens": "required"}),
            None,
        ),
    ],
)
def test_what_else_a_machine_is_made_of(machine: Makeup, now: Makeup, told: str | None) -> None:
    found = told_of(machine, now)
    assert [each.is_ for each in found] == ([told] if told else [])
