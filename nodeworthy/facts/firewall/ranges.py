"""Addresses that rules name: whether a range holds another one, or is everybody's; and what routes tell of them."""

from __future__ import annotations

import ipaddress
from collections.abc import Iterable, Sequence
from functools import reduce

from nodeworthy.boot.text import Text
from nodeworthy.known.pod_interfaces import Cni, holds
from nodeworthy.records import dataclass

Range = ipaddress.IPv4Network | ipaddress.IPv6Network
_PRIVATE = [ipaddress.ip_network(each) for each in ("10.0.0.0/8", "172.16.0.0/12", "192.168.0.0/16", "100.64.0.0/10")]
# Of a range of which nobody says whose it is: as large as a cluster's, as small as one node's or as somebody's office.
_A_CLUSTERS, _A_NODES = 20, 28
# More addresses than anybody has for himself.
_WORLD = 7


def holds_range(addresses: Text, wanted: Range | None) -> bool | None:
    if not addresses:
        return True
    found = range_of(addresses)
    if found is None:
        return None
    if wanted is not None:
        return found.version == wanted.version and wanted.subnet_of(found)  # type: ignore[arg-type]
    if found.version == 6:
        return None
    if found.prefixlen <= _WORLD:
        return True
    if not is_private(found):
        return False
    return True if found.prefixlen <= _A_CLUSTERS else (None if found.prefixlen <= _A_NODES else False)


def range_of(addresses: Text) -> Range | None:
    try:
        return ipaddress.ip_network(addresses.string, strict=False)
    except ValueError:
        return None


def private_block(seen: Range | None) -> Range:
    """The whole private block that holds these pods' range: most rules are written for that."""
    blocks = (each for each in _PRIVATE if seen is not None and seen.version == 4 and seen.subnet_of(each))  # type: ignore[arg-type]
    return next(blocks, seen or _PRIVATE[0])


def is_private(found: Range) -> bool:
    return found.version == 6 or any(found.subnet_of(each) for each in _PRIVATE if each.version == found.version)


def is_world(addresses: Text) -> bool:
    """Whether these are everybody's addresses; what is not known is nobody's."""
    if not addresses:
        return True
    found = range_of(addresses)
    return found is not None and found.prefixlen <= _WORLD


@dataclass(frozen=True)
class Route:
    interface: str
    network: Range
    # No other machine stands between.
    is_direct: bool


def range_of_pods(routes: Iterable[Route], networks: Sequence[Cni]) -> Range | None:
    """The smallest range that holds all to which pods' interfaces lead."""
    ends = [end for each in networks for end in (*each.pods, *each.own)]
    found = [each.network for each in routes if any(holds(end, each.interface) for end in ends)]
    return reduce(_around, found) if found else None


def range_of_neighbours(routes: Iterable[Route], uplink: str) -> Range | None:
    """The largest network in which the uplink itself stands."""
    found = [each.network for each in routes if each.interface == uplink and each.is_direct]
    return min((each for each in found if not each.is_link_local), key=lambda each: each.prefixlen, default=None)


def _around(one: Range, other: Range) -> Range:
    while not other.subnet_of(one):  # type: ignore[arg-type] # both are of one family
        one = one.supernet()
    return one
