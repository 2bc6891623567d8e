"""Nodes are replaced so that the pool keeps what it can, and work is moved away first."""

from __future__ import annotations

import json
import math

import pytest

from tests.infra.plans import GROUP, HOOK, RELEASE, all_of, inputs, of_fleet, of_stack, referred

NODES = (1, 2, 3, 5, 7, 16)
FIXED = "pools:\n" + "".join(f"  l{nodes}: {{instanceType: g6.12xlarge, nodes: {nodes}}}\n" for nodes in NODES)
ELASTIC = "".join(f"  c{nodes}: {{instanceType: c7i.xlarge, nodes: {nodes}, min: 1, max: 20}}\n" for nodes in NODES)


@pytest.mark.parametrize("nodes", NODES)
def test_a_fixed_pool_gives_one_node_at_a_time_and_asks_for_none(nodes: int) -> None:
    refresh = inputs(of_fleet(FIXED + ELASTIC), GROUP)[f"made-l{nodes}"]["instanceRefresh"]
    preferences = refresh["preferences"]
    assert refresh["strategy"] == "Rolling"
    assert math.ceil(nodes * preferences["minHealthyPercentage"] / 100) == nodes - 1
    assert preferences["maxHealthyPercentage"] == 100
    checkpoints = preferences.get("checkpointPercentages")
    assert (checkpoints is None) if nodes == 1 else (checkpoints[-1] == 100 and checkpoints[0] < 100)


@pytest.mark.parametrize("nodes", NODES)
def test_another_pool_grows_before_it_gives_one(nodes: int) -> None:
    preferences = inputs(of_fleet(FIXED + ELASTIC), GROUP)[f"made-c{nodes}"]["instanceRefresh"]["preferences"]
    assert preferences["minHealthyPercentage"] == 100
    assert 100 < preferences["maxHealthyPercentage"] <= 200
    assert nodes * preferences["maxHealthyPercentage"] // 100 >= nodes + 1


def test_every_group_waits_until_its_node_is_drained() -> None:
    plan = of_stack("prod")
    waiting = {name for each in all_of(plan, HOOK).values() for name in referred(plan, each, "autoscalingGroupName")}
    assert waiting == set(all_of(plan, GROUP))
    assert {told["lifecycleTransition"] for told in inputs(plan, HOOK).values()} == {
        "autoscaling:EC2_INSTANCE_TERMINATING"
    }
    tags = [{each["key"] for each in told["tags"]} for told in inputs(plan, GROUP).values()]
    assert all("aws-node-termination-handler/managed" in each for each in tags)


def test_the_handler_reads_the_queue_that_aws_tells() -> None:
    plan = of_stack("prod")
    values = inputs(plan, RELEASE)["aws-node-termination-handler"]["values"]
    assert values["enableSqsTerminationDraining"] is True
    release = all_of(plan, RELEASE)["aws-node-termination-handler"]
    assert referred(plan, release, "values") == {"gpu-prod-rollout"}
    [policy] = inputs(plan, "aws:sqs/queuePolicy:QueuePolicy").values()
    [statement] = json.loads(policy["policy"])["Statement"]
    assert statement["Principal"] == {"Service": "events.amazonaws.com"}
    assert len(statement["Condition"]["ArnEquals"]["aws:SourceArn"]) == 2
    patterns = [
        json.loads(told["eventPattern"]) for told in inputs(plan, "aws:cloudwatch/eventRule:EventRule").values()
    ]
    assert {each["source"][0] for each in patterns} == {"aws.autoscaling", "aws.health"}
