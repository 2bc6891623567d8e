"""What a rollout would do, of worlds in memory: whom, in which order, and what forbids it."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from nodeworthy.documents.tree import plant
from nodeworthy.facts.aws.node_group import NodeGroup
from nodeworthy.facts.aws.running import Makeup, RunningMachine, RunningNodes
from nodeworthy.facts.aws.stack import AwsResource, AwsStack
from nodeworthy.rollout import plan_told
from nodeworthy.rollout.journal import Journal, Terms, journal_from
from nodeworthy.rollout.plan import RolloutPlan, RolloutRequest, plan
from nodeworthy.rollout.stale import AuditedGroup
from nodeworthy.rollout.world import Budget, Machine, Node, Pod, World
from nodeworthy.verdict import Located, Place

from .simulated import NEW, OLD, Simulated, budget, pod

ROOM = RolloutRequest(Terms())
NO_ROOM = "quota-suffices: 96 of 96 vCPUs are used"


def group_of_nodes(kind: str = "aws:autoscaling/group:Group", **said: Any) -> NodeGroup:
    place = Place(urn="arn:aws:autoscaling:us-east-2:123456789012:autoScalingGroup:1:autoScalingGroupName/t4")
    tree = plant(said, place)
    return NodeGroup(AwsStack(place, []), AwsResource(kind, "t4", str(place.urn), place, lambda: tree), None)


def found(world: Simulated, **values: Any) -> AuditedGroup:
    nodes = values.pop("nodes", group_of_nodes())
    place = nodes.place
    unknown: Located[Any] = Located.unknown("", place)
    made = Makeup(unknown, unknown, unknown, unknown, unknown)
    machines = [RunningMachine(each.id, place, made, each.version) for each in world.machines.values()]
    running = RunningNodes(place, nodes, Located.known(machines, place), unknown, NEW)
    stale = dict.fromkeys(world.machines, "boot script: line 4 is missing")
    template = {"LaunchTemplateId": "lt-1", "Version": "$Latest"}
    data = {"AutoScalingGroupName": "t4", "LaunchTemplate": template}
    return AuditedGroup(**{"data": data, "running": running, "stale": stale, **values})


def planned(world: Simulated, asked: RolloutRequest = ROOM, **values: Any) -> RolloutPlan:
    seen = World(world.group, tuple(world.machines.values()), tuple(world.there.values()))
    return plan(seen, found(world, **values), asked, NEW)


def names(made: RolloutPlan) -> list[str]:
    return [each.node.name for each in made.order if each.node is not None]


def test_idle_nodes_come_first_and_those_whose_work_ends_last_last() -> None:
    world = Simulated()
    world.give(0, pod("long", owner="Job", gpus=1, seconds_left=9000))
    world.give(1, pod("short", owner="Job", gpus=1, seconds_left=60))
    made = planned(world)
    assert names(made) == ["n-i-old2", "n-i-old3", "n-i-old1", "n-i-old0"]
    assert made.may_begin
    assert (made.former, made.target, made.terms.new_first) == (OLD, NEW, True)


def test_who_is_away_already_goes_first() -> None:
    """What a rollout that stopped has left behind its taint: beside it no other may be taken."""
    world = Simulated()
    world._change("n-i-old2", taints=("nodeworthy/unverified:NoSchedule",))
    world.machines["i-old3"] = replace(world.machines["i-old3"])
    del world.there["n-i-old3"]
    made = planned(world)
    assert [each.machine.id for each in made.order] == ["i-old3", "i-old2", "i-old0", "i-old1"]


def test_who_opted_out_is_replaced_only_by_name_and_who_is_current_not_at_all() -> None:
    world = Simulated()
    world._change("n-i-old0", opted_out="nodeworthy/verify=disabled")
    made = planned(world, stale={"i-old0": "image", "i-old1": "image"})
    assert names(made) == ["n-i-old1"]
    assert "opted out by its label nodeworthy/verify=disabled" in made.left_out["n-i-old0"]
    assert made.left_out["n-i-old2"] == "it is what its group would start now"
    assert names(planned(world, replace(ROOM, nodes=("n-i-old0",)))) == ["n-i-old0"]
    assert len(planned(world, replace(ROOM, only_stale=False), stale={}).order) == 3


def test_nothing_stale_is_nothing_to_do() -> None:
    made = planned(Simulated(), stale={})
    assert (list(made.order), made.refusals) == ([], [])
    assert next(plan_told.lines(made)) == "group t4, version 4 of the template: nothing to do, none of 4 is replaced"


def test_which_are_stale_is_not_known() -> None:
    made = planned(Simulated(), stale={}, unknown="AWS does not answer ec2:DescribeInstanceAttribute")
    assert not made.may_begin
    assert "ec2:DescribeInstanceAttribute" in made.unknown[0]


def with_group(**values: Any) -> Callable[[Simulated], None]:
    return lambda world: setattr(world, "group", replace(world.group, **values))


def with_node(**values: Any) -> Callable[[Simulated], None]:
    return lambda world: world._change("n-i-old3", **values)


def with_pod(made: Pod) -> Callable[[Simulated], None]:
    return lambda world: world.give(0, made)


REFUSED: dict[str, tuple[Callable[[Simulated], None], str]] = {
    "refresh": (with_group(refresh="08b9"), "the instance refresh 08b9 of t4 is under way"),
    "size": (with_group(desired=5), "t4 is to have 5 nodes, and has 4"),
    "cordoned": (with_node(is_cordoned=True), "n-i-old3 is cordoned by somebody else"),
    "open": (with_node(is_cordoned=True, mark="r0"), "n-i-old3 is cordoned by rollout r0: that one is not over"),
    "budget": (
        with_pod(pod("web", budgets=(budget(0),))),
        "research/web on n-i-old0 (i-old0) can't be evicted: the budget research/keep allows 0 disruptions",
    ),
    "two budgets": (
        with_pod(pod("web", budgets=(budget(1), Budget("research", "other", 1, 1, 1)))),
        "has two budgets, and can't be evicted: research/keep and research/other",
    ),
    "bare pod": (
        with_pod(pod("notebook", owner="", blocks="has no controller: nobody makes it anew")),
        "research/notebook on n-i-old0 (i-old0) has no controller: nobody makes it anew (--evict research/notebook)",
    ),
    "job": (
        with_pod(pod("train", owner="Job", gpus=8, since="09:00")),
        "research/train computes on 8 GPUs of n-i-old0 (i-old0) since 09:00, and declares no end",
    ),
    "volume": (with_node(local_volumes=("pv-1 of research/data",)), "holds the local volume pv-1 of research/data"),
}


@pytest.mark.parametrize(("change", "told"), REFUSED.values(), ids=REFUSED)
def test_what_forbids_it_is_said(change: Callable[[Simulated], None], told: str) -> None:
    world = Simulated()
    change(world)
    made = planned(world)
    assert not made.may_begin
    assert len(made.refusals) == 1
    assert told in made.refusals[0]
    assert planned(Simulated()).may_begin


def test_to_name_a_pod_is_no_leave_of_its_budget() -> None:
    world = Simulated()
    world.give(0, pod("notebook", owner="", blocks="has no controller: nobody makes it anew", budgets=(budget(0),)))
    made = planned(world, replace(ROOM, terms=Terms(evict=frozenset({"research/notebook"}))))
    assert len(made.refusals) == 1
    assert "can't be evicted: the budget research/keep allows 0" in made.refusals[0]


def test_who_is_away_already_counts() -> None:
    world = Simulated()
    world._change("n-i-old3", is_ready=False)
    away = planned(world, stale={"i-old0": "image"})
    assert "as many nodes are away as may be (--max-unavailable 1): n-i-old3 is not Ready" in away.refusals
    two = replace(ROOM, terms=Terms(most_unavailable=2))
    assert planned(world, two, stale={"i-old0": "image"}).may_begin


def test_a_machine_that_is_not_healthy_and_one_that_is_going() -> None:
    world = Simulated()
    world.machines["i-old1"] = replace(world.machines["i-old1"], is_healthy=False)
    world.machines["i-gone"] = Machine("i-gone", "Terminating:Wait")
    made = planned(world)
    assert made.refusals == ["i-old1 is not healthy by the word of auto scaling"]
    assert made.left_out == {"i-gone": "it is Terminating:Wait already"}


def test_capacity_that_may_be_lost_asks_for_a_yes_of_its_own() -> None:
    made = planned(Simulated(), no_room=NO_ROOM)
    assert not made.terms.new_first
    assert f"there is no room for one node more ({NO_ROOM})" in made.refusals[0]
    assert "--yes-may-lose-capacity" in made.refusals[0]
    assert planned(Simulated(), replace(ROOM, may_lose=True), no_room=NO_ROOM).may_begin
    reserved = planned(Simulated(), no_room=NO_ROOM, is_reserved=True)
    assert reserved.may_begin
    assert not reserved.terms.new_first
    assert planned(Simulated(), replace(ROOM, surge="1"), no_room=NO_ROOM).may_begin


REFRESH = replace(ROOM, terms=Terms(by_refresh=True), may_lose=True)


def test_an_instance_refresh_needs_a_hook_at_which_it_waits_and_starts_none_first() -> None:
    made = planned(Simulated(), REFRESH)
    assert (made.may_begin, made.terms.new_first) == (True, False)
    assert "an instance refresh of AWS to version 4 ends them, each when it is let have it" in plan_told.lines(made)
    bare = planned(Simulated(), REFRESH, no_drain="auto scaling waits at no hook")
    assert bare.refusals == ["an instance refresh does not drain t4: auto scaling waits at no hook"]
    assert planned(Simulated(), replace(ROOM, may_lose=True), no_drain="auto scaling waits at no hook").may_begin


@pytest.mark.parametrize(
    ("named", "image_by", "rolls_back"), [("3", "", True), ("$Latest", "", False), ("3", "resolve:ssm:/a", False)]
)
def test_aws_takes_a_refresh_back_only_to_what_has_a_number(named: str, image_by: str, rolls_back: bool) -> None:
    world = Simulated()
    world.group = replace(world.group, named_version=named)
    made = planned(world, REFRESH)
    made = replace(made, found=replace(made.found, running=replace(made.found.running, image_by=image_by)))
    where = {"region": "us-east-2", "account": "123456789012", "server": "https://here"}
    kept = journal_from(json.loads(json.dumps(made.journal("r1", where, "i").as_data())))
    assert (kept.rolls_back, kept.terms.by_refresh) == (rolls_back, True)


def test_where_eks_replaces_nodes_its_own_command_is_printed() -> None:
    nodes = group_of_nodes("aws:eks/nodeGroup:NodeGroup", clusterName="gpu-dev", nodeGroupName="t4")
    made = planned(Simulated(), nodes=nodes)
    assert made.owner_command == (
        "aws eks update-nodegroup-version --cluster-name gpu-dev --nodegroup-name t4 --launch-template version=4,id=lt-1"
    )
    assert made.owner_command in made.refusals[0]


def test_a_machine_pool_of_cluster_api_is_left_to_it() -> None:
    tag = {"Key": "sigs.k8s.io/cluster-api-provider-aws/cluster/gpu-dev", "Value": "owned"}
    data = {"AutoScalingGroupName": "t4", "LaunchTemplate": {"LaunchTemplateId": "lt-1"}, "Tags": [tag]}
    made = planned(Simulated(), data=data)
    assert not made.may_begin
    assert made.refusals[0].startswith("Cluster API owns the nodes of t4")
    assert planned(Simulated(), data={**data, "Tags": []}).may_begin


def test_a_plan_says_who_goes_and_what_is_set_again() -> None:
    world = Simulated(nodes=2)
    world._change("n-i-old1", kept={"labels": {"gpu.monitoring/profiling-dedicated": "true"}})
    world.give(1, pod("web", budgets=(budget(1),)))
    lines = list(plan_told.lines(planned(world)))
    assert lines[0] == (
        "group t4: 2 of 2 nodes are to be replaced, from version 3 of the template to 4 (the group names $Latest now)"
    )
    assert lines[1:5] == [
        "1. n-i-old0 (i-old0), canary, idle",
        "     old: boot script: line 4 is missing",
        "2. n-i-old1 (i-old1), then, idle",
        "     old: boot script: line 4 is missing",
    ]
    assert "     evicts research/web, by the leave of research/keep allows 1 disruptions (1 healthy, 1 wanted)" in lines
    assert "     set again on its successor, labels: gpu.monitoring/profiling-dedicated=true" in lines


def test_a_plan_becomes_a_journal_that_can_be_read_again() -> None:
    world = Simulated(nodes=2)
    world.machines["i-old0"] = replace(world.machines["i-old0"], is_protected=True)
    world._change("n-i-old1", kept={"labels": {"a": "b"}})
    where = {"region": "us-east-2", "account": "123456789012", "server": "https://here"}
    made = planned(world).journal("r1", where, "image")
    assert isinstance(made, Journal)
    assert (made.former, made.named_version, made.originals) == (OLD, "$Latest", ("i-old0", "i-old1"))
    assert [each.was_protected for each in made.lanes] == [True, False]
    assert [each.kept for each in made.lanes] == [{}, {"labels": {"a": "b"}}]
    assert journal_from(json.loads(json.dumps(made.as_data()))).as_data() == made.as_data()


def test_data_says_the_same_as_words() -> None:
    world = Simulated(nodes=1)
    world.give(0, pod("web", budgets=(budget(0),)))
    data = plan_told.as_data(planned(world))
    assert data["mayBegin"] is False
    assert data["order"][0]["evicts"][0]["budgets"][0] == {
        "name": "research/keep",
        "allowed": 0,
        "healthy": 1,
        "desired": 1,
    }
    assert data["order"][0]["blocks"] == data["refusals"]


def test_a_node_without_pods_of_its_own_is_idle() -> None:
    daemon = pod("dcgm", owner="DaemonSet", stays=True, gpus=1)
    node = Node("n", "i", pods=(daemon,))
    assert node.is_idle
    assert list(node.guests) == []
