"""What starts nodes, in the ways in which programs write that down."""

from __future__ import annotations

from typing import Any

import pytest

from nodeworthy.facts.aws.disk import disks
from nodeworthy.facts.aws.efa_interfaces import interfaces, misplaced_interfaces
from nodeworthy.facts.aws.node_capacity import is_block, is_one_subnet, placement, placement_groups, zones
from nodeworthy.facts.aws.node_count import node_count, what_scales
from nodeworthy.facts.aws.node_drainer import HOOK, hooks, unsure_hooks
from nodeworthy.facts.aws.node_group import CONFIGURATION, MANAGED, SCALING_GROUP, TEMPLATE, NodeGroup, node_groups
from nodeworthy.facts.aws.node_types import has_gpus, instance_types
from nodeworthy.facts.aws.stack import AwsResource
from nodeworthy.known.efa import Efa
from nodeworthy.verdict import Known, Located, Unknown
from tests.facts.stacks import LATER, of, resource, stack

INSTANCE = "aws:ec2/instance:Instance"
SUBNET = "aws:ec2/subnet:Subnet"
NEAR = "aws:ec2/placementGroup:PlacementGroup"
T4 = resource(TEMPLATE, "t4", {"instanceType": "g4dn.12xlarge"})


def only(*resources: AwsResource) -> NodeGroup:
    (nodes,) = node_groups(stack(*resources))
    return nodes


def values(located: list[Located[Any]] | Any) -> list[Any]:
    return [each.state.value if isinstance(each.state, Known) else None for each in located]


@pytest.mark.parametrize(
    "said",
    [
        {"launchTemplate": {"id": of("t4"), "version": "$Latest"}},
        {"launchTemplate": {"name": of("t4")}},
        {"mixedInstancesPolicy": {"launchTemplate": {"launchTemplateSpecification": {"launchTemplateId": of("t4")}}}},
    ],
)
def test_the_template_of_a_group(said: dict[str, Any]) -> None:
    nodes = only(T4, resource(SCALING_GROUP, "t4-nodes", said))
    assert nodes.template is T4
    assert values(instance_types(nodes)) == ["g4dn.12xlarge"]


def test_a_template_by_the_name_that_it_was_given() -> None:
    named = resource(TEMPLATE, "t4", {"name": "t4-2026", "instanceType": "g4dn.12xlarge"})
    assert only(named, resource(SCALING_GROUP, "t4-nodes", {"launchTemplate": {"name": "t4-2026"}})).template is named


def test_a_template_that_is_known_only_later_is_the_one_that_the_property_was_made_of() -> None:
    group = resource(SCALING_GROUP, "t4-nodes", {"launchTemplate": {"id": LATER}}, launchTemplate=["t4"])
    assert only(T4, group).template is T4


def test_a_launch_configuration() -> None:
    old = resource(CONFIGURATION, "t4", {"name": "t4", "instanceType": "g4dn.12xlarge"})
    assert only(old, resource(SCALING_GROUP, "t4-nodes", {"launchConfiguration": of("t4")})).template is old


def test_a_template_of_its_own_for_a_type() -> None:
    other = resource(TEMPLATE, "l4", {"instanceType": "g6.12xlarge"})
    overrides = [{"instanceType": "g6.12xlarge", "launchTemplateSpecification": {"launchTemplateId": of("l4")}}]
    policy = {"launchTemplateSpecification": {"launchTemplateId": of("t4")}, "overrides": overrides}
    group = resource(SCALING_GROUP, "mixed", {"mixedInstancesPolicy": {"launchTemplate": policy}})
    assert {nodes.template for nodes in node_groups(stack(T4, other, group))} == {T4, other}


def test_a_template_of_another_stack() -> None:
    nodes = only(resource(SCALING_GROUP, "t4-nodes", {"launchTemplate": {"id": "lt-0123"}}))
    assert nodes.template is None
    assert nodes.no_template == "its launch template is not known: lt-0123 is not of this stack"


