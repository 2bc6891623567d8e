"""What a reader is told of a firewall that keeps pods' traffic back: which rules are missing, and what is there."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cached_property

from nodeworthy.boot.text import EMPTY
from nodeworthy.facts.firewall.firewall import (
    FIREWALLD,
    FIREWALLD_LATER,
    IPTABLES,
    PANIC,
    UFW,
    Chains,
    Filter,
    FirewallStep,
    Side,
)
from nodeworthy.facts.firewall.pod_needs import Need, Pods, Way, covers, is_about_everybody, is_gone, needs
from nodeworthy.facts.firewall.ranges import holds_range, is_private, is_world, range_of
from nodeworthy.facts.firewall.remedies import UPLINK, Remedies, join_commands, uplink_of
from nodeworthy.facts.firewall.state import Firewall
from nodeworthy.known.pod_interfaces import POD_INTERFACE, Cni, is_one_pods, is_uplink, networks_named_in
from nodeworthy.patterns import pattern
from nodeworthy.records import dataclass, replace
from nodeworthy.verdict import Place, Related

# Whether a set of chains lets pods' traffic through, and why a rule that looks like the right one does not.

KUBELET = 10250
_PORTS = pattern(r"(?<![\d.:])(\d+)(?:[:-](\d+))?(?![\d.])")
# These are about other packets, or about few of them.
_OTHERS = ("udp", "from port", "sport", "established", "translated", "ICMP", "icmp", "a few", "rate", "mark", "IPv6")


def _is_for_kubelet(way: Way, limits: str) -> bool:
    """Whether packets that are narrowed so are those that a node and its pods can't do without."""
    if not limits or any(each in limits for each in _OTHERS):
        return False
    if limits == "tcp":
        return way in (Way.TO_NODE, Way.FROM_NODE)
    return way is Way.TO_NODE and any(_holds(*each) for each in _PORTS.findall(limits))


def _holds(first: str, last: str) -> bool:
    return int(first) <= KUBELET <= int(last or first)


def which_network(networks: Sequence[Cni]) -> str:
    """Some networks let their pods through a firewall by themselves, and others do not."""
    if networks:
        told = " or ".join(each.key for each in networks)
        return f"pods' network may be {told}, and not each of these lets its pods through by itself"
    return (
        "nothing here shows which network pods have; Calico lets them through by itself, flannel and Cilium in part "
        "(its manifest or chart in the repository, --pod-network-cidr, or a pool's distribution in a fleet says so)"
    )


def why_not_known(rule: Filter, pods: Pods) -> str:
    ends = (rule.in_, rule.out, rule.source, rule.to)
    hole = next((each for each in ends if each.holes), None)
    if hole is not None:
        return f"it depends on {hole.unsaid()}"
    if rule.unless and not rule.is_narrowed:
        return "packets may have left its chain before this rule"
    if rule.is_narrowed or rule.allows is None:
        return "what else this rule asks for is not read here"
    named = [end.shown() for end in ends[:2] if end and networks_named_in(end.shown())]
    if named and pods.networks:
        brought = pods.networks[0]
        return (
            f"{named[0]} is not of {brought.key}, which this distribution brings where nobody chooses another network"
        )
    ranges = [end.shown() for end in ends[2:] if (found := range_of(end)) is not None and is_private(found)]
    if ranges:
        return f"whether pods have addresses of {ranges[0]} is said nowhere (cluster.podCidr in a fleet)"
    interfaces = [end.shown() for end in ends[:2] if end]
    if not interfaces:
        return f"whether {' or '.join(end.shown() for end in ends[2:] if end)} holds pods' addresses is not read here"
    return f"nothing here shows whose interface {' or '.join(interfaces)} is"


def why_almost(need: Need, rule: Filter) -> str:
    """Empty where it does not look like the right one."""
    if rule.allows is False:
        return ""
    ends = (rule.in_, rule.out)
    for end in ends:
        one = is_one_pods(end.string)
        if one is not None and need.way.side is rule.side:
            return f"this names one interface `{end.known}`; `{one.pods[-1]}` is every one that begins so"
    if any(networks_named_in(end.string) for end in ends if end):
        if need.way.side is Side.ROUTED and rule.side is not Side.ROUTED:
            return "this is about traffic with the node itself, and forwards nothing"
        if rule.side is need.way.side and rule.limits:
            return f"this lets only {rule.limits} through"
    return _almost_the_range(need, rule)


