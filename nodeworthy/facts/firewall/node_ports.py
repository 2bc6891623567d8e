"""A rule for kubelet's port or NodePorts that lets in more than the fleet, or anybody, means to."""

from __future__ import annotations

import ipaddress
import re
from collections.abc import Iterator, Sequence

from nodeworthy.facts.firewall.firewall import Filter, FirewallStep, Side
from nodeworthy.facts.firewall.pod_needs import Pods
from nodeworthy.facts.firewall.ranges import Range, is_world, range_of
from nodeworthy.fleet.model import Network
from nodeworthy.patterns import pattern
from nodeworthy.records import dataclass
from nodeworthy.verdict import Draft, Known, Related, fail, unknown

KUBELET = 10250
NODE_PORTS = range(30000, 32768)
_PORTS = pattern(r"(?:(tcp|udp) )?port ([\d:,-]+)(?: a few connections)?")
_KUBELET = "whoever reaches the node may knock at kubelet's API, which runs commands in its pods"
_NODE_PORTS = "every service that has a NodePort, now or later, is reached by whoever reaches the node"


@dataclass(frozen=True)
class _Opened:
    """What of a rule is a node's own."""

    kubelet: bool
    node_ports: int

    @property
    def named(self) -> str:
        parts = ["kubelet's API"] if self.kubelet else []
        return " and ".join([*parts, *(["NodePorts"] if self.node_ports else [])])

    @property
    def cause(self) -> str:
        return "; ".join([*([_KUBELET] if self.kubelet else []), *([_NODE_PORTS] if self.node_ports else [])])


def opens_to_others(rule: Filter, step: FirewallStep, pods: Pods) -> Iterator[Draft]:
    if rule.side is not Side.IN or rule.is_narrowed:
        return
    opened = _opened(rule, pods.network)
    if opened is None:
        return
    if is_world(rule.source):
        are = "are" if opened.node_ports else "is"
        yield _flaw(f"{opened.named} {are} open to everybody", rule, step, opened, pods.network)
    elif rule.source.holes:
        why = f"whether {rule.source.shown()} is everybody is not known: {rule.source.why}"
        yield unknown(step.place, why)
    elif opened.node_ports and _is_wider(rule, pods):
        says = f"NodePorts are open to {rule.source.shown()}, to whom the fleet does not open them"
        yield _flaw(says, rule, step, _Opened(False, opened.node_ports), pods.network)


def _opened(rule: Filter, network: Network | None) -> _Opened | None:
    """Kubernetes' own table of ports opens NodePorts to everybody: it is a fleet that asks for less, or nobody."""
    said = _PORTS.fullmatch(rule.limits)
    if said is None:
        return None
    public = {each.port for each in network.open_to_the_world} if network is not None else set()
    ranges = [_range(each) for each in said[2].split(",") if each]
    kubelet = said[1] != "udp" and KUBELET not in public and any(KUBELET in each for each in ranges)
    node_ports = len({port for each in ranges for port in _within(each, NODE_PORTS)} - public)
    found = _Opened(kubelet, node_ports if network is not None else 0)
    return found if found.named else None


def _range(said: str) -> range:
    first, *last = re.split("[:-]", said)
    return range(int(first or 0), int((last or [first])[0] or 65535) + 1)


def _within(ports: range, others: range) -> range:
    return range(max(ports.start, others.start), min(ports.stop, others.stop))


def _is_wider(rule: Filter, pods: Pods) -> bool:
    """Whether others get in than those whom the fleet names; pods and nodes reach NodePorts as they reach services."""
    source = range_of(rule.source)
    if pods.network is None or source is None or not any(each.written for each in pods.network.node_ports_from):
        return False
    own = [each for each in (pods.pod_range, pods.service_range) if each is not None]
    return not any(_holds(each, source) for each in (*_named(pods.network), *own))


def _named(network: Network) -> Sequence[Range]:
    states = [each.state for each in (*network.node_ports_from, network.vpc_cidr)]
    return [ipaddress.ip_network(str(each.value), strict=False) for each in states if isinstance(each, Known)]


def _holds(one: Range, other: Range) -> bool:
    return one.version == other.version and other.subnet_of(one)  # type: ignore[arg-type]


def _flaw(says: str, rule: Filter, step: FirewallStep, opened: _Opened, network: Network | None) -> Draft:
    should = "; ".join(_narrow(opened, rule, network))
    return fail(
        step.place,
        says,
        should=should,
        cause=opened.cause,
        is_=step.command,
        remedy=f"instead: {should}",
        related=_declared(opened, network),
    )


def _narrow(opened: _Opened, rule: Filter, network: Network | None) -> Iterator[str]:
    proto = rule.limits.partition(" ")[0] if rule.limits.startswith(("tcp", "udp")) else "tcp"
    if opened.kubelet:
        nodes = network.vpc_cidr.state if network is not None else None
        yield f"ufw allow from {nodes.value if isinstance(nodes, Known) else '10.0.0.0/8'} to any port 10250 proto tcp"
    if opened.node_ports:
        states = [each.state for each in network.node_ports_from] if network is not None else []
        for each in [str(state.value) for state in states if isinstance(state, Known)] or ["10.0.0.0/8"]:
            yield f"ufw allow from {each} to any port 30000:32767 proto {proto}"


def _declared(opened: _Opened, network: Network | None) -> tuple[Related, ...]:
    if network is None or not opened.node_ports:
        return ()
    return tuple(
        Related(each.place, f"the fleet opens NodePorts to {each.shown()}")
        for each in network.node_ports_from
        if each.written
    )
