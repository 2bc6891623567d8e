"""What pods need of a firewall, and whether one of its rules gives it: the four rules of the incident, by their use."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from enum import Enum

from nodeworthy.boot.text import Text
from nodeworthy.facts.firewall.firewall import Filter, Side
from nodeworthy.facts.firewall.ranges import Range, holds_range, is_world, private_block, range_of
from nodeworthy.fleet.model import Network
from nodeworthy.known.pod_interfaces import (
    Cni,
    first_of,
    holds,
    is_a_networks_own,
    is_one_pods,
    is_uplink,
    networks_named_in,
)
from nodeworthy.records import dataclass, replace
from nodeworthy.verdict import Related

# Interfaces that are neither pods' nor the uplink.
_OTHERS = ("lo", "docker", "br-", "virbr", "wg", "tailscale", "tun", "tap", "lxd")


@dataclass(frozen=True)
class Pods:
    """Where pods' traffic comes from, as far as anybody says it."""

    pod_range: Range | None = None
    service_range: Range | None = None
    # Those that they may have; empty where it may be any.
    networks: tuple[Cni, ...] = ()
    # What shows that, and whether it only speaks of it, or stands in a file beside it.
    shown: tuple[Related, ...] = ()
    is_guessed: bool = False
    # The distribution, where the network is the one that it brings.
    distribution: str = ""
    # The ranges that are usual there, which nobody has to have.
    usual_range: Range | None = None
    usual_services: Range | None = None
    # Both are those of a node, and its rules are all that it has.
    are_seen: bool = False
    # Its name; of a script, as it is written there: `$IFACE`.
    uplink: str = ""
    # Who may reach the node's ports, where a fleet says so.
    network: Network | None = None
    # What a node's routes say, where a fleet says nothing: its own pods' addresses, and other nodes'.
    seen_range: Range | None = None
    neighbours: Range | None = None
    # What is asked is asked of IPv6's packets, by tables of their own.
    is_ipv6: bool = False
    # Other nodes' pods come in packets of the nodes, and then by an interface of the network's own.
    is_overlaid: bool = False
    # The address of the API server that the node joins: a node's, which no pod of an overlay has.
    server: Range | None = None

    @property
    def interface(self) -> str:
        return first_of(self.networks)

    @property
    def ranges(self) -> Sequence[Range]:
        """The ranges for the rules of a remedy, that of pods first. None where nobody knows any."""
        own = self.pod_range or self.seen_range or self.usual_range
        return [each for each in (own, self.service_range or self.usual_services) if each is not None]


class Way(Enum):
    """Which way packets go, what for, and what lets them."""

    LEAVE = (Side.ROUTED, "nothing that pods send leaves the node, not even to a name server")
    REACH = (Side.ROUTED, "nobody outside of the node reaches its pods: other nodes' pods, webhooks, NodePorts")
    TO_NODE = (Side.IN, "pods do not reach the node itself: kubelet, a resolver on the node, the API server on it")
    FROM_NODE = (Side.OUT, "the node does not reach pods and services: kubelet's probes fail")

    @property
    def side(self) -> Side:
        return self.value[0]

    @property
    def without(self) -> str:
        return self.value[1]


@dataclass(frozen=True)
class Need:
    way: Way
    # The addresses that it is about; None where nobody says which.
    range: Range | None = None

    def rules(self, pods: Pods, uplink: str) -> Iterator[str]:
        """How ufw is told; a range that is only usual there is named, and that of services with it."""
        if self.range is None and self.way in (Way.TO_NODE, Way.FROM_NODE) and pods.ranges:
            yield from (replace(self, range=each).rule(pods, uplink) for each in pods.ranges)
        else:
            yield self.rule(pods, uplink)

    def rule(self, pods: Pods, uplink: str) -> str:
        if self.way in (Way.LEAVE, Way.REACH):
            return self._route(pods, uplink)
        addresses = (
            self.range if self.range is not None and self.range != pods.seen_range else private_block(pods.seen_range)
        )
        return f"ufw allow from {addresses}" if self.way is Way.TO_NODE else f"ufw allow out to {addresses}"

    def _route(self, pods: Pods, uplink: str) -> str:
        """The rule of ufw, by the interfaces of the pods' network; where nobody knows them, by the pods' addresses."""
        leaves = self.way is Way.LEAVE
        if not pods.networks and pods.ranges:
            return f"ufw route allow {'from' if leaves else 'to'} {pods.ranges[0]}"
        come, go = (pods.interface, uplink) if leaves else (uplink, pods.interface)
        return f"ufw route allow in on {come} out on {go}"


