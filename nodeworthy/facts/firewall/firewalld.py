"""firewalld as the steps of a boot leave it: its zones and policies, now and as its next start finds them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from copy import deepcopy

from nodeworthy.boot.text import EMPTY, Text
from nodeworthy.facts.firewall.firewall import (
    FIREWALLD,
    FIREWALLD_LATER,
    PANIC,
    Chains,
    Does,
    Filter,
    FirewallStep,
    Side,
)
from nodeworthy.patterns import pattern
from nodeworthy.records import dataclass, field

# What a call of firewall-cmd asks for: its options, and whether it is for now or for ever.

OFFLINE = "firewall-offline-cmd"
_PERMANENT = "--permanent"
# These are the whole call.
_WHOLE = ("--reload", "--complete-reload", "--runtime-to-permanent", "--panic-on", "--panic-off", "--set-default-zone")
_CHANGES = ("--add-", "--remove-", "--change-", "--set-target")
_QUIET = ("-q", "--quiet")
# These have no value; of all others the value may be the next word.
_ALONE = (
    "--reload",
    "--complete-reload",
    "--runtime-to-permanent",
    "--panic-on",
    "--panic-off",
    "--add-forward",
    "--remove-forward",
    "--add-masquerade",
    "--remove-masquerade",
    "--direct",
    "--quiet",
    "-q",
    _PERMANENT,
)


@dataclass(frozen=True)
class FirewallCmdOption:
    """`--add-source=10.0.0.0/8`"""

    option: str
    value: Text = EMPTY

    @property
    def known(self) -> str:
        """The option's value; one that is not known matches no name."""
        return self.value.known if self.value.known is not None else self.value.shown()


@dataclass(frozen=True)
class FirewalldCall:
    is_permanent: bool
    asked: tuple[FirewallCmdOption, ...]

    def value(self, option: str) -> str:
        return next((each.known for each in self.asked if each.option == option), "")

    @property
    def refusal(self) -> str:
        """Why firewall-cmd ends with an error, and nothing changes; empty where it does not."""
        options = dict.fromkeys(each.option for each in self.asked if each.option not in _QUIET)
        whole = next((each for each in options if each in _WHOLE), None)
        if whole is not None and len(options) > 1:
            return f"`{whole}` stands alone"
        changes = [each for each in options if each.startswith(_CHANGES)]
        is_direct = "--direct" in options
        return "" if len(changes) < 2 or is_direct else f"`{changes[1]}` is not allowed beside `{changes[0]}`"

    def has(self, *options: str) -> bool:
        return any(each.option in options for each in self.asked)


def call_of(tool: str, words: Sequence[Text]) -> FirewalldCall:
    asked = tuple(_options(words))
    is_permanent = tool == OFFLINE or any(each.option == _PERMANENT for each in asked)
    return FirewalldCall(is_permanent, asked)


def _options(words: Sequence[Text]) -> Iterator[FirewallCmdOption]:
    at = 0
    while at < len(words):
        first = words[at].pieces[0] if words[at].pieces else ""
        name, equals, rest = first.partition("=") if isinstance(first, str) else ("", "", "")
        at += 1
        if not name.startswith("-"):
            continue
        if equals:
            yield FirewallCmdOption(name, Text.of(rest, *words[at - 1].pieces[1:]))
        elif name in _ALONE or at == len(words) or words[at].string.startswith("--"):
            yield FirewallCmdOption(name)
        else:
            yield FirewallCmdOption(name, words[at])
            at += 1


_TARGETS = {"trusted": "ACCEPT", "drop": "DROP", "block": "REJECT"}
DEFAULT = "default"


@dataclass
class Zone:
    target: str
    # Where its packets come from, each with the step that says so.
    interfaces: list[tuple[Text, FirewallStep]] = field(default_factory=list)
    sources: list[tuple[Text, FirewallStep]] = field(default_factory=list)
    ports: list[tuple[str, FirewallStep]] = field(default_factory=list)
    rich: list[tuple[str, FirewallStep]] = field(default_factory=list)
    # Between its own interfaces and sources.
    forwards: bool = True
    # The step that gave it another target than its own.
    opened: FirewallStep | None = None

    @property
    def accepts(self) -> bool:
        return self.target.upper() == "ACCEPT"


@dataclass
class Policy:
    target: str = "CONTINUE"
    ingress: list[str] = field(default_factory=list)
    egress: list[str] = field(default_factory=list)
    rich: list[tuple[str, FirewallStep]] = field(default_factory=list)
    step: FirewallStep | None = None


@dataclass
class Config:
    default: str = "public"
    # The step that chose the default zone.
    chosen: FirewallStep | None = None
    zones: dict[str, Zone] = field(default_factory=dict)
    policies: dict[str, Policy] = field(default_factory=dict)
    # Rules as iptables is told them, which firewalld hands on.
    direct: list[FirewallStep] = field(default_factory=list)

    def zone(self, name: str) -> Zone:
        name = name or self.default
        return self.zones.setdefault(name, Zone(_TARGETS.get(name, DEFAULT)))


