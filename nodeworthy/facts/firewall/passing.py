"""Whether a set of chains lets pods' traffic through, and why a rule that looks like the right one does not."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from nodeworthy.boot.text import EMPTY
from nodeworthy.facts.firewall.firewall import FIREWALLD, IPTABLES, UFW, Chains, Filter, Side
from nodeworthy.facts.firewall.needs import Need, Pods, Way, covers, is_about_everybody, is_gone
from nodeworthy.facts.firewall.ranges import holds_range, is_private, is_world, range_of
from nodeworthy.known.pod_interfaces import Cni, is_one_pods, is_uplink, named_by
from nodeworthy.patterns import pattern

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
    named = [end.shown() for end in ends[:2] if end and named_by(end.shown())]
    if named and pods.networks:
        brought = pods.networks[0]
        return (
            f"{named[0]} is not of {brought.key}, which this distribution brings where nobody chooses another network"
        )
    ranges = [end.shown() for end in ends[2:] if (found := range_of(end)) is not None and is_private(found)]
    if ranges:
        return f"whether pods have addresses of {ranges[0]} is said nowhere (cluster.podCidr in a fleet)"
    return f"nothing here shows whose interface {' or '.join(end.shown() for end in ends[:2] if end)} is"


def almost(need: Need, rule: Filter) -> str:
    """Empty where it does not look like the right one."""
    if rule.allows is False:
        return ""
    ends = (rule.in_, rule.out)
    for end in ends:
        one = is_one_pods(end.known or "")
        if one is not None and need.way.side is rule.side:
            return f"this names one interface `{end.known}`; `{one.pods[-1]}` is every one that begins so"
    if any(named_by(end.known or "") for end in ends if end):
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
    for rule in _asked(chains, need, pods):
        answer = covers(need, rule, pods)
        if rule.allows is False and is_open and not is_about_everybody(need, rule):
            continue
        if answer is None or (answer and rule.allows is None):
            let = let or rule.allows is not False
            kept = kept or rule.allows is None or (rule.allows is False and is_gone(need, rule, pods) is not True)
        elif answer:
            return (None if kept else True) if rule.allows else (None if let else False)
    return (None if kept else True) if is_open else (None if let else False)


def _asked(chains: Chains, need: Need, pods: Pods) -> Iterator[Filter]:
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


def named_in(chains: Chains) -> tuple[Cni, ...]:
    """The networks whose interfaces a firewall's rules name."""
    ends = (end.known or "" for rule, _ in chains.rules for end in (rule.in_, rule.out))
    found = {cni.key: cni for end in ends if end and not is_uplink(end) for cni in _whose(end)}
    return tuple(found.values())


def _whose(end: str) -> tuple[Cni, ...]:
    one = is_one_pods(end)
    return named_by(end) or ((one,) if one is not None else ())


def missing(chains: Chains, wanted: Sequence[Need], pods: Pods) -> tuple[list[Need], list[Need]]:
    """What is surely not let through, and what may not be."""
    told = [(each, _answer(chains, each, pods)) for each in wanted]
    return [each for each, answer in told if answer is False], [each for each, answer in told if answer is None]


def _answer(chains: Chains, need: Need, pods: Pods) -> bool | None:
    answer = lets(chains, need, pods)
    by = True if answer is True else _by_the_network(chains, need, pods)
    return answer if by is False else by
