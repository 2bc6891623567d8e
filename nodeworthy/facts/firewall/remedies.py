"""The commands by which each program's firewall lets pods' traffic through."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from nodeworthy.boot.text import Text
from nodeworthy.facts.firewall.firewall import (
    FIREWALLD,
    IPTABLES,
    IPV6,
    LEGACY,
    PANIC,
    UFW,
    Chains,
    Filter,
    FirewallStep,
    Side,
)
from nodeworthy.facts.firewall.pod_needs import Need, Pods, Way, needs
from nodeworthy.facts.firewall.ufw_command import ufw_command
from nodeworthy.known.pod_interfaces import is_uplink
from nodeworthy.records import dataclass

# In these hooks nobody knows yet, or any more, where a packet goes or came from.
_BEFORE, _BEHIND = ("prerouting", "ingress"), ("postrouting", "egress")
# What stands for the uplink's name where nobody knows it.
UPLINK = "UPLINK"
_ASKED, _SAID = "UPLINK=$(ip route show default | awk '{print $5; exit}')", '"$UPLINK"'
# What can be said where nothing shows which network pods have.
WHICHEVER = "rules for the interfaces and addresses of pods' network, whichever that is"
_IPTABLES_CHAINS = {Way.LEAVE: "FORWARD", Way.REACH: "FORWARD", Way.TO_NODE: "INPUT", Way.FROM_NODE: "OUTPUT"}


@dataclass(frozen=True)
class Remedies:
    chains: Chains
    lacking: Sequence[Need]
    pods: Pods
    uplink: str
    # Behind a rule that denies, a new one is never met.
    denied_by: Mapping[Need, FirewallStep]

    def commands(self) -> list[str]:
        return list(dict.fromkeys(self._commands()))

    def _commands(self) -> Iterator[str]:
        if self.chains.owner == PANIC:
            yield "firewall-cmd --panic-off"
        elif self.chains.owner == FIREWALLD:
            yield from _zones(self.pods.interface, {each.way for each in self.lacking})
        elif self.chains.name == UFW:
            for each in self.lacking:
                yield from (self._ufw(each, command) for command in each.rules(self.pods, self.uplink))
        elif self.chains.name.startswith(IPTABLES):
            yield from (self._iptables(each) for each in self.lacking)
        else:
            yield from (self._nft(each) for each in self.lacking)

    def _ufw(self, need: Need, command: str) -> str:
        """A rule of the same words is replaced where it stands, and never put before itself."""
        step = self.denied_by.get(need)
        asked = ufw_command([Text.of(each) for each in command.split()[1:]]).rule
        if step is None or step.filter is None or asked is None or asked.filter.key == step.filter.key:
            return command
        if any(rule.allows and rule.key == asked.filter.key for rule, _ in self.chains.rules):
            return _deletion(step.filter, step.command)
        return command.replace(" allow ", " prepend allow ", 1)

    def _iptables(self, need: Need) -> str:
        table, _, chain = self.chains.name.rpartition(" ")
        put = "-I" if need in self.denied_by or table else "-A"
        chain = chain if table else _IPTABLES_CHAINS[need.way]
        flag, end = self._end(need)
        option = {"iif": "-i", "oif": "-o", "saddr": "-s", "daddr": "-d"}[flag]
        program = self.chains.owner if self.chains.owner in (LEGACY, IPV6) else IPTABLES
        return f"{table or program} {put} {chain} {option} {end} -j ACCEPT"

    def _nft(self, need: Need) -> str:
        put = "insert" if need in self.denied_by else "add"
        flag, end = self._end(need)
        family = "ip6" if self.pods.is_ipv6 else "ip"
        match = f"{family} {flag} {end}" if flag.endswith("addr") else f"{flag}name '\"{end.replace('+', '*')}\"'"
        return f"nft {put} rule {self.chains.name.removeprefix('nft ')} {match} accept"

    def _end(self, need: Need) -> tuple[str, str]:
        """How a rule in this chain can tell that a packet is a pod's."""
        comes = need.way in (Way.LEAVE, Way.TO_NODE)
        if self.chains.hook in (_BEHIND if comes else _BEFORE):
            return "saddr" if comes else "daddr", str(next(iter(self.pods.ranges), "10.0.0.0/8"))
        return "iif" if comes else "oif", self.pods.interface


def join_commands(commands: Sequence[str]) -> str:
    """The commands as they are typed; where nobody knows the uplink's name, the machine is asked for it first."""
    typed = "; ".join(dict.fromkeys(commands))
    if UPLINK not in typed:
        return typed
    return f"{_ASKED}; {typed.replace(UPLINK, _SAID)}"


def narrow(pods: Pods, *sides: Side) -> str:
    """The rules of ufw that pods need, as far as they are of these sides and their network brings none of its own."""
    asked = sides or (Side.ROUTED, Side.IN)
    wanted = [each for each in needs(pods) if each.way.side in asked and not _brought(each, pods)]
    if not pods.networks and not pods.ranges:
        return WHICHEVER if wanted else ""
    return join_commands([command for each in wanted for command in each.rules(pods, pods.uplink or UPLINK)])


def _brought(need: Need, pods: Pods) -> bool:
    if pods.are_seen or need.way is Way.FROM_NODE:
        return False
    is_routed = need.way.side is Side.ROUTED
    return bool(pods.networks) and all(each.forwards if is_routed else each.lets_in for each in pods.networks)


def _deletion(denying: Filter, command: str) -> str:
    """What is allowed behind a denial is met as soon as that is gone: to allow it once more, ufw skips."""
    action = "reject" if "reject" in command.lower() else "deny"
    ends = (("in on", denying.in_), ("out on", denying.out), ("from", denying.source), ("to", denying.to))
    told = " ".join(f"{word} {end.shown()}" for word, end in ends if end)
    return f"ufw {'route ' if denying.side is Side.ROUTED else ''}delete {action} {told or 'from any'}"


def _zones(pods: str, ways: set[Way]) -> Iterator[str]:
    """What comes from a trusted zone is let through; what goes there only by a policy, whose zones are added singly."""
    by_firewalld = "firewall-cmd --permanent"
    yield f"{by_firewalld} --zone=trusted --add-interface={pods}"
    if Way.REACH in ways:
        policy = f"{by_firewalld} --policy=pods"
        yield f"{by_firewalld} --new-policy=pods"
        yield f"{policy} --set-target=ACCEPT"
        yield f"{policy} --add-ingress-zone=ANY"
        yield f"{policy} --add-egress-zone=trusted"
    yield "firewall-cmd --reload"


def uplink_of(rules: Sequence[Filter]) -> str:
    """The uplink's name, where some rule says it."""
    ends = (end.string for rule in rules for end in (rule.out, rule.in_))
    return next((end for end in ends if is_uplink(end)), "")