def _almost_the_range(need: Need, rule: Filter) -> str:
    end = rule.to if need.way in (Way.REACH, Way.FROM_NODE) else rule.source
    found = range_of(end) if end and rule.side is need.way.side else None
    if found is None or not is_private(found):
        return ""
    if rule.limits:
        return f"this lets only {rule.limits} through"
    return (
        f"this range does not hold {need.range}" if need.range is not None and not holds_range(end, need.range) else ""
    )


def lets(chains: Chains, need: Need, pods: Pods) -> bool | None:
    """Whether these chains let all of these packets through: the first rule about them decides, else the policy."""
    is_open = chains.policy(need.way.side)[0]
    # What may have let them through before, and what may have dropped them.
    let = kept = False
    for rule in _rules_for_pods(chains, need, pods):
        answer = covers(need, rule, pods)
        if rule.allows is False and is_open and not is_about_everybody(need, rule):
            continue
        if answer is None or (answer and rule.allows is None):
            let = let or rule.allows is not False
            kept = kept or rule.allows is None or (rule.allows is False and is_gone(need, rule, pods) is not True)
        elif answer:
            return (None if kept else True) if rule.allows else (None if let else False)
    return (None if kept else True) if is_open else (None if let else False)


def _rules_for_pods(chains: Chains, need: Need, pods: Pods) -> Iterator[Filter]:
    """A rule for what pods ask of a node is one for pods; one of ufw's for some addresses may be for nodes alone."""
    for rule, _ in chains.rules:
        is_for_pods = chains.name != UFW or is_world(rule.source)
        if rule.allows and is_for_pods and _is_for_kubelet(need.way, rule.limits):
            yield replace(rule, limits="")
        elif chains.owner == FIREWALLD and _is_of_an_overlay(rule, need, pods):
            yield replace(rule, source=EMPTY)
        else:
            yield rule


def _is_of_an_overlay(rule: Filter, need: Need, pods: Pods) -> bool:
    """Over an overlay all of a cluster comes with pods' addresses; firewalld lets NodePorts through by itself."""
    is_way = need.way is Way.REACH and rule.allows is True and bool(rule.source)
    return is_way and pods.is_overlaid and holds_range(rule.source, need.range) is True


def _by_the_network(chains: Chains, need: Need, pods: Pods) -> bool | None:
    """Whether pods' own network lets this through, by rules of its own in the kernel's common chains."""
    if need.way is Way.FROM_NODE or pods.are_seen or chains.name not in (UFW, IPTABLES):
        return False
    answers = {_of_one(each, chains, need, pods) for each in pods.networks}
    return answers.pop() if len(answers) == 1 else None


def _of_one(network: Cni, chains: Chains, need: Need, pods: Pods) -> bool:
    """What a firewall says no to by a rule, or by rejecting all the rest, is gone before rules that stand behind."""
    if not (network.forwards if need.way.side is Side.ROUTED else network.lets_in):
        return False
    if network.in_front:
        return True
    _, policy = chains.policy(need.way.side)
    if policy is not None and (policy.filter is not None or "reject" in policy.command.lower()):
        return False
    return not any(rule.allows is not True and covers(need, rule, pods) is not False for rule, _ in chains.rules)


def networks_in_chains(chains: Chains) -> tuple[Cni, ...]:
    """The networks whose interfaces a firewall's rules name."""
    ends = (end.string for rule, _ in chains.rules for end in (rule.in_, rule.out))
    found = {cni.key: cni for end in ends if end and not is_uplink(end) for cni in _whose(end)}
    return tuple(found.values())


def _whose(end: str) -> tuple[Cni, ...]:
    one = is_one_pods(end)
    return networks_named_in(end) or ((one,) if one is not None else ())


def missing(chains: Chains, wanted: Sequence[Need], pods: Pods) -> tuple[list[Need], list[Need]]:
    """What is surely not let through, and what may not be."""
    told = [(each, _answer(chains, each, pods)) for each in wanted]
    return [each for each, answer in told if answer is False], [each for each, answer in told if answer is None]