def needs(pods: Pods) -> list[Need]:
    own = pods.pod_range or pods.seen_range
    known = [each for each in (own, pods.service_range) if each is not None]
    ranges: Sequence[Range | None] = known or [None]
    routed = [Need(way, own) for way in (Way.LEAVE, Way.REACH)]
    return [*routed, *(Need(way, each) for way in (Way.TO_NODE, Way.FROM_NODE) for each in ranges)]


def covers(need: Need, rule: Filter, pods: Pods) -> bool | None:
    """Whether a rule is about all of these packets; None where that can't be known."""
    about = _is_about(need, rule, pods)
    if about is False or not rule.unless:
        return about
    # Where some addresses alone are not let through, all others are.
    lacks = [each for each in rule.unless if not rule.allows or is_about_everybody(need, each)]
    gone = [covers(need, each, pods) for each in lacks]
    if True in gone:
        return False
    return None if None in gone else about


def is_gone(need: Need, rule: Filter, pods: Pods) -> bool | None:
    """Whether these packets have left before a rule that would be about them; None where that can't be known."""
    if _is_about(need, rule, pods) is not True:
        return True
    answer = covers(need, rule, pods)
    return None if answer is None else not answer


def is_about_everybody(need: Need, rule: Filter) -> bool:
    """Whether the other end of these packets may be anybody's, for a rule."""
    return is_world(rule.source if need.way in (Way.REACH, Way.FROM_NODE) else rule.to)


def _is_about(need: Need, rule: Filter, pods: Pods) -> bool | None:
    if rule.side is not need.way.side or rule.limits:
        return False
    if need.way is Way.LEAVE:
        others = _wide(rule.to) and not _is_pods_own(rule.to, pods)
        parts = [_pods(rule.in_, pods), _elsewhere(rule.out, pods), holds_range(rule.source, need.range), others]
    elif need.way is Way.REACH:
        others = holds_range(rule.source, pods.neighbours) and not _is_pods_own(rule.source, pods)
        parts = [_elsewhere(rule.in_, pods), _pods(rule.out, pods), others, holds_range(rule.to, need.range)]
    elif need.way is Way.TO_NODE:
        parts = [_pods(rule.in_, pods), _holds(rule.source, need, pods), _wide(rule.to)]
    else:
        parts = [_pods(rule.out, pods), _holds(rule.to, need, pods), _wide(rule.source)]
    if False in parts:
        return False
    return None if None in parts or rule.is_narrowed else True


def _holds(addresses: Text, need: Need, pods: Pods) -> bool | None:
    """Where a range is only usual, another one that is large enough for a cluster may be its pods'."""
    held = holds_range(addresses, need.range)
    usual = pods.usual_range
    if need.range is not None or usual is None or held is False or not addresses or is_world(addresses):
        return held
    found = range_of(addresses)
    if found is None or holds_range(addresses, usual):
        return held
    if pods.is_overlaid and pods.server is not None and holds_range(addresses, pods.server):
        return False
    return None if held else False


def _pods(name: Text, pods: Pods) -> bool | None:
    """Whether an interface of a rule is that of all pods. No interface is every one."""
    if not name:
        return True
    written = name.known
    if written is None:
        return None
    named = networks_named_in(written)
    if named:
        keys = {each.key for each in pods.networks}
        return not keys or bool(keys.intersection(each.key for each in named)) or (False if pods.are_seen else None)
    if is_one_pods(written) or is_uplink(written) or is_a_networks_own(written) or written.startswith(_OTHERS):
        return False
    return False if pods.are_seen else None


def _elsewhere(name: Text, pods: Pods) -> bool:
    """Whether it leads out of the node: what nobody else's is, is the uplink's."""
    written = name.known
    if written and pods.uplink and pods.are_seen:
        return holds(written, pods.uplink)
    if not written or is_uplink(written):
        return True
    return not (networks_named_in(written) or is_one_pods(written) or written.startswith(_OTHERS))


def _is_pods_own(addresses: Text, pods: Pods) -> bool:
    """Whether nobody but pods has these addresses."""
    found = range_of(addresses)
    return found is not None and pods.pod_range is not None and bool(holds_range(Text.of(str(pods.pod_range)), found))


def _wide(addresses: Text) -> bool | None:
    """Whether the other end may be anybody, or at least all of a private network."""
    return holds_range(addresses, None)
