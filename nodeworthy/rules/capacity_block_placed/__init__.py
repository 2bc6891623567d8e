"""A capacity block's nodes ask for it as AWS wants it: market type, reservation, zone, and no placement group.

A capacity block is a reservation in one zone that nobody enters by chance: the launch template names it and says
`capacity-block` as its market. What runs in it stands together already; a placement group beside it is refused, and so
are a mixed instances policy and a warm pool. Subnets of another zone find no room in it. Each of these ends in a group
that tries for hours to start what it never gets, while the block is paid for. So does a group that is told to run in a
reservation of another kind, and starts in none of its zone, or nothing of its instance type. A queue of AWS
ParallelCluster's with `CapacityType: CAPACITY_BLOCK` names its block, and has as many nodes at least as at most.
"""

from __future__ import annotations

from nodeworthy.facts.aws.node_capacity import (
    CAPACITY_BLOCK,
    blocks,
    is_block,
    market,
    pinned_zone,
    placement,
    placement_groups,
    reservation,
    reservations,
    zones,
)
from nodeworthy.facts.aws.node_group import NodeGroup
from nodeworthy.facts.aws.node_types import has_gpus, written_types
from nodeworthy.rule import Rule
from nodeworthy.verdict import Findings, Known, Related, Severity, ToGive, Unknown, fail, need, skip, unknown

RULE = Rule(
    "capacity-block-placed",
    severity=Severity.ERROR,
    incident="D",
    title="A capacity block's launch template has its market type and zone, and no placement group",
    remedy='instance_market_options={"market_type": "capacity-block"}, capacity_reservation_specification='
    '{"capacity_reservation_target": {"capacity_reservation_id": "cr-…"}}, subnets of the block\'s zone',
    of_a_program=True,
)

CAUSE = "its nodes are never started, and the block is paid for all the same"
_NAMED = {"availabilityZone": "zone", "instanceType": "instance type"}
NOT_BESIDE_IT = ("mixedInstancesPolicy", "warmPool")


@RULE.check
def it_is_asked_for_as_a_block(nodes: NodeGroup) -> Findings:
    _only_blocks(nodes)
    if nodes.template is None:
        yield unknown(nodes, f"how {nodes.title} asks for its capacity block is not known: {nodes.no_template}")
        return
    said = market(nodes).located()
    if need(said) != CAPACITY_BLOCK:
        yield fail(
            said,
            f"{nodes.title} has a capacity block, and its launch template does not ask for one",
            is_=f"marketType: {said.shown()}" if said.written and need(said) else "no instanceMarketOptions.marketType",
            should=f"marketType: {CAPACITY_BLOCK}",
            related=nodes.declared,
            cause=CAUSE,
        )


@RULE.check
def it_names_the_block(nodes: NodeGroup) -> Findings:
    _only_blocks(nodes)
    if nodes.template is None:
        return
    named = reservation(nodes)
    if named.says_nothing:
        yield fail(
            named,
            f"{nodes.title} has a capacity block, and its launch template does not say which",
            is_="no capacityReservationId",
            should=_wanted(nodes) or "the id of the block",
            related=nodes.declared,
            cause=CAUSE,
        )
        return
    wanted = _wanted(nodes)
    if wanted is None or (named.is_unknown and blocks(nodes).found):
        return
    if isinstance(named.value, Unknown):
        yield unknown(named, f"which capacity block {nodes.title} runs in is not known: {named.value.why}")
    elif need(named.located()) != wanted:
        yield fail(
            named.located(),
            f"{nodes.title} names another capacity block than the fleet does",
            should=wanted,
            related=nodes.declared,
            cause=CAUSE,
        )


@RULE.check
def nothing_stands_beside_it(nodes: NodeGroup) -> Findings:
    _only_blocks(nodes)
    near = placement(nodes)
    if not near.says_nothing and near.text != "":
        yield fail(
            near,
            f"{nodes.title} has a capacity block and a placement group",
            is_=", ".join(each.title for each in placement_groups(nodes).found) or near.located().shown(),
            should="no placement group: what runs in a block stands together already",
            related=nodes.declared,
            cause=CAUSE,
            remedy="remove it",
        )
    for name in NOT_BESIDE_IT:
        said = nodes.groups(name)
        if not said.says_nothing:
            yield fail(
                said,
                f"{nodes.title} has a capacity block and a {name}, which do not go together",
                is_=name,
                should="launchTemplate" if name == "mixedInstancesPolicy" else f"no {name}",
                related=nodes.declared,
                cause=CAUSE,
            )


@RULE.check
def it_starts_in_the_blocks_zone(nodes: NodeGroup) -> Findings:
    _only_blocks(nodes)
    declared = nodes.fleet.network.zone if nodes.fleet is not None and nodes.pool is not None else None
    # The fleet's default is the zone of what it would build itself, and no word about a block.
    zone = need(declared) if declared is not None and declared.written else None
    pinned = pinned_zone(nodes)
    found = [*([] if pinned is None else [pinned]), *zones(nodes)]
    related = list(nodes.declared)
    if zone is None and pinned is not None:
        zone = need(pinned)
        related.append(Related(pinned.place, f"the launch template pins its nodes to {zone}"))
    if zone is None and len(found) < 2:
        for each in found:
            need(each)
        skip(ToGive("nothing says in which zone a capacity block is", "say it in the fleet (network.zone)"))
    for each in found:
        zone = zone or need(each)
        if need(each) != zone:
            yield fail(
                each,
                f"{nodes.title} may start its nodes in another zone than that of its capacity block",
                should=zone,
                related=related,
                cause=CAUSE,
            )


@RULE.check
def it_starts_what_its_reservation_holds(nodes: NodeGroup) -> Findings:
    held = reservations(nodes).found
    if is_block(nodes) or len(held) != 1:
        skip(f"{nodes.title} is told to run in no reservation of this stack that is no block")
    pinned = pinned_zone(nodes)
    starts = {
        "availabilityZone": [pinned] if pinned is not None else list(zones(nodes)),
        "instanceType": list(written_types(nodes)),
    }
    for name, found in starts.items():
        wanted = held[0].get(name).located()
        if not found or wanted.shown() in [each.shown() for each in found if isinstance(each.state, Known)]:
            continue
        is_ = ", ".join(str(need(each)) for each in found)
        yield fail(
            found[0],
            f"{nodes.title} starts nothing of the {_NAMED[name]} of the reservation that it is told to run in",
            is_=is_,
            should=str(need(wanted)),
            related=[*nodes.declared, Related(wanted.place, f"{held[0].title} is for {wanted.shown()}")],
            cause="a reservation holds machines of one type in one zone: nothing is started in it, and it is paid for "
            "all the same",
            remedy=f"let both have one {_NAMED[name]}",
        )


def _only_blocks(nodes: NodeGroup) -> None:
    if is_block(nodes):
        return
    said = market(nodes)
    is_ours = nodes.template is not None and not nodes.template.is_read
    if is_ours and isinstance(said.value, Unknown) and has_gpus(nodes).state != Known(False):
        need(said.located())
    skip(f"{nodes.title} does not run in a capacity block")


def _wanted(nodes: NodeGroup) -> str | None:
    return nodes.pool.capacity.id if nodes.pool is not None else None
