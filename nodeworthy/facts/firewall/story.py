"""What a reader is told of a firewall that keeps pods' traffic back: which rules are missing, and what is there."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import cached_property

from nodeworthy.facts.firewall.firewall import (
    FIREWALLD,
    FIREWALLD_LATER,
    IPTABLES,
    PANIC,
    UFW,
    Chains,
    Side,
    Step,
)
from nodeworthy.facts.firewall.needs import Need, Pods, covers, needs
from nodeworthy.facts.firewall.passing import almost, missing, named_in, which_network, why_not_known
from nodeworthy.facts.firewall.remedies import UPLINK, Remedies, joined, uplink_of
from nodeworthy.facts.firewall.state import Firewall
from nodeworthy.known.pod_interfaces import POD_INTERFACE
from nodeworthy.records import dataclass
from nodeworthy.verdict import Place, Related

_MOST_TOLD = 4
_LOADED_LATER = "firewalld is told for its next start what lets pods' traffic through, and nothing loads it now"
_GONE_LATER = "what lets pods' traffic through firewalld is gone after its next start: it was not said --permanent"
_WHICH = f"{POD_INTERFACE}: that of pods' network: cni0 of flannel, cali+ of Calico, lxc+ of Cilium"
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
    # firewalld was told what lets it through, for its next start.
    is_loaded_later: bool = False

    @property
    def name(self) -> str:
        return self.chains.name

    @cached_property
    def policy(self) -> Step | None:
        """The step by which nothing passes that no rule is about."""
        if self._only_once is not None:
            return self._only_once
        denying = (rule for need in self.lacking if (rule := self._denying(need)) is not None)
        return next(denying, None) or self.chains.policy(self.lacking[0].way.side)[1]

    @property
    def _only_once(self) -> Step | None:
        """What was said to firewalld for now alone, or for its next start alone."""
        told = self.firewall.firewalld
        return told.later if self.is_loaded_later else told.passing if self.name == FIREWALLD_LATER else None

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
        return f"{self.says} (IPv6)" if self.pods.is_ipv6 else self.says

    @property
    def says(self) -> str:
        """Of whatever packets."""
        if self.chains.owner == PANIC:
            return "firewalld is in panic mode, and drops every packet"
        if self._only_once is not None:
            return _LOADED_LATER if self.is_loaded_later else _GONE_LATER
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
        return joined(self.commands)

    @cached_property
    def commands(self) -> list[str]:
        if self._only_once is not None:
            return ["firewall-cmd --reload" if self.is_loaded_later else "firewall-cmd --runtime-to-permanent"]
        return Remedies(self.chains, self.lacking, self.pods, self.uplink or UPLINK, self._denied()).commands()

    def _denied(self) -> dict[Need, Step]:
        """By which rule; one that drops all stands as the policy of its chain."""
        found: dict[Need, Step] = {}
        for need in self.lacking:
            step = self._denying(need) or self.chains.policy(need.way.side)[1]
            if step is not None and step.filter is not None:
                found[need] = step
        return found

    @property
    def uplink(self) -> str:
        named = uplink_of([rule for rule, _ in self.chains.rules])
        return self.pods.uplink if self.pods.are_seen else named or self.pods.uplink

    @property
    def cause(self) -> str:
        if self.chains.owner == PANIC:
            return "somebody switched it on with firewall-cmd --panic-on, and it lasts until it is switched off"
        routed = self.name == UFW and any(each.way.side is Side.ROUTED for each in self.lacking)
        default = "ufw's default keeps back what is forwarded, and pods' traffic is: " if routed else ""
        return f"{default}without these rules {'; '.join(self._ways)}"

    @property
    def remedy(self) -> str:
        return f"{self.should} ({_WHICH})" if POD_INTERFACE in self.should else self.should

    def related(self) -> Iterator[Related]:
        yield from list(dict.fromkeys(self._near()))[:_MOST_TOLD]
        on = self.firewall.enabled
        if self.name == UFW and on is not None and on.place != self.place:
            yield Related(on.place, "ufw is switched on here")
        yield from self.pods.shown

    def _near(self) -> Iterator[Related]:
        for step in self.firewall.refused:
            yield Related(step.place, f"{step.table} refuses this: {step.why}")
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
                    yield step.place, why_not_known(rule, self.pods)
        if not self.pods.are_seen and self.name in (UFW, IPTABLES) and len(self.pods.networks) != 1:
            yield self.place, which_network(self.pods.networks)


def stories(firewall: Firewall, pods: Pods, place: Place) -> list[tuple[Story, bool]]:
    """What each set of chains keeps back, and whether that is sure."""
    found: list[tuple[Story, bool]] = []
    for chains in firewall.closed():
        these = _by_names(pods, chains)
        surely, maybe = missing(chains, needs(these), these)
        if surely and not firewall.unread:
            found.append((Story(firewall, chains, these, surely, place), True))
        elif surely or maybe:
            found.append((Story(firewall, chains, these, surely or maybe, place), False))
    return list(_told_once(found, [each.name for each in firewall.closed()]))


def _by_names(pods: Pods, chains: Chains) -> Pods:
    """Where nothing shows the network for sure, the rules say whose interfaces they are for."""
    named = named_in(chains) if not pods.are_seen and (pods.is_guessed or not pods.networks) else ()
    return replace(pods, networks=named, shown=()) if named else pods


def _told_once(found: Sequence[tuple[Story, bool]], closed: Sequence[str]) -> Iterator[tuple[Story, bool]]:
    """firewalld now and after its next start are one: what differs is when it will be right."""
    names = {story.name for story, _ in found}
    is_later = FIREWALLD_LATER in closed and FIREWALLD_LATER not in names
    for story, is_sure in found:
        if story.name != FIREWALLD_LATER or FIREWALLD not in names:
            yield replace(story, is_loaded_later=is_later and story.name == FIREWALLD), is_sure
