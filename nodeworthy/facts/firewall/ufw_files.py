"""ufw's own files: its rules, its defaults, its switch. What stands in them is what ufw does."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cached_property
from typing import Any, ClassVar

from nodeworthy.boot.conditions import Guard
from nodeworthy.boot.content import Content, Line
from nodeworthy.boot.text import EMPTY, Text
from nodeworthy.facts.boot.script import BootPool
from nodeworthy.facts.firewall.firewall import UFW, Does, Filter, FirewallStep, Side
from nodeworthy.facts.firewall.iptables import acts_in, words_of
from nodeworthy.facts.firewall.pods import speaks_of_pods
from nodeworthy.facts.firewall.state import DEFAULTS as UFWS_OWN
from nodeworthy.facts.firewall.state import Firewall, firewall_left_by
from nodeworthy.fleet.model import Firewall as Wanted
from nodeworthy.fleet.model import Fleet
from nodeworthy.patterns import pattern
from nodeworthy.records import dataclass
from nodeworthy.verdict import Place, skip

USER, BEFORE, DEFAULTS, SWITCH = "rules", "own rules", "defaults", "switch"
KINDS = {
    "/etc/ufw/user.rules": USER,
    "/lib/ufw/user.rules": USER,
    "/etc/ufw/before.rules": BEFORE,
    "/etc/ufw/after.rules": BEFORE,
    "/etc/default/ufw": DEFAULTS,
    "/etc/ufw/ufw.conf": SWITCH,
}
_POLICIES = {"INPUT": Side.IN, "OUTPUT": Side.OUT, "FORWARD": Side.ROUTED}
_SETTING = pattern(r"(?P<name>DEFAULT_(?:INPUT|OUTPUT|FORWARD)_POLICY|ENABLED)\s*=\s*[\"']?(?P<value>\w*)")
_TUPLE = "### tuple ###"
_OWN_RULE = pattern(r"-[AI] ufw-(?:before|after|user)-\w+ .*")


@dataclass(frozen=True)
class Told:
    """The step behind a line of a file, at the place of that line where it has one."""

    place: Place
    command: str
    conditions: Guard = ()

    def step(self, does: Does, place: Place | None = None, line: Text = EMPTY, **what: object) -> FirewallStep:
        # A line of a file says more than the command that writes all of it; an edit has none.
        written = line.shown().strip() if place not in (None, self.place) else ""
        command = written or self.command or line.shown().strip()
        return FirewallStep(does, UFW, place or self.place, command, self.conditions, **what)  # type: ignore[arg-type]


def begins_a_table(content: Content) -> bool:
    """Whether its first rule stands in a table; one behind nothing but a COMMIT does not."""
    first = next((each.shown() for line in content.lines if (each := line.text) and each.shown()[:1] in "*-:"), "*")
    return first.startswith("*")


def steps_of(kind: str, content: Content, told: Told) -> Iterator[FirewallStep]:
    if kind in (DEFAULTS, SWITCH):
        for line in content.lines:
            yield from _setting(line.text, line.place, told)
        return
    if kind == USER:
        yield told.step(Does.CLEAR, why="its file is written anew")
    try:
        found = list(_rules(kind, content, told))
    except ValueError as why:
        yield told.step(Does.UNREAD, why=str(why))
        return
    yield from found
    if kind == USER and not found:
        yield from _tuples(content, told)


def _rules(kind: str, content: Content, told: Told) -> Iterator[FirewallStep]:
    count = 0
    for act, index in acts_in(content):
        if act.filter is not None and act.chain.startswith("ufw-"):
            does = Does.INSERT if kind == BEFORE and not act.chain.startswith("ufw-after-") else Does.ADD
            line = content.lines[index]
            yield told.step(does, line.place, line.text, filter=act.filter, position=count)
            count += does is Does.INSERT


def _tuples(content: Content, told: Told) -> Iterator[FirewallStep]:
    """What ufw itself remembers of its rules: shortened files have nothing else."""
    for line in content.lines:
        if line.text.contains(_TUPLE):
            words = words_of(line.text)[3:]
            if len(words) >= 7:
                yield told.step(Does.ADD, line.place, line.text, filter=_of_tuple(words))


def _of_tuple(words: Sequence[Text]) -> Filter:
    """`route:allow any any 0.0.0.0/0 any 0.0.0.0/0 in_lxc+!out_eno1`"""
    action, proto, port, to, from_port, source = (each.shown() for each in words[:6])
    names = next((each for each in words[6:] if each.shown().startswith(("in", "out"))), EMPTY)
    ends = {part.partition("_")[0]: part.partition("_")[2] for part in names.shown().split("!")}
    routed = action.startswith("route:")
    side = Side.ROUTED if routed else Side.OUT if "out" in ends else Side.IN
    told = [proto, f"port {port}" if port != "any" else "", f"from port {from_port}" if from_port != "any" else ""]
    limits = " ".join(each for each in told if each not in ("", "any"))
    in_, out = (Text.of(ends[each]) if ends.get(each) else EMPTY for each in ("in", "out"))
    return Filter(side, action.removeprefix("route:").startswith("allow"), in_, out, _range(source), _range(to), limits)


def _range(address: str) -> Text:
    return EMPTY if address in ("0.0.0.0/0", "any") else Text.of(address)


def steps_of_edit(kind: str, expressions: Sequence[Text], told: Told) -> Iterator[FirewallStep]:
    """An edit in place: the settings and the rules that its expressions put in."""
    for each in expressions:
        shown = each.shown()
        # Of `s/old/new/` what counts is what stands there afterwards.
        settings = list(_SETTING.finditer(shown))
        if settings and kind in (DEFAULTS, SWITCH):
            yield from _setting(Text.of(shown[settings[-1].start() :]), told.place, told)
        if kind in (USER, BEFORE):
            # What sed puts in goes on over a backslash at its line's end.
            rules = [rule[0].rstrip("\\").rstrip() for rule in _OWN_RULE.finditer(shown)]
            yield from _rules(kind, Content(tuple(Line(Text.of(rule), told.place) for rule in rules)), told)


def _setting(text: Text, place: Place, told: Told) -> Iterator[FirewallStep]:
    found = _SETTING.match(text.shown().strip())
    if found is None:
        return
    name, value = found["name"], found["value"].upper()
    if not value:
        if text.holes:
            yield told.step(Does.UNREAD, place, why=f"{name}: {text.why}")
    elif name == "ENABLED":
        yield told.step(Does.ON if value == "YES" else Does.OFF, place, text)
    else:
        side = _POLICIES[name.split("_")[1]]
        yield told.step(Does.POLICY, place, text, sides=(side,), allows=value == "ACCEPT")


# ufw's files as they are kept beside each other: one firewall, and the pools of a fleet that want it.

_ORDER = (DEFAULTS, USER, BEFORE, SWITCH)


@dataclass(frozen=True, eq=False)
class UfwFile:
    """One file of ufw's: its rules, its defaults, its switch."""

    called: ClassVar[str] = "a file of ufw's"

    place: Place
    kind: str
    content: Content
    # The folder that stands for the node's root, or that holds all of them.
    root: str = ""


