"""EFA is laid out whole: every interface, on its card, in one zone, close together, behind a group open to itself.

Each of these parts can be missing without a word: a job over several nodes then falls back to TCP, which is slow, or
hangs in its first all-reduce. A type's EFA interfaces are all there, each on a network card of its
own. The primary one (card 0, device 0) carries the node's address; on the other cards an interface with an address is
device 1, and one that is EFA alone (`efa-only`) is device 0 or 1. With several interfaces AWS assigns no public
address. EFA does not leave its zone, and is fast within one cluster placement group; a capacity block and a
reservation bring their own. A security group lets EFA through where it is open to itself, in and out, for all
traffic: 0.0.0.0/0 does not count.

What asks for it: a launch template with an EFA interface, or a pool of several nodes whose GPUs talk through
NVSwitches, which are bought to work together. Other types may have EFA and leave it: they mostly serve models, each for
itself. So may a pool of one node, which has nobody to talk to. A pod that is to use EFA (`FI_PROVIDER=efa`) asks for
`vpc.amazonaws.com/efa`, which its device plugin offers where that runs; on p6-b200, whose other devices look like those
of EFA, the plugin is 0.5.10 or newer, and no pod mounts all of `/dev/infiniband`. A queue of AWS ParallelCluster's
with `Efa: {Enabled: true}` has a type that has it, one subnet, and says whether its nodes stand together. On a node the
interfaces on the bus are counted, and those that the kernel offers to programs.
"""

from __future__ import annotations

from collections.abc import Sequence

from nodeworthy.facts.aws.efa_group import EfaGroups
from nodeworthy.facts.aws.efa_interfaces import (
    Interface,
    asks_for_efa,
    has_to_have_efa,
    interfaces,
    misplaced_interfaces,
    none_near,
)
from nodeworthy.facts.aws.node_capacity import is_block, is_one_subnet, is_reserved, placement, placement_groups, zones
from nodeworthy.facts.aws.node_group import NodeGroup
from nodeworthy.facts.aws.node_types import instance_type, not_of_its_pool
from nodeworthy.facts.aws.security_group import Way
from nodeworthy.known.efa import Efa, efa_of
from nodeworthy.records import replace
from nodeworthy.rule import Rule
from nodeworthy.verdict import Findings, Known, Related, Severity, Unknown, fail, need, skip, unknown

RULE = Rule(
    "efa-complete",
    severity=Severity.ERROR,
    incident="D",
    title="EFA has its interfaces, cards, a security group open to itself both ways, one zone, one placement group",
    remedy="give the launch template one EFA interface a network card (networkCardIndex 0, 1, 2, …; deviceIndex 0 on "
    "the first, 1 on the others), subnets of one zone, and a placement group with strategy `cluster`",
    of_a_program=True,
)

SLOW = "jobs over several nodes fall back to TCP, or hang in their first collective"
REFUSED = "EC2 refuses to start the node"


@RULE.check
def every_interface_is_there(nodes: NodeGroup) -> Findings:
    if not has_to_have_efa(nodes):
        skip(f"{nodes.title} does not ask for EFA")
    if not_of_its_pool(nodes):
        skip(f"{nodes.title} is built of other instances than the fleet says, of which gpu-exists tells")
    of_its_type = instance_type(nodes)
    name = str(need(of_its_type))
    has = efa_of(name)
    every = interfaces(nodes)
    laid_out = [each for each in every if each.is_efa]
    if has is None:
        yield unknown(nodes, f"how many EFA interfaces {name} has is not known", related=nodes.declared)
    elif not has.interfaces:
        yield fail(
            laid_out[0].tree.get("interfaceType"),
            f"{nodes.title} asks for EFA, which {name} does not have",
            is_=laid_out[0].kind,
            should="no interfaceType, or a type with EFA",
            related=[Related(of_its_type.place, f"its machines are {name}"), *nodes.declared],
            cause=REFUSED,
        )
    else:
        yield from _count(nodes, name, has, laid_out)
        yield from _places(nodes, has, every)


def _count(nodes: NodeGroup, name: str, has: Efa, laid_out: Sequence[Interface]) -> Findings:
    if len(laid_out) == has.interfaces:
        return
    said = nodes.templates("networkInterfaces")
    yield fail(
        said.heading,
        f"{nodes.title} does not have the EFA interfaces of {name}",
        is_=f"{len(laid_out) or 'no'} EFA interface{'' if len(laid_out) == 1 else 's'}",
        should=f"{has.interfaces}: one on each network card from {has.first_card} on",
        related=nodes.declared,
        cause=SLOW if len(laid_out) < has.interfaces else REFUSED,
    )


