"""Where the machines of a group of nodes come from, and how near to each other they stand."""

from __future__ import annotations

from nodeworthy.documents.tree import Tree
from nodeworthy.facts.aws.node_group import NodeGroup
from nodeworthy.facts.aws.stack import Links
from nodeworthy.fleet.model import CapacityKind

PLACEMENT = "aws:ec2/placementGroup:PlacementGroup"
BLOCK = "aws:ec2/capacityBlockReservation:CapacityBlockReservation"
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
    return not said.is_absent and not said.is_null


def placement(nodes: NodeGroup) -> Tree:
    """The placement group as it is named, absent or null where there is none."""
    said = [
        nodes.groups("placementGroup"),
        nodes.templates("placement", "groupName"),
        nodes.templates("placement", "groupId"),
        nodes.templates("placementGroup"),
        nodes.templates("placementGroupId"),
    ]
    return next((each for each in said if not each.is_absent and not each.is_null), said[1])


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
