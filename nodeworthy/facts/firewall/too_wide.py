"""What opens a firewall wider than pods need it: it is off, a policy lets everything through, a rule everybody."""

from __future__ import annotations

import ipaddress
import re
from collections.abc import Iterator, Sequence

from nodeworthy.boot.text import Text
from nodeworthy.facts.firewall.firewall import FIREWALLD, Chains, Filter, FirewallStep, Side
from nodeworthy.facts.firewall.firewalld import Firewalld, Zone
from nodeworthy.facts.firewall.pod_needs import Pods, needs
from nodeworthy.facts.firewall.ranges import Range, is_world, range_of
from nodeworthy.facts.firewall.remedies import Remedies, narrow
from nodeworthy.facts.firewall.state import Firewall
from nodeworthy.fleet.model import Network
from nodeworthy.known.pod_interfaces import is_uplink, networks_named_in, wants_it_off
from nodeworthy.patterns import pattern
from nodeworthy.records import dataclass
from nodeworthy.verdict import Draft, Related, fail, unknown, value_if_known

_OPEN = "everybody reaches every port of the node"
_PRIVATE = "10.0.0.0/8"


def _narrow_zone(pods: Pods) -> str:
    """What lets pods through, and nobody else."""
    return "; ".join(Remedies(Chains(FIREWALLD, owner=FIREWALLD), needs(pods), pods, "", {}).commands())


def _flaws_of_firewalld(firewalld: Firewalld, pods: Pods) -> Iterator[Draft]:
    config = firewalld.now
    default = config.zone("")
    by = config.chosen or default.opened
    if default.accepts and by is not None:
        yield _flaw(by, f"the default zone lets everything through: {_OPEN}", pods)
    for name, zone in config.zones.items():
        if zone.accepts and zone is not default:
            yield from _ends(name, zone, pods)


def _ends(name: str, zone: Zone, pods: Pods) -> Iterator[Draft]:
    for interface, step in zone.interfaces:
        if is_uplink(interface.string):
            says = f"the zone {name} lets everything through, and {interface.known} is in it: {_OPEN}"
            yield _flaw(step, says, pods)
    for source, step in _with_known_source(zone.sources):
        if is_world(source):
            yield _flaw(step, f"the zone {name} lets everything through, and everybody is in it: {_OPEN}", pods)
    for source, step in zone.sources:
        if source.holes:
            yield unknown(step.place, f"whether {source.shown()} is everybody is not known: {source.why}")


def _with_known_source(sources: Sequence[tuple[Text, FirewallStep]]) -> Iterator[tuple[Text, FirewallStep]]:
    yield from (each for each in sources if each[0].known)


def _flaw(step: FirewallStep, says: str, pods: Pods) -> Draft:
    cause = "pods need their own interfaces and ranges let through, and nobody else's"
    return fail(
        step.place,
        says,
        should=_narrow_zone(pods),
        cause=cause,
        is_=step.command,
        remedy=f"instead: {_narrow_zone(pods)}",
    )


# These narrow nothing that would be worth a word.
_EVERY_PORT = frozenset({"", "tcp", "udp", "port 1:65535", "tcp port 1:65535", "udp port 1:65535", "tcp port 0:65535"})
_OPENED = {
    Side.IN: "everybody reaches every port of the node",
    Side.ROUTED: "everything is forwarded, from every interface to every other one",
}


def flaws_of(firewall: Firewall, pods: Pods, *, is_declared: bool = False) -> Iterator[Draft]:
    """`is_declared`: a fleet says that its nodes have ufw, whatever the distribution's pages ask for."""
    off = firewall.switched_off
    if off is not None:
        if (is_declared and off.table != FIREWALLD) or not wants_it_off(pods.distribution, off.table):
            yield _off(off, pods)
        return
    if firewall.unanswered is not None and not firewall.is_up:
        yield _unanswered(firewall.unanswered, pods)
    if firewall.firewalld.runs is not None:
        yield from _flaws_of_firewalld(firewall.firewalld, pods)
    yield from _policies(firewall, pods)
    own = firewall.ufw.rules
    beside = [*firewall.before, *firewall.behind] if firewall.is_up else []
    uplinks = _uplinks([rule for rule, _ in [*own, *beside]], pods)
    for rule, step in [*own, *beside]:
        if rule.allows:
            yield from _rule(rule, step, pods, uplinks)
            if _comes_from_everywhere(rule, uplinks):
                yield from opens_to_others(rule, step, pods)


def _uplinks(rules: Sequence[Filter], pods: Pods) -> frozenset[str]:
    """The interfaces that are known to lead out. By another one, a private network's, not everybody comes."""
    ends = (end.string for rule in rules if rule.side is Side.ROUTED for end in (rule.in_, rule.out))
    return frozenset(("", "+", pods.uplink, *(end for end in ends if is_uplink(end))))


def _comes_from_everywhere(rule: Filter, uplinks: frozenset[str]) -> bool:
    return rule.in_.known in uplinks or rule.in_.shown() in uplinks


