"""A rule of nftables: which packets it is about, and what becomes of them; a verdict map is several."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import field, replace

from nodeworthy.facts.firewall.firewall import Filter, Side
from nodeworthy.facts.firewall.nft_match import STATE, Match, match_at, narrowed, values_at
from nodeworthy.records import dataclass

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
            self.about = [narrowed(each, match, None) for each in self.about]

    def _map(self, match: Match) -> None:
        pairs, _ = values_at(self.words, match.values + 1, self.sets)
        if pairs is None:
            self.found = [Outcome(narrowed(each, match, None), "") for each in self.about]
        else:
            self.found = [each for one in self.about for pair in pairs for each in _outcome(one, match, pair)]
        self.at = len(self.words)


def outcomes(words: Sequence[str], side: Side, sets: Sets) -> list[Outcome]:
    """In their order; none where every packet goes on."""
    return [each for each in _Reading(words, sets, [Filter(side, None)]).run() if each.verdict != "continue"]


def _outcome(of: Filter, match: Match, pair: Sequence[str]) -> Iterator[Outcome]:
    if ":" not in pair:
        return
    at = len(pair) - 1 - list(reversed(pair)).index(":")
    key, verdict = pair[:at], pair[at + 1 :]
    yield Outcome(narrowed(of, match, key), verdict[0] if verdict else "", " ".join(verdict[1:2]))


def _any_of(of: Filter, match: Match, values: list[Sequence[str]] | None) -> list[Filter]:
    if values is None:
        return [narrowed(of, match, None)]
    if list(match.key) == [STATE]:
        return [narrowed(of, match, ["new"] if ["new"] in values else ["established"])]
    return [narrowed(of, match, each) for each in values]


def _none_of(of: Filter, match: Match, values: list[Sequence[str]] | None) -> Filter:
    if list(match.key) == [STATE]:
        values = [["new"] if ["new"] in (values or []) else ["established"]]
    every = Filter(of.side, None)
    but = [narrowed(every, match, each) for each in (values if values is not None else [None])]
    return replace(of, unless=(*of.unless, *but))
