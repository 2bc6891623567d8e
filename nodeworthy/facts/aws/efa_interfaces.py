"""The EFA interfaces that a launch template lays out, and what of the layout AWS would not start, or not use."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property

from nodeworthy.documents.tree import Tree
from nodeworthy.facts.aws.node_count import node_count
from nodeworthy.facts.aws.node_group import NodeGroup
from nodeworthy.facts.aws.node_types import instance_type
from nodeworthy.known.efa import Efa
from nodeworthy.known.instances import gpus_of
from nodeworthy.records import dataclass, replace
from nodeworthy.verdict import Draft, Findings, Located, Placed, Unknown, fail, need, value_if_known


def none_near(nodes: NodeGroup, slow: str) -> Findings:
    count = node_count(nodes)
    if need(count.max) in (0, 1) and (nodes.pool is None or nodes.pool.nodes <= 1):
        return
    yield fail(
        nodes,
        f"nodes of {nodes.title} have EFA and may stand anywhere in their zone",
        is_="no placement group",
        should="a placement group with strategy `cluster`",
        related=nodes.declared,
        cause=slow,
        remedy='aws.ec2.PlacementGroup(…, strategy="cluster"), and placement={"group_name": …} in the launch template',
    )


EFA, EFA_ONLY = "efa", "efa-only"


@dataclass(frozen=True)
class Interface:
    tree: Tree
    kind: str
    card: Located[int]
    device: Located[int]

    @property
    def is_efa(self) -> bool:
        return self.kind in (EFA, EFA_ONLY)

    @cached_property
    def position(self) -> tuple[int, int]:
        return need(self.card), need(self.device)

    @property
    def public(self) -> Located[object]:
        return self.tree.get("associatePublicIpAddress").located()

    @property
    def shown(self) -> str:
        return f"networkCardIndex: {self.card.shown()}, deviceIndex: {self.device.shown()}"


def interfaces(nodes: NodeGroup) -> Sequence[Interface]:
    return [_interface(each, nodes.of_interface(each, "interfaceType")) for each in nodes.interfaces]


def _interface(tree: Tree, kind: Tree) -> Interface:
    return Interface(tree, kind.string, _index(tree.get("networkCardIndex")), _index(tree.get("deviceIndex")))


def _index(tree: Tree) -> Located[int]:
    """The index that is written; the first card and the first device need none."""
    located = tree.located()
    if isinstance(located.state, Unknown):
        return located
    written = "0" if located.state.value is None else str(located.state.value)
    if not written.isdigit():
        return Located.unknown(f"{located.shown()} is no index", located.place)
    return Located.known(int(written), located.place)


def asks_for_efa(nodes: NodeGroup) -> Located[bool]:
    if nodes.template is None and not (nodes.is_managed and nodes.groups("launchTemplate").is_absent):
        return Located.unknown(f"which interfaces {nodes.title} has is not known: {nodes.no_template}", nodes.place)
    kinds = [nodes.of_interface(each, "interfaceType") for each in nodes.interfaces]
    if any(each.text in (EFA, EFA_ONLY) for each in kinds):
        return Located.known(True, nodes.place)
    laid_out = nodes.templates("networkInterfaces")
    for each in (laid_out, *kinds):
        if isinstance(each.value, Unknown):
            return Located(each.value, each.place)
    return Located.known(False, laid_out.place)


def has_to_have_efa(nodes: NodeGroup) -> bool:
    """Nodes that ask for it; and several nodes whose GPUs talk through NVSwitches, because they work together."""
    asked = asks_for_efa(nodes)
    together = nodes.pool is not None and nodes.pool.nodes > 1 and _has_nvswitches(nodes)
    if isinstance(asked.state, Unknown) and not together and not nodes.interfaces:
        return False
    return need(asked) or together


def _has_nvswitches(nodes: NodeGroup) -> bool:
    has = gpus_of(str(value_if_known(instance_type(nodes))))
    return has is not None and has.nvswitch


def misplaced_interfaces(laid_out: Sequence[Interface], has: Efa) -> Findings:
    """The first of each kind of fault: what is wrong with one interface is mostly wrong with all."""
    faults: dict[str, list[Draft]] = {}
    for found in _faults(laid_out, has):
        faults.setdefault(found.message, []).append(found)
    for first, *others in faults.values():
        yield replace(first, is_=f"{first.is_}, and so are {len(others)} more") if others else first


def _fault(each: Interface, message: str, should: str) -> Draft:
    where: Placed = each.card if each.card.written else each.tree
    return fail(where, message, is_=each.shown, should=should)


def _faults(laid_out: Sequence[Interface], has: Efa) -> Findings:
    primary = [each for each in laid_out if each.position == (0, 0)]
    if not primary:
        yield _fault(laid_out[0], "no interface is the primary one", "one on network card 0 with deviceIndex: 0")
    taken: set[tuple[int, int]] = set()
    on_card: set[int] = set()
    cards = range(has.first_card, has.first_card + has.interfaces)
    for each in laid_out:
        if each.is_efa and each.position[0] in on_card:
            yield _fault(each, "two EFA interfaces are on one network card", "the next networkCardIndex")
        elif each.position in taken:
            yield _fault(each, "two interfaces are on one network card and device", "the next networkCardIndex")
        elif each.is_efa and each.position[0] not in cards:
            should = f"one of the network cards {cards[0]} to {cards[-1]}"
            yield _fault(each, "an EFA interface is on a network card that takes none", should)
        else:
            yield from _wrong_device(each)
        taken.add(each.position)
        if each.is_efa:
            on_card.add(each.position[0])


def _wrong_device(each: Interface) -> Findings:
    # EC2 User Guide, "Maximize network bandwidth on instances with multiple network cards": the primary interface is
    # card 0, device 0, and never EFA alone. On other cards one with an address is device 1; EFA alone, which has none,
    # was device 1 in older editions and is device 0 in newer ones.
    card, device = each.position
    if card == 0 and device == 0 and each.kind == EFA_ONLY:
        yield _fault(each, "the primary interface is EFA alone, without an address", "interfaceType: efa")
    elif card > 0 and device == 0 and each.kind != EFA_ONLY:
        yield _fault(each, "an interface on a further network card is device 0", "deviceIndex: 1")
    elif card > 0 and device > 1 and each.is_efa:
        yield _fault(each, "an EFA interface on a further network card is no device of it", "deviceIndex: 1")
