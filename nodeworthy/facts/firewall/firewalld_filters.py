"""The zones and policies of firewalld as filters, in the order in which it asks them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from nodeworthy.boot.text import EMPTY, Text
from nodeworthy.facts.firewall.firewall import FIREWALLD, FIREWALLD_LATER, PANIC, Chains, Filter, Side, Step
from nodeworthy.facts.firewall.firewalld import Config, Firewalld, Policy, Zone
from nodeworthy.patterns import pattern
from nodeworthy.records import dataclass

_RICH = pattern(
    r"rule\b(?:.*?\bsource\s+address=[\"']?(?P<source>[^\s\"']+))?(?:.*?\bdestination\s+address=[\"']?(?P<to>[^\s\"']+))?"
)
_ANY, _HOST = "ANY", "HOST"
# Some interface that leads out is mostly in the default zone: whoever sets up the network says so.
_UPLINK = Text.of("eth0")


@dataclass(frozen=True)
class _End:
    """An interface, or addresses, by which a packet is of a zone; both empty for every packet."""

    interface: Text = EMPTY
    addresses: Text = EMPTY


Rules = Iterator[tuple[Filter, Step | None]]


def chains_of(firewalld: Firewalld) -> Iterator[Chains]:
    """What it lets through, now and when it starts the next time; nothing where nothing says that it runs."""
    if firewalld.runs is None:
        return
    if firewalld.panic is not None:
        yield Chains(PANIC, dict.fromkeys(Side, (False, firewalld.panic)), owner=PANIC)
        return
    yield _chains(FIREWALLD, firewalld.now, firewalld.runs)
    if firewalld.now != firewalld.permanent:
        yield _chains(FIREWALLD_LATER, firewalld.permanent, firewalld.runs)


def _chains(name: str, config: Config, runs: Step) -> Chains:
    rules = [(rule, step or runs) for rule, step in _Reading(config).rules()]
    accepts = config.zone("").accepts
    policies: dict[Side, tuple[bool, Step | None]] = {
        Side.IN: (accepts, runs),
        Side.ROUTED: (accepts, runs),
        Side.OUT: (True, None),
    }
    return Chains(name, policies, rules, owner=FIREWALLD)


@dataclass(frozen=True)
class _Reading:
    config: Config

    def rules(self) -> Rules:
        for policy in self.config.policies.values():
            yield from self._policy(policy)
        for step in self.config.direct:
            # Whether such a rule helps depends on the backend: nftables asks again behind it.
            yield Filter(Side.ROUTED, True, is_narrowed=True), step
        named = [each for name, each in self.config.zones.items() if name != self.config.default]
        for zone in named:
            for end, step in [*_by_source(zone), *_by_interface(zone)]:
                yield from _zone(zone, end, step)
        default = self.config.zone("")
        yield from _zone(default, _End(), None, closes=False)
        if default.forwards and not any(True for _ in _by_interface(default)):
            yield Filter(Side.ROUTED, True, out=_UPLINK, is_narrowed=True), None

    def _policy(self, policy: Policy) -> Rules:
        rich = [_rich(each) for each, _ in policy.rich]
        accepts = policy.target.upper() == "ACCEPT"
        for come in (end for name in policy.ingress for end in self._ends(name)):
            for go in (end for name in policy.egress for end in self._ends(name)):
                side = Side.ROUTED if _HOST not in policy.ingress + policy.egress else Side.IN
                out, to = (go.interface, go.addresses) if side is Side.ROUTED else (EMPTY, EMPTY)
                for allows, source, target in rich:
                    yield Filter(side, allows, come.interface, out, source or come.addresses, target or to), policy.step
                if accepts:
                    yield Filter(side, True, come.interface, out, come.addresses, to), policy.step

    def _ends(self, name: str) -> Sequence[_End]:
        if name in (_ANY, _HOST):
            return [_End()]
        zone = self.config.zone(name)
        ends = [end for end, _ in [*_by_source(zone), *_by_interface(zone)]]
        return [*ends, _End()] if name == self.config.default else ends


def _by_source(zone: Zone) -> Iterator[tuple[_End, Step]]:
    yield from ((_End(addresses=each), step) for each, step in zone.sources)


def _by_interface(zone: Zone) -> Iterator[tuple[_End, Step]]:
    yield from ((_End(interface=each), step) for each, step in zone.interfaces)


def _zone(zone: Zone, end: _End, step: Step | None, *, closes: bool = True) -> Rules:
    for said, by in zone.rich:
        allows, source, _ = _rich(said)
        yield Filter(Side.IN, allows, end.interface, EMPTY, source or end.addresses), by
    for port, by in zone.ports:
        number, _, protocol = port.partition("/")
        yield Filter(Side.IN, True, end.interface, EMPTY, end.addresses, limits=f"{protocol} port {number}"), by
    if zone.forwards:
        for other, by in [*_by_source(zone), *_by_interface(zone)]:
            yield Filter(Side.ROUTED, True, end.interface, other.interface, end.addresses, other.addresses), by
    if closes:
        for side in (Side.IN, Side.ROUTED):
            yield Filter(side, zone.accepts, end.interface, EMPTY, end.addresses), step


def _rich(said: str) -> tuple[bool, Text, Text]:
    """A rule about ports or services is about few packets: its addresses are nobody's."""
    found = _RICH.match(said)
    if found is None or any(each in said for each in (" port ", " service ", " protocol ", " icmp")):
        return " accept" in said, Text.of("255.255.255.255"), EMPTY
    return " accept" in said, Text.of(found["source"] or ""), Text.of(found["to"] or "")