def test_a_template_that_exists_already_says_nothing() -> None:
    read = resource(TEMPLATE, "t4", {}, read=True)
    nodes = only(read, resource(SCALING_GROUP, "t4-nodes", {"launchTemplate": {"id": of("t4")}}))
    assert isinstance(nodes.templates("metadataOptions", "httpTokens").value, Unknown)


def test_an_instance_says_more_than_the_template_that_it_is_started_from() -> None:
    base = resource(TEMPLATE, "base", {"instanceType": "g6.xlarge", "metadataOptions": {"httpTokens": "required"}})
    nodes = only(base, resource(INSTANCE, "one", {"instanceType": "g6.12xlarge", "launchTemplate": {"id": of("base")}}))
    assert nodes.templates("metadataOptions", "httpTokens").text == "required"
    assert values(instance_types(nodes)) == ["g6.12xlarge"]


@pytest.mark.parametrize(
    ("kind", "said", "has"),
    [
        (MANAGED, {"instanceTypes": ["g5.12xlarge", "g5.24xlarge"]}, True),
        (MANAGED, {"instanceTypes": ["m7i.large"]}, False),
        (MANAGED, {"instanceTypes": [LATER]}, None),
        (SCALING_GROUP, {}, None),
    ],
)
def test_gpus(kind: str, said: dict[str, Any], has: bool | None) -> None:
    assert values([has_gpus(only(resource(kind, "nodes", said)))]) == [has]


def test_how_many() -> None:
    managed = only(resource(MANAGED, "nodes", {"scalingConfig": {"minSize": 1, "maxSize": 4, "desiredSize": 2}}))
    count = node_count(managed)
    assert values([count.min, count.max, count.desired]) == [1, 4, 2]
    group = only(resource(SCALING_GROUP, "nodes", {"minSize": "3", "maxSize": 3.5}))
    count = node_count(group)
    assert values([count.min, count.max, count.desired]) == [3, None, None]
    assert isinstance(count.max.state, Unknown)


def test_what_scales_it() -> None:
    policy = resource("aws:autoscaling/policy:Policy", "up", {"autoscalingGroupName": of("nodes")})
    other = resource("aws:autoscaling/policy:Policy", "other", {"autoscalingGroupName": "web"})
    assert what_scales(only(resource(SCALING_GROUP, "nodes", {}), policy, other)) == [policy]


def test_hooks_inside_and_beside() -> None:
    ending = "autoscaling:EC2_INSTANCE_TERMINATING"
    inline = {"initialLifecycleHooks": [{"lifecycleTransition": ending}]}
    assert len(hooks(only(resource(SCALING_GROUP, "nodes", inline)))) == 1
    beside = resource(HOOK, "drain", {"autoscalingGroupName": of("nodes"), "lifecycleTransition": ending})
    assert len(hooks(only(resource(SCALING_GROUP, "nodes", {}), beside))) == 1
    others = resource(HOOK, "drain", {"autoscalingGroupName": LATER, "lifecycleTransition": ending})
    nodes = only(resource(SCALING_GROUP, "nodes", {}), others)
    assert not hooks(nodes)
    assert len(list(unsure_hooks(nodes))) == 1


def test_zones() -> None:
    here = resource(SUBNET, "a", {"availabilityZone": "us-east-2a"})
    there = resource(SUBNET, "b", {"availabilityZone": "us-east-2b"})
    both = only(resource(SCALING_GROUP, "nodes", {"vpcZoneIdentifiers": [of("a"), of("b")]}), here, there)
    assert values(zones(both)) == ["us-east-2a", "us-east-2b"]
    assert not is_one_subnet(both)
    one = only(resource(SCALING_GROUP, "nodes", {"vpcZoneIdentifiers": ["subnet-0123"]}))
    assert values(zones(one)) == [None]
    assert is_one_subnet(one)
    assert not is_one_subnet(only(resource(SCALING_GROUP, "nodes", {"vpcZoneIdentifiers": LATER})))
    named = only(resource(SCALING_GROUP, "nodes", {"availabilityZones": ["us-east-2c"]}))
    assert values(zones(named)) == ["us-east-2c"]


