"""A rule of nftables: which packets it is about, and what becomes of them; a verdict map is several."""

from __future__ import annotations

import ipaddress
from collections.abc import Iterator, Mapping, Sequence

from nodeworthy.boot.text import EMPTY, Text
from nodeworthy.facts.firewall.firewall import Filter, Side
from nodeworthy.facts.firewall.nft_listing import elements
from nodeworthy.records import dataclass, field, replace

# What a match of nftables asks of a packet: the ends that it names, and what it compares them with.

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


def narrow_filter(to: Filter, match: Match, value: Sequence[str] | None) -> Filter:
    """The filter for packets of `to` whose key has this value. None is a value that nobody knows."""
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
    """Reads what says nothing of who talks with whom. A packet of which nobody says more is IPv4's, and begins a
    connection."""
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


_ENDS = ("accept", "drop", "reject", "return", "continue", "queue")
_LEADS = ("jump", "goto")
# With how many words behind them they say nothing about which packets these are.
_PASSING = {
    "counter": 0,
    "comment": 1,
    "packets": 1,
    "bytes": 1,
    "log": 0,
    "prefix": 1,
    "level": 1,
    "group": 1,
    "snaplen": 1,
    "queue-threshold": 1,
    "flags": 1,
    "name": 1,
    "notrack": 0,
}
# From here to the verdict it does something to the packet, or keeps it in mind.
_DOING = frozenset("set add update delete flow dup fwd synproxy tproxy".split())
_NAMING = frozenset("iif iifname oif oifname saddr daddr".split())


@dataclass(frozen=True)
class Outcome:
    """`filter` are the packets; `verdict` is one of nftables, and empty where nobody can know it."""

    filter: Filter
    verdict: str
    chain: str = ""


Sets = Mapping[str, list[Sequence[str]]]


@dataclass
class _Reading:
    words: Sequence[str]
    sets: Sets
    # Alternatives: a set in braces is several rules.
    about: list[Filter]
    at: int = 0
    found: list[Outcome] = field(default_factory=list)

    def run(self) -> list[Outcome]:
        while self.at < len(self.words) and not self._ends():
            self._next()
        return self.found

    def _ends(self) -> bool:
        word, then = (*self.words[self.at : self.at + 2], "")[:2]
        if word in _ENDS:
            self.found = [Outcome(each, word) for each in self.about]
        elif word in _LEADS:
            self.found = [Outcome(each, word, then) for each in self.about]
        elif word == "vmap":
            self.found = [Outcome(replace(each, is_narrowed=True), "") for each in self.about]
        return word in (*_ENDS, *_LEADS, "vmap")

    def _next(self) -> None:
        word = self.words[self.at]
        match = match_at(self.words, self.at)
        if match is not None and self.words[match.values : match.values + 1] == ["vmap"]:
            self._map(match)
        elif match is not None and self.words[match.values : match.values + 1] != ["set"]:
            self._match(match)
        elif match is not None or word in _DOING:
            self._do()
        elif word == "limit":
            self.about = [replace(each, limits=f"{each.limits} a limited rate".strip()) for each in self.about]
            self._do()
        elif word in _PASSING:
            self.at += 1 + _PASSING[word]
        else:
            self.about = [replace(each, is_narrowed=True) for each in self.about]
            self.at += 1

    def _do(self) -> None:
        """Goes on at the verdict. What is named on the way there might ask for something, and is not read."""
        end = next((at for at in range(self.at, len(self.words)) if self.words[at] in (*_ENDS, *_LEADS)), None)
        skipped = self.words[self.at + 1 : end]
        if _NAMING.intersection(skipped) and self.words[self.at] not in ("add", "update", "delete"):
            self.about = [replace(each, is_narrowed=True) for each in self.about]
        self.at = len(self.words) if end is None else end

    def _match(self, match: Match) -> None:
        values, self.at = values_at(self.words, match.values, self.sets)
        if match.compares == "==":
            self.about = [each for one in self.about for each in _any_of(one, match, values)]
        elif match.compares == "!=":
            self.about = [_none_of(each, match, values) for each in self.about]
        else:
            self.about = [narrow_filter(each, match, None) for each in self.about]

    def _map(self, match: Match) -> None:
        pairs, _ = values_at(self.words, match.values + 1, self.sets)
        if pairs is None:
            self.found = [Outcome(narrow_filter(each, match, None), "") for each in self.about]
        else:
            self.found = [each for one in self.about for pair in pairs for each in _outcome(one, match, pair)]
        self.at = len(self.words)


def outcomes(words: Sequence[str], side: Side, sets: Sets) -> list[Outcome]:
    """The outcomes in their order. None where every packet goes on."""
    return [each for each in _Reading(words, sets, [Filter(side, None)]).run() if each.verdict != "continue"]


def _outcome(of: Filter, match: Match, pair: Sequence[str]) -> Iterator[Outcome]:
    if ":" not in pair:
        return
    at = len(pair) - 1 - list(reversed(pair)).index(":")
    key, verdict = pair[:at], pair[at + 1 :]
    yield Outcome(narrow_filter(of, match, key), verdict[0] if verdict else "", " ".join(verdict[1:2]))


def _any_of(of: Filter, match: Match, values: list[Sequence[str]] | None) -> list[Filter]:
    if values is None:
        return [narrow_filter(of, match, None)]
    if list(match.key) == [STATE]:
        return [narrow_filter(of, match, ["new"] if ["new"] in values else ["established"])]
    return [narrow_filter(of, match, each) for each in values]


def _none_of(of: Filter, match: Match, values: list[Sequence[str]] | None) -> Filter:
    if list(match.key) == [STATE]:
        values = [["new"] if ["new"] in (values or []) else ["established"]]
    every = Filter(of.side, None)
    but = [narrow_filter(every, match, each) for each in (values if values is not None else [None])]
    return replace(of, unless=(*of.unless, *but))
