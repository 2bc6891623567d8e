"""A firewall in its own words: filters in their order, policies, and the steps that make them, whoever writes them."""

from __future__ import annotations

from enum import Enum, StrEnum

from nodeworthy.boot.conditions import Guard
from nodeworthy.boot.text import EMPTY, Text
from nodeworthy.records import dataclass, field
from nodeworthy.verdict import Place


class Side(StrEnum):
    """What a filter is asked about: traffic to the machine, from it, and through it."""

    IN = "incoming"
    OUT = "outgoing"
    ROUTED = "routed"


@dataclass(frozen=True)
class Filter:
    """One rule of a firewall. An empty text is anything."""

    side: Side
    # None: it sends the packet to a chain that is not followed here.
    allows: bool | None
    in_: Text = EMPTY
    out: Text = EMPTY
    source: Text = EMPTY
    to: Text = EMPTY
    # What narrows it further, in words: "udp port 53", "established connections".
    limits: str = ""
    # Whether nobody here knows what narrows it further.
    is_narrowed: bool = False
    # It is not about those packets that one of these is about.
    unless: tuple[Filter, ...] = ()

    @property
    def key(self) -> tuple[object, ...]:
        """Two filters of one key are the same rule, whatever becomes of the packet."""
        shown = (each.shown() for each in (self.in_, self.out, self.source, self.to))
        return (self.side, *shown, self.limits)


class Does(Enum):
    ADD = "adds a rule"
    INSERT = "puts a rule before others"
    REMOVE = "removes a rule"
    POLICY = "sets a policy"
    ON = "switches it on"
    OFF = "switches it off"
    CLEAR = "forgets its rules"
    REFUSED = "is refused"
    UNANSWERED = "asks, and nobody answers"
    UNREAD = "is not understood"


@dataclass(frozen=True)
class FirewallStep:
    """One thing that is done to a firewall."""

    does: Does
    # ufw, iptables (both are the kernel's same chains), or a chain of nftables
    table: str
    place: Place
    command: str
    conditions: Guard = ()
    filter: Filter | None = None
    # Of an insertion: behind how many of ufw's rules; of a removal: which one, counted from 1.
    position: int = 0
    sides: tuple[Side, ...] = ()
    allows: bool = False
    why: str = ""
    # The words of a call whose meaning depends on what was said before.
    asked: tuple[Text, ...] = ()


# ufw's own chains hang in those of iptables; nftables' chains stand beside them, and a packet must pass them all.
UFW, IPTABLES = "ufw", "iptables"
# Whose rules these are, where it is not who wrote the boot script.
FIREWALLD, PANIC, LEGACY = "firewalld", "firewalld's panic mode", "iptables-legacy"
# Of tables that are asked of IPv6's packets alone.
IPV6 = "ip6tables"
# What it is when it starts the next time.
FIREWALLD_LATER = "firewalld after its next start"


@dataclass
class Chains:
    """One set of chains as the steps leave it."""

    name: str
    # Whether what no rule is about is let through, and the step that says so; None is the default.
    policies: dict[Side, tuple[bool, FirewallStep | None]] = field(default_factory=dict)
    rules: list[tuple[Filter, FirewallStep]] = field(default_factory=list)
    # Where the kernel asks them, if that is known and one place.
    hook: str = ""
    # The program that writes them anew whenever it likes.
    owner: str = ""

    def policy(self, side: Side) -> tuple[bool, FirewallStep | None]:
        return self.policies.get(side, (True, None))