@dataclass(frozen=True, eq=False)
class UfwFirewall:
    called: ClassVar[str] = "a firewall in ufw's files"

    place: Place
    files: tuple[UfwFile, ...]
    pools: tuple[BootPool, ...] = ()
    no_pool: str = ""

    def judged_by(self, kind: type[Any]) -> Sequence[Any] | str | None:
        """The engine asks: it is for the pools that want ufw."""
        return (self.pools or self.no_pool) if kind is BootPool else None

    @cached_property
    def steps(self) -> list[FirewallStep]:
        ordered = sorted(self.files, key=lambda each: _ORDER.index(each.kind))
        found = [step for each in ordered for step in steps_of(each.kind, each.content, Told(each.place, ""))]
        # A file says no more than that it is off until somebody switches it on; and what is ufw's default nobody says.
        return [each for each in found if each.does is not Does.OFF and not _is_default(each)]

    @property
    def switch(self) -> Line | None:
        """The line that says whether it is on."""
        files = (each.content for each in self.files if each.kind == SWITCH)
        return next((line for content in files for line in content.find("ENABLED=")), None)

    @property
    def is_on(self) -> bool:
        """Where nobody keeps the switch, the rules are kept for a firewall that is on."""
        return self.switch is None or any(each.does is Does.ON for each in self.steps)

    @property
    def rules(self) -> UfwFile | None:
        return next((each for each in self.files if each.kind == USER), None)

    def left(self) -> Firewall:
        on = FirewallStep(Does.ON, UFW, (self.rules or self.files[0]).place, "")
        return firewall_left_by(
            [*(each for each in self.steps if each.does is not Does.ON), *([on] if self.is_on else [])]
        )

    def of_a_node(self) -> None:
        """Skips the firewall of some other machine, as far as anybody says."""
        if not self.pools and not speaks_of_pods(self.steps):
            skip("nothing says that these files of ufw are for a node of Kubernetes")


def _is_default(step: FirewallStep) -> bool:
    return step.does is Does.POLICY and all(UFWS_OWN[side] is step.allows for side in step.sides)


def firewalls(files: Sequence[UfwFile], fleet: Fleet | None, why: str) -> list[UfwFirewall]:
    """The files of one root are one firewall."""
    by_root: dict[str, list[UfwFile]] = {}
    for each in files:
        by_root.setdefault(each.root, []).append(each)
    pools = tuple(BootPool(each, fleet) for each in fleet.pools if each.firewall is Wanted.UFW) if fleet else ()
    no_pool = "" if pools else why or "no pool of the fleet has ufw as its firewall"
    return [UfwFirewall(each[0].place, tuple(each), pools, no_pool) for each in by_root.values()]