def _answer(chains: Chains, need: Need, pods: Pods) -> bool | None:
    answer = lets(chains, need, pods)
    by = True if answer is True else _by_the_network(chains, need, pods)
    return answer if by is False else by


_MOST_TOLD = 4
_LOADED_LATER = "firewalld is told for its next start what lets pods' traffic through, and nothing loads it now"
_GONE_LATER = "what lets pods' traffic through firewalld is gone after its next start: it was not said --permanent"
_WHICH = f"{POD_INTERFACE}: that of pods' network: cni0 of flannel, cali+ of Calico, lxc+ of Cilium"
_BUILT_IN = {Side.IN: "INPUT", Side.OUT: "OUTPUT", Side.ROUTED: "FORWARD"}


@dataclass(frozen=True)
class BlockedTraffic:
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
    def policy(self) -> FirewallStep | None:
        """The step by which nothing passes that no rule is about."""
        if self._only_once is not None:
            return self._only_once
        denying = (rule for need in self.lacking if (rule := self._denying(need)) is not None)
        return next(denying, None) or self.chains.policy(self.lacking[0].way.side)[1]

    @property
    def _only_once(self) -> FirewallStep | None:
        """What was said to firewalld for now alone, or for its next start alone."""
        told = self.firewall.firewalld
        return told.later if self.is_loaded_later else told.passing if self.name == FIREWALLD_LATER else None

    @property
    def place(self) -> Place:
        return self.policy.place if self.policy is not None else self.elsewhere

    def _denying(self, need: Need) -> FirewallStep | None:
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
        """What is wrong, whichever packets are blocked."""
        if self.chains.owner == PANIC:
            return "firewalld is in panic mode, and drops every packet"
        if self._only_once is not None:
            return _LOADED_LATER if self.is_loaded_later else _GONE_LATER
        if self.chains.owner == FIREWALLD:
            return "firewalld keeps pods' traffic back: no zone and no policy lets all of it through"
        if self._by_a_rule:
            return f"a rule of {self._chain} drops pods' traffic"
        if self.name != UFW:
            drops = "drop" if "chains" in self._chain else "drops"
            return f"{self._chain} {drops} what no rule lets through, and no rule lets pods' traffic through"
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
        return join_commands(self.commands)

    @cached_property
    def commands(self) -> list[str]:
        if self._only_once is not None:
            return ["firewall-cmd --reload" if self.is_loaded_later else "firewall-cmd --runtime-to-permanent"]
        return Remedies(self.chains, self.lacking, self.pods, self.uplink or UPLINK, self._denied()).commands()

    def _denied(self) -> dict[Need, FirewallStep]:
        """The rule by which each need is denied. A policy that drops all stands for its chain."""
        found: dict[Need, FirewallStep] = {}
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
                why = why_almost(need, rule)
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


def blocked_traffic(firewall: Firewall, pods: Pods, place: Place) -> list[tuple[BlockedTraffic, bool]]:
    """What each set of chains keeps back, and whether that is sure."""
    found: list[tuple[BlockedTraffic, bool]] = []
    for chains in firewall.closed():
        these = _by_names(pods, chains)
        surely, maybe = missing(chains, needs(these), these)
        if surely and not firewall.unread:
            found.append((BlockedTraffic(firewall, chains, these, surely, place), True))
        elif surely or maybe:
            found.append((BlockedTraffic(firewall, chains, these, surely or maybe, place), False))
    return list(_told_once(found, [each.name for each in firewall.closed()]))


def _by_names(pods: Pods, chains: Chains) -> Pods:
    """Where nothing shows the network for sure, the rules say whose interfaces they are for."""
    named = networks_in_chains(chains) if not pods.are_seen and (pods.is_guessed or not pods.networks) else ()
    return replace(pods, networks=named, shown=()) if named else pods


def _told_once(
    found: Sequence[tuple[BlockedTraffic, bool]], closed: Sequence[str]
) -> Iterator[tuple[BlockedTraffic, bool]]:
    """firewalld now and after its next start are one: what differs is when it will be right."""
    names = {story.name for story, _ in found}
    is_later = FIREWALLD_LATER in closed and FIREWALLD_LATER not in names
    for story, is_sure in found:
        if story.name != FIREWALLD_LATER or FIREWALLD not in names:
            yield replace(story, is_loaded_later=is_later and story.name == FIREWALLD), is_sure
