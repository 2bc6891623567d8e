"""Reachability: the openings of one side compared with the groups and networks of the other."""

from __future__ import annotations

import ipaddress
from collections.abc import Iterable, Sequence

from nodeworthy.facts.aws.security_group import ALL, Opening, SecurityGroup, Way, network_of
from nodeworthy.facts.aws.stack import AwsResource
from nodeworthy.records import dataclass
from nodeworthy.verdict import Known, Located, Unknown

Network = ipaddress.IPv4Network | ipaddress.IPv6Network


@dataclass(frozen=True)
class Side:
    """One side of a connection: its security groups, and the networks that its addresses are of."""

    groups: Sequence[SecurityGroup]
    networks: tuple[Network, ...] = ()
    # Of groups that guard it, those of which nothing is known; and why.
    unseen: str = ""

    @property
    def resources(self) -> set[AwsResource]:
        return {each.resource for each in self.groups}

    def openings(self, way: Way) -> list[Opening]:
        return [each for group in self.groups for each in group.openings if each.way is way]

    @property
    def unread(self) -> str:
        return self.unseen or next((why for group in self.groups if (why := group.unread)), "")


@dataclass(frozen=True)
class Ports:
    protocol: str
    first: int
    last: int

    def __str__(self) -> str:
        return f"{self.protocol} {self.first if self.first == self.last else f'{self.first}-{self.last}'}"


def lets_out(source: Side, target: Side, ports: Ports) -> bool | str:
    return _opens(source, Way.OUT, target, ports)


def lets_in(target: Side, source: Side, ports: Ports) -> bool | str:
    return _opens(target, Way.IN, source, ports)


def _opens(guarded: Side, way: Way, other: Side, ports: Ports) -> bool | str:
    """Whether the openings of one side together let the other through on every one of these ports."""
    open_ports: list[tuple[int, int]] = []
    doubt = guarded.unread or other.unseen
    for each in guarded.openings(way):
        speaks, concerns = each.touches(ports.protocol, ports.first, ports.last), _concerns(each, other)
        if speaks is False or concerns is False:
            continue
        if speaks is None or isinstance(concerns, str):
            doubt = doubt or (concerns if isinstance(concerns, str) else f"the ports of {each.place} are not known")
            continue
        open_ports.append(_range(each))
    return _all_of(ports, open_ports) or doubt or False


def _range(opening: Opening) -> tuple[int, int]:
    if opening.protocol.state == Known(ALL):
        return 0, 65535
    first, last = opening.first.state, opening.last.state
    assert isinstance(first, Known)
    assert isinstance(last, Known)
    return first.value, last.value


def _all_of(ports: Ports, ranges: Iterable[tuple[int, int]]) -> bool:
    missing = ports.first
    for first, last in sorted(ranges):
        if first > missing:
            return False
        missing = max(missing, last + 1)
        if missing > ports.last:
            return True
    return False


def _concerns(opening: Opening, other: Side) -> bool | str:
    """Whether the opening is meant for the other side; a text where that is not known."""
    if other.resources & set(opening.groups.found):
        return True
    ranges = [_covers(each, other.networks) for each in opening.ranges]
    if any(each is True for each in ranges):
        return True
    unknown: list[Located[str]] = [*opening.groups.open, *opening.prefix_lists]
    unknown += [each for each, covers in zip(opening.ranges, ranges, strict=True) if covers is None]
    if not unknown:
        return False
    state = unknown[0].state
    return state.why if isinstance(state, Unknown) else f"whom {state.value} lets through is not known"


def _covers(located: Located[str], networks: tuple[Network, ...]) -> bool | None:
    """Whether a range holds all of these networks; None where that is not known."""
    if isinstance(located.state, Unknown):
        return None
    network = network_of(str(located.state.value))
    if network is None:
        return None
    if network.prefixlen == 0:
        return True
    if not networks:
        return None
    return all(each.version == network.version and each.subnet_of(network) for each in networks)  # type: ignore[arg-type]
