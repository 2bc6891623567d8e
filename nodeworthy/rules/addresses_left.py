"""The subnets of a pool have addresses for one node more.

A node takes addresses when it starts, not when its pods do: EKS' network plugin takes all of its first interface, and
there is one for each other interface that has any. A subnet without them starts no machine; or it starts one whose pods
get no address.
"""

from __future__ import annotations

from nodeworthy.facts.aws.node_sides import pods_are_in_its_network
from nodeworthy.facts.aws.room import SubnetRoom
from nodeworthy.rule import Rule
from nodeworthy.verdict import Findings, Severity, fail, need, skip, unknown

RULE = Rule(
    "addresses-left",
    severity=Severity.WARNING,
    title="The subnets of a pool have addresses for one surge node",
    remedy="a larger subnet or one more for the group; or prefixes for pods (ENABLE_PREFIX_DELEGATION)",
)


@RULE.check
def one_node_more_fits(room: SubnetRoom) -> Findings:
    free = need(room.free)
    if not free:
        skip(f"the group of {room.nodes.title} names no subnet that is there")
    by_type = need(room.one_node) if pods_are_in_its_network(room.nodes) else {"": 1}
    wanted, subnet, most = min(by_type.values()), *max(free, key=lambda each: each[1])
    too_large = [kind for kind, one in by_type.items() if one > most]
    if not too_large:
        return
    if most >= wanted:
        yield unknown(room, f"{most} addresses in {subnet} carry no {' and no '.join(too_large)} of {room.nodes.title}")
        return
    yield fail(
        room,
        f"no subnet of {room.nodes.title} has addresses for one node more",
        is_=f"{most} free in {subnet}{f', fewer in {len(free) - 1} more' if len(free) > 1 else ''}",
        should=f"at least {wanted}",
        related=room.nodes.declared,
        cause="a machine is not started, or its pods get no address and wait in ContainerCreating",
    )