def _off(step: FirewallStep, pods: Pods) -> Draft:
    is_firewalld = step.table == FIREWALLD
    should = _narrow_zone(pods) if is_firewalld else narrow(pods)
    on = "systemctl enable --now firewalld" if is_firewalld else "ufw allow OpenSSH; ufw --force enable"
    opened = f"let through what pods need: {should}" if should else "pods' network lets them through by itself"
    return fail(
        step.place,
        f"{step.table} is switched off: nothing on this node keeps anybody from any of its ports",
        should=f"{on}; {should}" if should else on,
        cause="pods need what is theirs let through, and not that nothing is filtered; what stands before the node "
        "(a security group), if anything does, is all that is left",
        is_=step.command,
        remedy=f"instead of this line: {on}; and {opened}",
    )


def _unanswered(step: FirewallStep, pods: Pods) -> Draft:
    opened = narrow(pods)
    return fail(
        step.place,
        "ufw stays off: it asks whether to go on, and nobody answers",
        should="ufw --force enable",
        cause="under ssh `ufw enable` asks `Command may disrupt existing ssh connections. Proceed with operation "
        "(y|n)?`; it takes the rest of the script, which it is given to read, for the answer, says `Aborted`, and ends "
        "with 0; what it has read bash runs no more",
        is_=step.command,
        remedy=f"ufw --force enable{f', and before it what pods need: {opened}' if opened else ''}",
    )


def _policies(firewall: Firewall, pods: Pods) -> Iterator[Draft]:
    told = dict(firewall.ufw.policies)
    if firewall.is_up:
        told.update({side: each for side, each in firewall.kernel.policies.items() if each[0]})
    for side, (allows, step) in told.items():
        if not allows or step is None or side is Side.OUT:
            continue
        should = "; ".join(filter(None, (f"ufw default deny {side.value}", narrow(pods, side))))
        yield fail(
            step.place,
            f"{_OPENED[side]}, unless a rule denies it",
            should=should,
            cause=f"a default of allow ({side.value}) opens the node to everybody, where pods need a rule or two",
            is_=step.command,
            remedy=should,
        )


def _rule(rule: Filter, step: FirewallStep, pods: Pods, uplinks: frozenset[str]) -> Iterator[Draft]:
    if rule.side is Side.OUT or rule.is_narrowed or rule.limits not in _EVERY_PORT:
        return
    wide = _lets_everybody_in(rule, uplinks) if rule.side is Side.IN else _forwards_everything(rule)
    if wide:
        should = narrow(pods, rule.side)
        yield fail(
            step.place,
            f"this rule lets everything through: {_OPENED[rule.side]}",
            should=should or "no such rule",
            cause="pods need their own interfaces and ranges let through, and nobody else's",
            is_=step.command,
            remedy=f"instead: {should}" if should else "delete it: pods' network lets them through by itself",
        )
    elif rule.side is Side.IN and rule.source.holes and not networks_named_in(rule.in_.known or "-"):
        why = rule.source.why
        yield unknown(step.place, f"whether {rule.source.shown()} is everybody is not known: {why}")


def _lets_everybody_in(rule: Filter, uplinks: frozenset[str]) -> bool:
    return is_world(rule.source) and _comes_from_everywhere(rule, uplinks)


def _forwards_everything(rule: Filter) -> bool:
    ends = [each for each in (rule.in_, rule.out) if each and each.known != "+"]
    if len(ends) == 2 or any(each.known and not is_uplink(each.string) for each in ends):
        return False
    return is_world(rule.source) and is_world(rule.to) and not any(each.holes for each in ends)


# A rule for kubelet's port or NodePorts that lets in more than the fleet, or anybody, means to.


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
        yield _flaw_of_port(f"{opened.named} {are} open to everybody", rule, step, opened, pods.network)
    elif rule.source.holes:
        why = f"whether {rule.source.shown()} is everybody is not known: {rule.source.why}"
        yield unknown(step.place, why)
    elif opened.node_ports and _is_wider(rule, pods):
        says = f"NodePorts are open to {rule.source.shown()}, to whom the fleet does not open them"
        yield _flaw_of_port(says, rule, step, _Opened(False, opened.node_ports), pods.network)


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
    return not any(_holds(each, source) for each in (*_ranges_of(pods.network), *own))


def _ranges_of(network: Network) -> Sequence[Range]:
    said = filter(None, map(value_if_known, (*network.node_ports_from, network.vpc_cidr)))
    return [ipaddress.ip_network(each, strict=False) for each in said]


def _holds(one: Range, other: Range) -> bool:
    return one.version == other.version and other.subnet_of(one)  # type: ignore[arg-type]


def _flaw_of_port(says: str, rule: Filter, step: FirewallStep, opened: _Opened, network: Network | None) -> Draft:
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
        nodes = value_if_known(network.vpc_cidr) if network is not None else None
        yield f"ufw allow from {nodes or _PRIVATE} to any port 10250 proto tcp"
    if opened.node_ports:
        said = map(value_if_known, network.node_ports_from) if network is not None else ()
        for each in list(filter(None, said)) or [_PRIVATE]:
            yield f"ufw allow from {each} to any port 30000:32767 proto {proto}"


def _declared(opened: _Opened, network: Network | None) -> tuple[Related, ...]:
    if network is None or not opened.node_ports:
        return ()
    return tuple(
        Related(each.place, f"the fleet opens NodePorts to {each.shown()}")
        for each in network.node_ports_from
        if each.written
    )
