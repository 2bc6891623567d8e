"""Where the machines of a group of nodes come from, and how near to each other they stand."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from nodeworthy.documents.tree import Tree
from nodeworthy.facts.aws.node_group import SUBNET, NodeGroup
from nodeworthy.facts.aws.stack import AwsResource, Links
from nodeworthy.fleet.model import CapacityKind
from nodeworthy.verdict import Known, Located, Unknown

_SUBNETS = ("vpcZoneIdentifiers", "subnetIds", "subnetId", "networkInterfaces")


def zones(nodes: NodeGroup) -> Sequence[Located[str | None]]:
    """Each with its place: the subnet's, else where it is named. Unknown for a subnet that is not of this stack."""
    named = [each.located() for each in nodes.groups("availabilityZones").sequence]
    own = nodes.templates("availabilityZone")
    if nodes.group is None and not own.says_nothing:
        named.append(own.located())
    return named or list(_of_subnets(nodes))


def pinned_zone(nodes: NodeGroup) -> Located[str | None] | None:
    """The zone in which the launch template has its nodes start, whatever their subnets; None where it does not say."""
    said = nodes.templates("placement", "availabilityZone")
    if said.says_nothing or (nodes.template is not None and nodes.template.is_read):
        return None
    return said.located()


def is_one_subnet(nodes: NodeGroup) -> bool:
    """Which zone that is in does not matter to those who only want one."""
    written = [value for _, _, value in _subnet_settings(nodes)]
    return len(written) == 1 and (len(written[0].sequence) == 1 or written[0].text is not None)


def _of_subnets(nodes: NodeGroup) -> Iterator[Located[str | None]]:
    for holder, top, value in _subnet_settings(nodes):
        links = nodes.stack.links(holder, top, value, SUBNET)
        yield from (_zone(each) for each in links.found)
        for each in links.open:
            why = each.state.why if isinstance(each.state, Unknown) else "it is not of this stack"
            yield Located.unknown(f"the zone of a subnet is not known: {why}", each.place)


def _subnet_settings(nodes: NodeGroup) -> Iterator[tuple[AwsResource, str, Tree]]:
    """What the group says wins over its template."""
    for holder in (each for each in (nodes.group, nodes.template) if each is not None):
        said = [(holder, top, value) for top in _SUBNETS for value in _values(holder, top)]
        if said:
            yield from said
            return


def _values(holder: AwsResource, top: str) -> list[Tree]:
    value = holder.get(top)
    inner = [each.get("subnetId") for each in value.sequence] if top == "networkInterfaces" else [value]
    return [each for each in inner if not each.says_nothing]


def _zone(subnet: AwsResource) -> Located[str | None]:
    for name in ("availabilityZone", "availabilityZoneId"):
        said = subnet.get(name)
        if not said.says_nothing:
            located = said.located()
            if name == "availabilityZone" or isinstance(located.state, Unknown):
                return located
            return Located.unknown(f"{subnet.title} names its zone by id: {located.state.value}", located.place)
    told = subnet.outputs.get("availabilityZone")
    if isinstance(told, str) and subnet.is_read:
        return Located(Known(told), subnet.place)
    return Located.unknown(f"nothing says in which zone {subnet.title} is", subnet.place)


PLACEMENT = "aws:ec2/placementGroup:PlacementGroup"
BLOCK = "aws:ec2/capacityBlockReservation:CapacityBlockReservation"
_RESERVATION = "aws:ec2/capacityReservation:CapacityReservation"
CAPACITY_BLOCK = "capacity-block"
_RESERVED = "capacityReservationSpecification"
_TARGET = (_RESERVED, "capacityReservationTarget")


def market(nodes: NodeGroup) -> Tree:
    return nodes.templates("instanceMarketOptions", "marketType")


def reservation(nodes: NodeGroup) -> Tree:
    """The id of the reservation that its nodes run in, else the group of reservations."""
    one = nodes.templates(*_TARGET, "capacityReservationId")
    several = nodes.templates(*_TARGET, "capacityReservationResourceGroupArn")
    return several if one.is_absent and not several.is_absent else one


def blocks(nodes: NodeGroup) -> Links:
    """The capacity block of this stack that its nodes run in."""
    if nodes.template is None:
        return Links()
    return nodes.stack.links(nodes.template, _RESERVED, nodes.templates(*_TARGET, "capacityReservationId"), BLOCK)


def reservations(nodes: NodeGroup) -> Links:
    """The reservation of this stack that is no block, and that its nodes are to run in."""
    if nodes.template is None:
        return Links()
    said = nodes.templates(*_TARGET, "capacityReservationId")
    return nodes.stack.links(nodes.template, _RESERVED, said, _RESERVATION)


def is_block(nodes: NodeGroup) -> bool:
    """Whether its nodes run in a capacity block, by the fleet's word or by their own."""
    if nodes.pool is not None and nodes.pool.capacity.kind is CapacityKind.BLOCK:
        return True
    if market(nodes).text == CAPACITY_BLOCK or nodes.groups("capacityType").text == "CAPACITY_BLOCK":
        return True
    return bool(blocks(nodes).found)


def is_reserved(nodes: NodeGroup) -> bool:
    """Whether its machines stand where a reservation has them, which no placement group of ours can change."""
    said = reservation(nodes)
    return not said.says_nothing


def placement(nodes: NodeGroup) -> Tree:
    """The placement group as it is named, absent or null where there is none."""
    said = [
        nodes.groups("placementGroup"),
        nodes.templates("placement", "groupName"),
        nodes.templates("placement", "groupId"),
        nodes.templates("placementGroup"),
        nodes.templates("placementGroupId"),
    ]
    return next((each for each in said if not each.says_nothing), said[1])


def placement_groups(nodes: NodeGroup) -> Links:
    """The placement group of this stack that is named so."""
    named = placement(nodes)
    links = Links()
    for holder in (each for each in (nodes.group, nodes.template) if each is not None):
        for top in ("placementGroup", "placement", "placementGroupId"):
            links = nodes.stack.links(holder, top, named, PLACEMENT)
            if links.found:
                return links
    return links
