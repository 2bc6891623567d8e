"""Which inputs AWS tells again: each is in the answer of its call, as botocore's model of AWS has it."""

from __future__ import annotations

from typing import Any

import botocore.session
import pytest

from nodeworthy.collect.cloud import calls, words
from nodeworthy.collect.cloud.calls import Call
from nodeworthy.facts.aws.disk import FILES
from nodeworthy.facts.aws.node_capacity import PLACEMENT
from nodeworthy.facts.aws.node_drainer import HOOK
from nodeworthy.facts.aws.node_group import SUBNET
from nodeworthy.known.aws_told import compared_types, told_inputs

VPC = "aws:ec2/vpc:Vpc"
ANSWERS: dict[str, Call] = {
    words.SCALING_GROUP: calls.SCALING_GROUPS,
    words.TEMPLATE: calls.TEMPLATE_VERSIONS,
    words.MANAGED: calls.NODE_GROUP,
    words.CLUSTER: calls.CLUSTER,
    words.SECURITY_GROUP: calls.SECURITY_GROUPS,
    SUBNET: calls.SUBNETS,
    VPC: calls.NETWORKS,
    PLACEMENT: calls.PLACEMENT_GROUPS,
    HOOK: calls.HOOKS,
    FILES: calls.FILE_SYSTEMS,
}
# Of a template what stands in its data; of a cluster `logging` is read by itself.
BY_HAND = {words.CLUSTER: {"enabledClusterLogTypes"}}


def answered(call: Call) -> Any:
    session: Any = botocore.session.get_session()
    shape = session.get_service_model(call.service).operation_model(call.operation).output_shape.members[call.key]
    shape = shape.member if shape.type_name == "list" else shape
    return shape.members.get("LaunchTemplateData", shape)


@pytest.mark.parametrize("kind", sorted(ANSWERS))
def test_each_input_that_is_compared_is_in_the_answer(kind: str) -> None:
    said = [f"{name[:1].upper()}{name[1:]}" for name in answered(ANSWERS[kind]).members]
    told = {one for name in said for one in words._spelt(name)}
    assert set(told_inputs(kind)) - told == BY_HAND.get(kind, set())


def test_every_kind_that_is_compared_has_a_call() -> None:
    assert set(ANSWERS) == set(compared_types())


def test_what_auto_scaling_spells_in_capitals_is_read() -> None:
    """A hook that notifies somebody was told to notify nobody."""
    topic = "arn:aws:sns:us-east-2:111122223333:drain"
    assert words.words_of(HOOK, {"NotificationTargetARN": topic})["notificationTargetArn"] == topic
    groups = ["arn:aws:elasticloadbalancing:us-east-2:111122223333:targetgroup/web/1"]
    assert words.scaling_group({"TargetGroupARNs": groups})["targetGroupArns"] == groups
