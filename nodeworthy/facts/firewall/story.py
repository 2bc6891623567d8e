"""What a reader is told of a firewall that keeps pods' traffic back: which rules are missing, and what is there."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cached_property

from nodeworthy.facts.firewall.almost import almost
from nodeworthy.facts.firewall.firewall import FIREWALLD, IPTABLES, PANIC, UFW, Chains, Filter, Side, Step
from nodeworthy.facts.firewall.needs import Need, Pods, covers, needs
from nodeworthy.facts.firewall.passing import missing
from nodeworthy.facts.firewall.ranges import is_private, range_of
from nodeworthy.facts.firewall.remedies import Remedies
from nodeworthy.facts.firewall.state import Firewall
from nodeworthy.known.pod_interfaces import is_uplink, named_by
from nodeworthy.records import dataclass
from nodeworthy.verdict import Place, Related

_UPLINK = "eno1"
_MOST_TOLD = 4
_BUILT_IN = {Side.IN: "INPUT", Side.OUT: "OUTPUT", Side.ROUTED: "FORWARD"}


@dataclass(frozen=True)
class Story:
    firewall: Firewall
    chains: Chains
    pods: Pods
    # What is not let through, surely or maybe.
    lacking: Sequence[Need]
    # Where it is told if no step can be pointed at.
    elsewhere: Place

    @property
    def name(self) -> str:
        return self.chains.name

    @cached_property
    def policy(self) -> Step | None:
        """The step by which nothing passes that no rule is about."""
        denying = (rule for need in self.lacking if (rule := self._denying(need)) is not None)
        return next(denying, None) or self.chains.policy(self.lacking[0].way.side)[1]

    @property
    def place(self) -> Place:
        return self.policy.place if self.policy is not None else self.elsewhere

    def _denying(self, need: Need) -> Step | None:
        """A rule that says no, where it comes before one that says yes."""
        for rule, step in self.chains.rules:
            answer = covers(need, rule, self.pods)
            if answer and rule.allows is False:
                return step
            if answer:
                return None
        return None

    @property
    def message(self) -> str:
        if self.chains.owner == PANIC:
            return "firewalld is in panic mode, and drops every packet"
        if self.chains.owner == FIREWALLD:
            return "firewalld keeps pods' traffic back: no zone and no policy lets all of it through"
        if self._by_a_rule:
            return f"a rule of {self._chain} drops pods' traffic"
        if self.name != UFW:
            return f"{self._chain} drops what no rule lets through, and no rule lets pods' traffic through"
        if len(self._ways) == 1:
            return f"ufw is active, and {self._ways[0]}"
        return f"ufw is active, and {len(self.commands)} of the rules that pods need are missing"

    @property
    def _by_a_rule(self) -> bool:
        """Where everything else is let through."""
        return self.name != UFW and all(self.chains.policy(each.way.side)[0] for each in self.lacking)

    @property
    def _chain(self) -> str:
        if self.name == IPTABLES:
            sides = dict.fromkeys(_BUILT_IN[each.way.side] for each in self.lacking)
            return f"the {' and '.join(sides)} chain{'s' if len(sides) > 1 else ''}"
        return f"the chain `{self.name.removeprefix('nft ')}`"

    @property
    def _ways(self) -> list[str]:
        return list(dict.fromkeys(each.way.without for each in self.lacking))

    @property
    def is_(self) -> str:
        if self.policy is not None and (self.name != UFW or self.policy.filter is not None):
            return self.policy.command
        sides = dict.fromkeys(each.way.side for each in self.lacking)
        denied = [f"deny ({side.value})" for side in sides if not self.chains.policy(side)[0]]
        return ", ".join(denied) or (self.policy.command if self.policy is not None else "denied by a rule")

    @property
    def should(self) -> str:
        return "; ".join(self.commands)

    @cached_property
    def commands(self) -> list[str]:
        return Remedies(self.chains, self.lacking, self.pods, self.uplink or _UPLINK, self._denied()).commands()

    def _denied(self) -> dict[Need, Filter]:
        """By which rule; one that drops all stands as the policy of its chain."""
        found: dict[Need, Filter] = {}
        for need in self.lacking:
            step = self._denying(need) or self.chains.policy(need.way.side)[1]
            if step is not None and step.filter is not None:
                found[need] = step.filter
        return found

    @property
    def uplink(self) -> str:
        return self.pods.uplink or _uplink_of([rule for rule, _ in self.chains.rules])

    @property
    def cause(self) -> str:
        if self.chains.owner == PANIC:
            return "somebody switched it on with firewall-cmd --panic-on, and it lasts until it is switched off"
        routed = self.name == UFW and any(each.way.side is Side.ROUTED for each in self.lacking)
        default = "ufw's default keeps back what is forwarded, and pods' traffic is: " if routed else ""
        return f"{default}without these rules {'; '.join(self._ways)}"

    @property
    def remedy(self) -> str:
        named = "" if self.uplink or self.name != UFW or _UPLINK not in self.should else f" ({_UPLINK}: the uplink)"
        return f"{self.should}{named}"

    def related(self) -> Iterator[Related]:
        told = list(dict.fromkeys(self._near()))[:_MOST_TOLD]
        yield from told
        on = self.firewall.enabled
        if self.name == UFW and on is not None and on.place != self.place:
            yield Related(on.place, "ufw is switched on here")

    def _near(self) -> Iterator[Related]:
        for step in self.firewall.refused:
            yield Related(step.place, f"ufw refuses this: {step.why}")
        for need in self.lacking:
            for step in self.firewall.removed:
                if step.filter is not None and covers(need, step.filter, self.pods):
                    yield Related(step.place, "this takes the rule away again")
            for rule, step in self.chains.rules:
                why = almost(need, rule)
                if why:
                    yield Related(step.place, why)

    def doubts(self) -> Iterator[tuple[Place, str]]:
        """Why it can't be known: at the rule that may let it through."""
        for need in self.lacking:
            for rule, step in self.chains.rules:
                if covers(need, rule, self.pods) is None or (covers(need, rule, self.pods) and rule.allows is None):
                    yield step.place, _doubt(rule, self.pods)


