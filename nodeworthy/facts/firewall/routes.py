"""What a node's routes tell of addresses: those of its pods, and those of its neighbours."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import reduce

from nodeworthy.facts.firewall.ranges import Range
from nodeworthy.known.pod_interfaces import Cni, holds
from nodeworthy.records import dataclass


@dataclass(frozen=True)
class Route:
    interface: str
    network: Range
    # No other machine stands between.
    is_direct: bool


def of_pods(routes: Iterable[Route], networks: Sequence[Cni]) -> Range | None:
    """The smallest range that holds all to which pods' interfaces lead."""
    ends = [end for each in networks for end in (*each.pods, *each.own)]
    found = [each.network for each in routes if any(holds(end, each.interface) for end in ends)]
    return reduce(_around, found) if found else None


def of_neighbours(routes: Iterable[Route], uplink: str) -> Range | None:
    """The largest network in which the uplink itself stands."""
    found = [each.network for each in routes if each.interface == uplink and each.is_direct]
    return min((each for each in found if not each.is_link_local), key=lambda each: each.prefixlen, default=None)


def _around(one: Range, other: Range) -> Range:
    while not other.subnet_of(one):  # type: ignore[arg-type] # both are of one family
        one = one.supernet()
    return one
