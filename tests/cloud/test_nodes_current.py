"""Whether an old image is AWS's doing, which is a warning, or one's own."""

from __future__ import annotations

import pytest

from nodeworthy.documents.tree import plant
from nodeworthy.engine import judge
from nodeworthy.facts.aws.node_group import NodeGroup
from nodeworthy.facts.aws.running import Makeup, RunningMachine, RunningNodes
from nodeworthy.facts.aws.stack import AwsResource, AwsStack
from nodeworthy.rules.nodes_current import CAUSE, RULE
from nodeworthy.rules.rule_crashed import RULE as CRASHED
from nodeworthy.scene import make_scene
from nodeworthy.verdict import Located, Place, Severity

ARN = "arn:aws:autoscaling:us-east-2:123456789012:autoScalingGroup:1:autoScalingGroupName/t4"
HERE = Place(urn=ARN)
PARAMETER = "/aws/service/eks/optimized-ami/1.33/amazon-linux-2023/x86_64/nvidia/recommended/image_id"
TAG = {"key": "kubernetes.io/cluster/gpu-dev", "value": "owned", "propagateAtLaunch": True}


def made_of(image: str, profile: str = "gpu-node") -> Makeup:
    return Makeup(
        Located.known(image, HERE),
        Located.known(frozenset({"g4dn.xlarge"}), HERE),
        Located.known(profile, HERE),
        Located.known(frozenset({"sg-0a1b2c3d"}), HERE),
        Located.known("#!/bin/bash\n", HERE),
    )


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
    tree = plant({"tags": [TAG]}, HERE)
    nodes = NodeGroup(
        AwsStack(HERE, []), AwsResource("aws:autoscaling/group:Group", "t4", ARN, HERE, lambda: tree), None
    )
    machine = RunningMachine("i-0123456789abcdef0", HERE, made_of("ami-0old", profile))
    running = RunningNodes(
        HERE, nodes, Located.known([machine], HERE), Located.known(made_of("ami-0new"), HERE), image_by=image_by
    )
    (judgement,) = judge([make_scene([running])], [RULE], CRASHED)
    assert [(each.severity, each.cause) for each in judgement.findings] == [(severity, cause)]
