"""A GPU pool has min = max = desired, and as many nodes as the fleet says.

GPU machines are bought, reserved or waited for. A pool that may shrink gives back a machine that nobody gets again; one
that may grow asks for machines that are not there, and the group hangs in InsufficientInstanceCapacity. So nothing
scales it either: no policy, no schedule. A capacity block is the exception to the last, because it has a beginning
and an end, and AWS has its group started and emptied by the clock. A pool may be several groups (its profiling nodes
apart): then they have the pool's nodes together. `ignore_changes` on the desired capacity is nobody's business here.

It is an error where a fleet says so, or where the machines are reserved; elsewhere people let groups of GPU nodes grow
on purpose, and it is a warning. Where that purpose is written down, nothing is said: eksctl gives a group the rights of
the cluster's autoscaler, a tag lets that autoscaler find it, a capacity provider of ECS scales it, a policy or a
schedule stands beside it.
"""

from __future__ import annotations

from collections.abc import Sequence

from nodeworthy.facts.aws.node_capacity import is_block, is_reserved
from nodeworthy.facts.aws.node_count import (
    SCHEDULES,
    NodeCount,
    capacity_providers,
    is_found_by_autoscaler,
    node_count,
    refused_size,
    unseen_scaling,
    what_scales,
)
from nodeworthy.facts.aws.node_group import NodeGroup
from nodeworthy.facts.aws.node_types import has_gpus
from nodeworthy.facts.aws.stack import AwsResource
from nodeworthy.facts.fleet.gpu_pool import ReservedMachines
from nodeworthy.rule import Rule
from nodeworthy.verdict import Findings, Known, Located, NotKnown, Related, Severity, fail, need, skip

RULE = Rule(
    "pool-size-fixed",
    severity=Severity.ERROR,
    incident="D",
    title="A GPU pool has min = max = desired",
    remedy="give min, max and desired one number: the pool's `nodes` in the fleet",
    of_a_program=True,
)


_ON_DEMAND = "a GPU machine that is given back may not be had again, and one that is asked for may not be there"
_RESERVED = (
    "what is reserved is paid for whether it runs or not, and beyond it AWS promises no machine: a pool that shrinks "
    "pays for nothing, one that grows waits for InsufficientInstanceCapacity to pass"
)

_PAID = (
    "what is reserved is paid for whether it runs or not, and beyond it nobody promises a machine: a pool that shrinks "
    "pays for nothing, one that grows waits"
)


@RULE.check
def its_size_is_one_number(nodes: NodeGroup) -> Findings:
    if nodes.group is None:
        skip("it is in no group that could grow or shrink")
    if has_gpus(nodes).state == Known(False):
        skip(f"{nodes.title} has no GPUs")
    if refused_size(nodes.group) is not None:
        skip("AWS takes no group of these sizes: aws-accepts says which is wrong")
    count = node_count(nodes)
    is_fixed = _is_fixed(count)
    for each in unseen_scaling(nodes):
        need(each.inputs.located())
    scaling = [each for each in what_scales(nodes) if each.type not in SCHEDULES or not is_block(nodes)]
    if (is_fixed and not scaling) or not need(has_gpus(nodes)):
        return
    if _is_scaled_on_purpose(nodes, scaling, is_fixed=is_fixed):
        skip(f"{nodes.title} is to be scaled, and what is to scale it is written down")
    if not is_fixed:
        yield fail(
            _odd(nodes, count),
            f"{nodes.title} has GPUs and no fixed size",
            is_=", ".join(f"{name} {each.shown()}" for name, each in _given_counts(count)),
            should="min = max = desired",
            related=nodes.declared,
            severity=_severity(nodes),
            cause=_RESERVED if _is_bought(nodes) else _ON_DEMAND,
        )
    for each in scaling:
        yield fail(
            each,
            f"{each.title} changes the size of {nodes.title}, which has GPUs",
            should="a fixed size",
            related=nodes.declared,
            severity=_severity(nodes),
            remedy="remove it",
        )


def _severity(nodes: NodeGroup) -> Severity:
    return Severity.ERROR if nodes.pool is not None or _is_bought(nodes) else Severity.WARNING


def _is_bought(nodes: NodeGroup) -> bool:
    """Who fills in later where machines come from leaves a size that is not fixed all the same."""
    try:
        return is_block(nodes) or is_reserved(nodes)
    except NotKnown:
        return False


def _is_scaled_on_purpose(nodes: NodeGroup, scaling: Sequence[AwsResource], *, is_fixed: bool) -> bool:
    if _severity(nodes) is not Severity.WARNING:
        return False
    if scaling or is_fixed:
        return bool(scaling)
    return nodes.scaled_by is not None or is_found_by_autoscaler(nodes) or any(map(_is_on, capacity_providers(nodes)))


def _is_on(provider: AwsResource) -> bool:
    status: object = need(provider.get("autoScalingGroupProvider", "managedScaling", "status").located())
    return status == "ENABLED"


def _is_fixed(count: NodeCount) -> bool:
    return len({need(each) for _, each in _given_counts(count)}) < 2


def _given_counts(count: NodeCount) -> list[tuple[str, Located[int | None]]]:
    every = (("min", count.min), ("max", count.max), ("desired", count.desired))
    return [(name, each) for name, each in every if need(each) is not None]


def _odd(nodes: NodeGroup, count: NodeCount) -> Located[int | None]:
    """The one to mend: of three numbers, one that is not the fleet's, else one that is not as the most is."""
    wanted = nodes.pool.nodes if nodes.pool is not None else need(count.max)
    return next((each for _, each in _given_counts(count) if need(each) != wanted), count.max)


@RULE.check
def a_reserved_pool_of_a_cloud_does_not_grow(machines: ReservedMachines) -> Findings:
    """Of GKE and AKS. Without a reservation the autoscaling itself says that a pool is to be scaled."""
    least, most = need(machines.least), need(machines.most)
    if least != most:
        yield fail(
            machines.least,
            f"{machines.pool.title} runs in a reservation and has no fixed size",
            is_=f"min {least}, max {most}",
            should="as many nodes as are reserved",
            related=[Related(machines.reserved.kind.place, "its capacity is reserved here")],
            cause=_PAID,
            remedy="take the autoscaling out, and give node_count the reservation's number",
        )


@RULE.check
def it_is_the_fleets(nodes: NodeGroup, everywhere: Sequence[NodeGroup]) -> Findings:
    pool = nodes.pool
    if pool is None or not pool.is_gpu or nodes.group is None:
        skip(nodes.no_pool if pool is None else "it is no group of a GPU pool")
    groups = {each.group: node_count(each) for each in everywhere if each.pool is pool and each.group is not None}
    if next(iter(groups)) is not nodes.group:
        skip(f"{nodes.title} is counted with its first group")
    most = sum(need(count.max) or 0 for count in groups.values())
    if most == pool.nodes or not all(map(_is_fixed, groups.values())):
        return
    yield fail(
        groups[nodes.group].max,
        f"{nodes.title} is built with another number of nodes than the fleet says",
        is_=f"{most}{f' in {len(groups)} groups' if len(groups) > 1 else ''}",
        should=str(pool.nodes),
        related=[*nodes.declared, *_others(groups)],
        remedy="take the number from the fleet, or change it there",
    )


def _others(groups: dict[AwsResource, NodeCount]) -> list[Related]:
    return [Related(each.max.place, f"{each.max.shown()} of them are here") for each in [*groups.values()][1:]]
