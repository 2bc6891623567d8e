"""firewalld as the steps of a boot leave it: its zones and policies, now and as its next start finds them."""

from __future__ import annotations

from collections.abc import Callable
from copy import deepcopy
from dataclasses import field

from nodeworthy.boot.text import Text
from nodeworthy.facts.firewall.firewall import Does, Step
from nodeworthy.facts.firewall.firewalld_call import Asked, FirewalldCall, call_of
from nodeworthy.records import dataclass

_TARGETS = {"trusted": "ACCEPT", "drop": "DROP", "block": "REJECT"}
DEFAULT = "default"


@dataclass
class Zone:
    target: str
    # Where its packets come from, each with the step that says so.
    interfaces: list[tuple[Text, Step]] = field(default_factory=list)
    sources: list[tuple[Text, Step]] = field(default_factory=list)
    ports: list[tuple[str, Step]] = field(default_factory=list)
    rich: list[tuple[str, Step]] = field(default_factory=list)
    # Between its own interfaces and sources.
    forwards: bool = True
    # The step that gave it another target than its own.
    opened: Step | None = None

    @property
    def accepts(self) -> bool:
        return self.target.upper() == "ACCEPT"


@dataclass
class Policy:
    target: str = "CONTINUE"
    ingress: list[str] = field(default_factory=list)
    egress: list[str] = field(default_factory=list)
    rich: list[tuple[str, Step]] = field(default_factory=list)
    step: Step | None = None


@dataclass
class Config:
    default: str = "public"
    # The step that chose the default zone.
    chosen: Step | None = None
    zones: dict[str, Zone] = field(default_factory=dict)
    policies: dict[str, Policy] = field(default_factory=dict)
    # Rules as iptables is told them, which firewalld hands on.
    direct: list[Step] = field(default_factory=list)

    def zone(self, name: str) -> Zone:
        name = name or self.default
        return self.zones.setdefault(name, Zone(_TARGETS.get(name, DEFAULT)))


@dataclass
class Firewalld:
    now: Config = field(default_factory=Config)
    permanent: Config = field(default_factory=Config)
    # The step by which it is known to run; None where nothing says so.
    runs: Step | None = None
    off: Step | None = None
    panic: Step | None = None
    # What was changed last for now alone, and what for its next start alone.
    passing: Step | None = None
    later: Step | None = None

    def do(self, step: Step) -> None:
        if step.does is Does.OFF:
            self.runs, self.off = None, self.off or step
        elif step.does is Does.ON:
            self._starts(step)
        else:
            self._call(step)

    def _starts(self, step: Step) -> None:
        self.runs, self.off = step, None
        self._load()

    def _load(self) -> None:
        self.now = deepcopy(self.permanent)
        self.passing = self.later = None

    def _call(self, step: Step) -> None:
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


def _change(config: Config, call: FirewalldCall, step: Step) -> None:
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


def _nothing(_: object, __: Asked, ___: Step) -> None:
    pass


def _target(of: Zone | Policy, asked: Asked, step: Step) -> None:
    of.target = asked.known
    if isinstance(of, Zone):
        of.opened = step


def _forward(does: bool) -> Callable[[Zone, Asked, Step], None]:
    def change(zone: Zone, _: Asked, __: Step) -> None:
        zone.forwards = does

    return change


def _added(name: str) -> Callable[[Zone, Asked, Step], None]:
    return lambda zone, asked, step: getattr(zone, name).append((asked.value, step))


def _removed(name: str) -> Callable[[Zone, Asked, Step], None]:
    def change(zone: Zone, asked: Asked, _: Step) -> None:
        setattr(zone, name, [each for each in getattr(zone, name) if each[0].shown() != asked.value.shown()])

    return change


_ZONE: dict[str, Callable[[Zone, Asked, Step], None]] = {
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
_POLICY: dict[str, Callable[[Policy, Asked, Step], None]] = {
    "--set-target": _target,
    "--add-ingress-zone": lambda policy, asked, _: policy.ingress.append(asked.known),
    "--add-egress-zone": lambda policy, asked, _: policy.egress.append(asked.known),
    "--add-rich-rule": lambda policy, asked, step: policy.rich.append((asked.known, step)),
}