@dataclass
class Firewalld:
    now: Config = field(default_factory=Config)
    permanent: Config = field(default_factory=Config)
    # The step by which it is known to run; None where nothing says so.
    runs: FirewallStep | None = None
    off: FirewallStep | None = None
    panic: FirewallStep | None = None
    # What was changed last for now alone, and what for its next start alone.
    passing: FirewallStep | None = None
    later: FirewallStep | None = None

    def do(self, step: FirewallStep) -> None:
        if step.does is Does.OFF:
            self.runs, self.off = None, self.off or step
        elif step.does is Does.ON:
            self._starts(step)
        else:
            self._call(step)

    def _starts(self, step: FirewallStep) -> None:
        self.runs, self.off = step, None
        self._load()

    def _load(self) -> None:
        self.now = deepcopy(self.permanent)
        self.passing = self.later = None

    def _call(self, step: FirewallStep) -> None:
        tool, *words = step.asked
        call = call_of(tool.shown(), words)
        if step.why != "offline" and self.off is None and self.runs is None:
            # It answers, and so it runs.
            self.runs = step
        if call.has("--reload", "--complete-reload"):
            self._load()
        elif call.has("--runtime-to-permanent"):
            self.permanent = deepcopy(self.now)
            self.passing = self.later = None
        elif call.has("--panic-on", "--panic-off"):
            self.panic = step if call.has("--panic-on") else None
        elif call.has("--set-default-zone"):
            for config in (self.now, self.permanent):
                config.default, config.chosen = call.value("--set-default-zone"), step
        elif call.is_permanent:
            self.later = step
            _change(self.permanent, call, step)
        else:
            self.passing = step
            _change(self.now, call, step)


def _change(config: Config, call: FirewalldCall, step: FirewallStep) -> None:
    if call.has("--direct"):
        config.direct.append(step)
        return
    new = call.value("--new-policy")
    if new or call.has("--policy"):
        policy = config.policies.setdefault(new or call.value("--policy"), Policy())
        policy.step = step
        for each in call.asked:
            _POLICY.get(each.option, _nothing)(policy, each, step)
    else:
        zone = config.zone(call.value("--zone"))
        for each in call.asked:
            _ZONE.get(each.option, _nothing)(zone, each, step)


def _nothing(_: object, __: FirewallCmdOption, ___: FirewallStep) -> None:
    pass


def _target(of: Zone | Policy, asked: FirewallCmdOption, step: FirewallStep) -> None:
    of.target = asked.known
    if isinstance(of, Zone):
        of.opened = step


def _forward(does: bool) -> Callable[[Zone, FirewallCmdOption, FirewallStep], None]:
    def change(zone: Zone, _: FirewallCmdOption, __: FirewallStep) -> None:
        zone.forwards = does

    return change


def _added(name: str) -> Callable[[Zone, FirewallCmdOption, FirewallStep], None]:
    return lambda zone, asked, step: getattr(zone, name).append((asked.value, step))


def _removed(name: str) -> Callable[[Zone, FirewallCmdOption, FirewallStep], None]:
    def change(zone: Zone, asked: FirewallCmdOption, _: FirewallStep) -> None:
        setattr(zone, name, [each for each in getattr(zone, name) if each[0].shown() != asked.value.shown()])

    return change


_ZONE: dict[str, Callable[[Zone, FirewallCmdOption, FirewallStep], None]] = {
    **dict.fromkeys(("--add-interface", "--change-interface"), _added("interfaces")),
    **dict.fromkeys(("--add-source", "--change-source"), _added("sources")),
    "--remove-interface": _removed("interfaces"),
    "--remove-source": _removed("sources"),
    "--add-port": lambda zone, asked, step: zone.ports.append((asked.known, step)),
    "--add-rich-rule": lambda zone, asked, step: zone.rich.append((asked.known, step)),
    "--set-target": _target,
    "--add-forward": _forward(True),
    "--remove-forward": _forward(False),
}
_POLICY: dict[str, Callable[[Policy, FirewallCmdOption, FirewallStep], None]] = {
    "--set-target": _target,
    "--add-ingress-zone": lambda policy, asked, _: policy.ingress.append(asked.known),
    "--add-egress-zone": lambda policy, asked, _: policy.egress.append(asked.known),
    "--add-rich-rule": lambda policy, asked, step: policy.rich.append((asked.known, step)),
}


# The zones and policies of firewalld as filters, in the order in which it asks them.

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


Rules = Iterator[tuple[Filter, FirewallStep | None]]


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


def _chains(name: str, config: Config, runs: FirewallStep) -> Chains:
    rules = [(rule, step or runs) for rule, step in _Reading(config).rules()]
    accepts = config.zone("").accepts
    policies: dict[Side, tuple[bool, FirewallStep | None]] = {
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


def _by_source(zone: Zone) -> Iterator[tuple[_End, FirewallStep]]:
    yield from ((_End(addresses=each), step) for each, step in zone.sources)


def _by_interface(zone: Zone) -> Iterator[tuple[_End, FirewallStep]]:
    yield from ((_End(interface=each), step) for each, step in zone.interfaces)


def _zone(zone: Zone, end: _End, step: FirewallStep | None, *, closes: bool = True) -> Rules:
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