def stories(firewall: Firewall, pods: Pods, place: Place) -> list[tuple[Story, bool]]:
    """What each set of chains keeps back, and whether that is sure."""
    found: list[tuple[Story, bool]] = []
    for chains in firewall.closed():
        surely, maybe = missing(chains, needs(pods), pods)
        if surely and not firewall.unread:
            found.append((Story(firewall, chains, pods, surely, place), True))
        elif surely or maybe:
            found.append((Story(firewall, chains, pods, surely or maybe, place), False))
    return found


def _doubt(rule: Filter, pods: Pods) -> str:
    ends = (rule.in_, rule.out, rule.source, rule.to)
    hole = next((each for each in ends if each.holes), None)
    if hole is not None:
        return f"{hole.shown()}: {hole.why}"
    if rule.unless and not rule.is_narrowed:
        return "which packets have left its chain before this rule is not known"
    if rule.is_narrowed or rule.allows is None:
        return "what else this rule asks for is not read here"
    named = [end.shown() for end in ends[:2] if end and named_by(end.shown())]
    if named and pods.networks:
        brought = pods.networks[0]
        return (
            f"{named[0]} is not of {brought.key}, which this distribution brings where nobody chooses another network"
        )
    ranges = [end.shown() for end in ends[2:] if (found := range_of(end)) is not None and is_private(found)]
    if ranges:
        return f"whether pods have addresses of {ranges[0]} is said nowhere (cluster.podCidr in a fleet)"
    return f"whose interface {' or '.join(end.shown() for end in ends[:2] if end)} is, is not known"


def _uplink_of(rules: Sequence[Filter]) -> str:
    """The uplink's name, where some rule says it."""
    ends = (end.known or "" for rule in rules for end in (rule.out, rule.in_))
    return next((end for end in ends if is_uplink(end)), "")