def test_placement_of_the_group_and_of_the_template() -> None:
    near = resource(NEAR, "near", {"strategy": "cluster"})
    by_template = resource(TEMPLATE, "t", {"placement": {"groupName": of("near")}})
    nodes = only(near, by_template, resource(SCALING_GROUP, "n", {"launchTemplate": {"id": of("t")}}))
    assert placement_groups(nodes).found == (near,)
    by_group = only(near, T4, resource(SCALING_GROUP, "n", {"launchTemplate": {"id": of("t4")}, "placementGroup": "x"}))
    assert placement(by_group).text == "x"
    assert not placement_groups(by_group).found


@pytest.mark.parametrize(
    ("template", "is_one"),
    [
        ({"instanceMarketOptions": {"marketType": "capacity-block"}}, True),
        ({"instanceMarketOptions": {"marketType": "spot"}}, False),
        ({"capacityReservationSpecification": {"capacityReservationTarget": {"capacityReservationId": of("b")}}}, True),
    ],
)
def test_capacity_blocks(template: dict[str, Any], is_one: bool) -> None:
    bought = resource("aws:ec2/capacityBlockReservation:CapacityBlockReservation", "b", {})
    assert is_block(only(bought, resource(TEMPLATE, "h100", template))) is is_one


def efa(*positions: tuple[str, int, int]) -> list[str]:
    laid_out = [
        {"interfaceType": kind, "networkCardIndex": card, "deviceIndex": device} for kind, card, device in positions
    ]
    nodes = only(resource(TEMPLATE, "x", {"networkInterfaces": laid_out}))
    return [each.message for each in misplaced_interfaces(interfaces(nodes), Efa(2))]


@pytest.mark.parametrize(
    "layout",
    [
        [("efa", 0, 0), ("efa", 1, 1)],
        [("efa", 0, 0), ("efa-only", 1, 1)],
        [("efa", 0, 0), ("efa-only", 1, 0)],
        [("interface", 0, 0), ("efa-only", 0, 1), ("efa-only", 1, 0)],
        [("interface", 0, 0), ("efa-only", 0, 1), ("efa-only", 1, 0), ("interface", 1, 1)],
    ],
)
def test_layouts_that_aws_describes(layout: list[tuple[str, int, int]]) -> None:
    assert efa(*layout) == []


@pytest.mark.parametrize(
    ("layout", "says"),
    [
        ([("efa-only", 0, 0), ("efa-only", 1, 1)], "the primary interface is EFA alone, without an address"),
        ([("efa", 0, 0), ("efa", 1, 0)], "an interface on a further network card is device 0"),
        ([("efa", 0, 0), ("efa", 0, 1)], "two EFA interfaces are on one network card"),
        ([("efa", 0, 0), ("efa", 2, 1)], "an EFA interface is on a network card that takes none"),
        ([("efa", 0, 1), ("efa", 1, 1)], "no interface is the primary one"),
    ],
)
def test_layouts_that_do_not_start(layout: list[tuple[str, int, int]], says: str) -> None:
    assert efa(*layout) == [says]


@pytest.mark.parametrize(
    ("said", "encrypted"),
    [("true", True), (True, True), ("false", False), ("", None), (LATER, "unknown"), ("maybe", "unknown")],
)
def test_whether_a_disk_is_encrypted(said: Any, encrypted: object) -> None:
    made = stack(resource("aws:ebs/volume:Volume", "data", {"encrypted": said}))
    (disk,) = disks(made, node_groups(made))
    state = disk.encrypted.state
    assert (state.value if isinstance(state, Known) else "unknown") is encrypted


def test_a_volume_is_as_encrypted_as_its_snapshot() -> None:
    source = resource("aws:ebs/volume:Volume", "source", {"encrypted": True})
    snapshot = resource("aws:ebs/snapshot:Snapshot", "shot", {"volumeId": of("source")})
    copy = resource("aws:ebs/volume:Volume", "copy", {"snapshotId": of("shot")})
    found = {each.holder.name: each for each in disks(stack(source, snapshot, copy), [])}
    assert found["copy"].has_snapshot
    assert found["copy"].of_an_encrypted_snapshot.state == Known(True)
