"""What a match of nftables asks of a packet: the ends that it names, and what it compares them with."""

from __future__ import annotations

import ipaddress
from collections.abc import Mapping, Sequence
from dataclasses import replace

from nodeworthy.boot.text import EMPTY, Text
from nodeworthy.facts.firewall.firewall import Filter
from nodeworthy.facts.firewall.nft_listing import elements
from nodeworthy.records import dataclass

_INTERFACES = {"iif": "in_", "iifname": "in_", "oif": "out", "oifname": "out"}
_ADDRESSES = {"saddr": "source", "daddr": "to"}
_HEADERS = frozenset("tcp udp udplite sctp dccp th icmp icmpv6 igmp esp ah comp ip6 ether vlan arp".split())
# About a packet: its kind. A program's mark, or a group of interfaces, is nothing that can be seen here.
_KINDS = ("l4proto", "pkttype", "length", "protocol")
_BITS = ("&", "|", "^", "<<", ">>", "and", "or", "xor")
_COMPARES = ("==", "!=", "<", ">", "<=", ">=")
STATE, STATUS, FAMILY, LIMIT, OTHER = "state", "status", "family", "limit", "other"


@dataclass(frozen=True)
class Match:
    """A key, how it is compared, and where its values begin among the words."""

    key: Sequence[str]
    compares: str
    values: int


def match_at(words: Sequence[str], at: int) -> Match | None:
    """None where no match begins here."""
    key: list[str] = []
    while True:
        kind, at = _selector(words, at)
        if not kind:
            return None
        key.append(kind)
        if words[at : at + 1] != ["."]:
            break
        at += 1
    while at < len(words) and words[at] in _BITS:
        key, at = [OTHER if each != LIMIT else LIMIT for each in key], at + 2
    compares = words[at] if at < len(words) and words[at] in _COMPARES else ""
    return Match(key, compares or "==", at + bool(compares))


def _selector(words: Sequence[str], at: int) -> tuple[str, int]:
    word, then = (*words[at : at + 2], "", "")[:2]
    if word == "meta":
        return _of_meta(then), at + 2
    if word in _INTERFACES:
        return _INTERFACES[word], at + 1
    if word == "ip":
        return _ADDRESSES.get(then, LIMIT), at + 2
    if word == "ct":
        return _of_connections(words, at + 1)
    if word == "fib":
        end = next((each for each in range(at, len(words)) if words[each] in ("type", "oif", "oifname")), at + 2)
        # `fib saddr . iif oif`: the result stands last.
        return OTHER, end + 1
    return (LIMIT, at + 2) if word in _HEADERS else ("", at)


def _of_meta(word: str) -> str:
    if word in _INTERFACES:
        return _INTERFACES[word]
    if word == "nfproto":
        return FAMILY
    return LIMIT if word in _KINDS else OTHER


def _of_connections(words: Sequence[str], at: int) -> tuple[str, int]:
    if words[at : at + 1] in (["original"], ["reply"]):
        return OTHER, at + (3 if words[at + 1 : at + 2] in (["ip"], ["ip6"]) else 2)
    return {"state": STATE, "status": STATUS}.get(words[at] if at < len(words) else "", OTHER), at + 1


def values_at(
    words: Sequence[str], at: int, sets: Mapping[str, list[Sequence[str]]]
) -> tuple[list[Sequence[str]] | None, int]:
    """What the key is compared with, None where that was not listed, and where the next word stands."""
    if at >= len(words):
        return None, at
    if words[at].startswith("@"):
        return sets.get(words[at][1:]), at + 1
    if words[at] == "{":
        end = next((each for each in range(at, len(words)) if words[each] == "}"), len(words))
        return elements(words[at : end + 1]), end + 1
    end = at + 1
    while end + 1 < len(words) and words[end] in (",", "."):
        end += 2
    return elements(words[at:end]), end


def narrowed(to: Filter, match: Match, value: Sequence[str] | None) -> Filter:
    """Of the packets of `to` those whose key has this value; None is a value that nobody knows."""
    if value is None:
        unseen = [each for each in match.key if each not in (LIMIT, STATUS)]
        return replace(to, is_narrowed=True) if len(unseen) == len(match.key) else _limited(to, "ports and protocols")
    parts = _parts(value)
    for kind, part in zip(match.key, [*parts, *[""] * len(match.key)], strict=False):
        to = _one(to, kind, part)
    return to


def _parts(value: Sequence[str]) -> list[str]:
    """The fields of a concatenation, without what an element has behind it: a timeout, a counter, a comment."""
    found = [value[0]]
    for at in range(1, len(value) - 1, 2):
        if value[at] != ".":
            break
        found.append(value[at + 1])
    return found


def _one(to: Filter, kind: str, value: str) -> Filter:
    if kind == "in_":
        return replace(to, in_=_interface(value))
    if kind == "out":
        return replace(to, out=_interface(value))
    if kind == "source":
        return replace(to, source=_address(value))
    if kind == "to":
        return replace(to, to=_address(value))
    return _other(to, kind, value)


def _other(to: Filter, kind: str, value: str) -> Filter:
    """What leaves open who talks with whom: a packet of which nobody says more is IPv4's, and begins a connection."""
    if kind == STATE:
        return to if value in ("new", "untracked") else _limited(to, "established connections")
    if kind == STATUS:
        return _limited(to, "connections that were translated")
    if kind == FAMILY:
        return to if value in ("ipv4", "") else _limited(to, "IPv6")
    return replace(to, is_narrowed=True) if kind == OTHER else _limited(to, value or "ports and protocols")


def _limited(to: Filter, by: str) -> Filter:
    return replace(to, limits=f"{to.limits} {by}".strip())


def _interface(name: str) -> Text:
    if name in ("*", ""):
        return EMPTY
    return Text.of(f"{name[:-1]}+" if name.endswith("*") else name)


def _address(written: str) -> Text:
    first, dash, last = written.partition("-")
    if dash:
        return _spanned(first, last)
    return EMPTY if written in ("0.0.0.0/0", "::/0", "") else Text.of(written)


def _spanned(first: str, last: str) -> Text:
    """A span of addresses as a range, where it is one."""
    try:
        begin, end = (ipaddress.ip_address(each) for each in (first, last))
        whole = list(ipaddress.summarize_address_range(begin, end))
    except (TypeError, ValueError):
        return Text.of(f"{first}-{last}")
    return Text.of(str(whole[0])) if len(whole) == 1 else Text.of(f"{first}-{last}")