def _places(nodes: NodeGroup, has: Efa, every: Sequence[Interface]) -> Findings:
    for each in misplaced_interfaces(every, has) if every else ():
        message = f"{each.message} in the launch template of {nodes.title}"
        yield replace(each, message=message, related=tuple(nodes.declared), cause=REFUSED)
    public = [each.public for each in every if str(need(each.public)).lower() == "true"]
    if len(every) > 1 and public:
        yield fail(
            public[0],
            f"{nodes.title} asks for a public address beside several interfaces",
            should="no associatePublicIpAddress",
            related=nodes.declared,
            cause=f"{REFUSED}: it assigns one only where there is one interface",
            remedy="remove it; nodes reach the internet through a NAT gateway",
        )


@RULE.check
def it_is_in_one_zone(nodes: NodeGroup) -> Findings:
    if not _lays_out_efa(nodes):
        skip(f"{nodes.title} does not ask for EFA")
    if is_block(nodes):
        skip("a capacity block has a zone of its own: capacity-block-placed says whether its nodes start there")
    if is_one_subnet(nodes):
        return
    found = sorted(zones(nodes), key=lambda each: each.place.row)
    if not found:
        skip(f"nothing here says where {nodes.title} is started")
    first = next((each for each in found if isinstance(each.state, Known)), found[0])
    for each in found:
        if need(each) != need(first):
            yield fail(
                each,
                f"{nodes.title} has EFA and may start its nodes in several zones",
                should=f"one zone: {need(first)}",
                related=nodes.declared,
                cause="EFA does not leave its zone",
                remedy="give the group the subnets of one zone",
            )


@RULE.check
def it_stands_close_together(nodes: NodeGroup) -> Findings:
    if not _lays_out_efa(nodes) or nodes.group is None or is_block(nodes) or is_reserved(nodes):
        skip(f"where the nodes of {nodes.title} stand is not its business")
    near = placement(nodes)
    if near.says_nothing:
        yield from none_near(nodes, SLOW)
        return
    links = placement_groups(nodes)
    for each in links.found:
        strategy = each.get("strategy").located()
        if each.is_read:
            yield unknown(near, f"what kind of placement group {each.title} is is not of this stack")
        elif need(strategy) != "cluster":
            yield fail(
                strategy,
                f"the placement group of {nodes.title}, which has EFA, does not keep its nodes together",
                should="cluster",
                related=nodes.declared,
                cause=SLOW,
                remedy='strategy="cluster"',
            )
    if not links.found:
        yield unknown(
            near, f"what kind of placement group {nodes.title} starts in is not known: it is not of this stack"
        )


def _lays_out_efa(nodes: NodeGroup) -> bool:
    return asks_for_efa(nodes).state == Known(True)


_LETS_THROUGH = {
    Way.IN: "aws.vpc.SecurityGroupIngressRule(…, security_group_id=group.id, referenced_security_group_id=group.id, "
    'ip_protocol="-1")',
    Way.OUT: "aws.vpc.SecurityGroupEgressRule(…, security_group_id=group.id, referenced_security_group_id=group.id, "
    'ip_protocol="-1")',
}


@RULE.check
def its_groups_let_it_through(efa: EfaGroups) -> Findings:
    if not efa.groups and not efa.open:
        yield unknown(efa, "EFA interfaces have the network's default security group, of which nothing is known")
        return
    for way in Way:
        through = efa.lets_through(way)
        if isinstance(through.state, Unknown):
            why = f"whether EFA is let {way.value} is not known: {through.state.why}"
            yield unknown(through, why, on=efa.titles, related=efa.declared)
        if isinstance(through.state, Unknown) or through.state.value:
            continue
        to = "from" if way is Way.IN else "to"
        yield fail(
            efa.meant,
            f"{efa.meant.title} does not let EFA {way.value}",
            is_=f"no rule for all traffic {to} itself",
            should=f"all traffic {way.value}, {to} itself",
            on=efa.titles,
            related=efa.declared,
            cause=f"{SLOW}; a rule for 0.0.0.0/0 does not count for EFA",
            remedy=_LETS_THROUGH[way],
        )
