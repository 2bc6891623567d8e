"""What shows which network pods have: the table of `network_signs.toml`, typed."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cache, cached_property
from typing import Any

from nodeworthy.known.tables import table_of
from nodeworthy.patterns import pattern
from nodeworthy.records import dataclass


@dataclass(frozen=True)
class Sign:
    """How something is written that shows a network, and what follows from it."""

    id: str
    text: re.Pattern[str]
    # One of them stands in whatever it finds.
    words: tuple[str, ...]
    confidence: str
    source: str
    # The distribution, with the network that it brings.
    distribution: str = ""
    # A network that somebody chose, whatever the distribution brings.
    network: str = ""
    # The distribution is told to bring none.
    without: bool = False
    # Its own rules stand before a firewall's, and let through what is forwarded.
    in_front: bool = False
    # A file beside the script shows it as well.
    everywhere: bool = False

    @property
    def is_certain(self) -> bool:
        return self.confidence == "certain"

    @cached_property
    def anywhere(self) -> re.Pattern[str]:
        """The same in a text of many lines: it finds all that is found line by line, and perhaps more."""
        return re.compile(self.text.pattern, re.MULTILINE)


@dataclass(frozen=True)
class Choice:
    """How a range is chosen: of pods, or of services."""

    of: str
    text: re.Pattern[str]
    words: tuple[str, ...]


@dataclass(frozen=True)
class Usual:
    """The ranges where nobody chooses others; empty where there is no usual one."""

    pods: str = ""
    services: str = ""


@cache
def _table() -> Mapping[str, Any]:
    return table_of("network_signs")


@cache
def signs() -> tuple[Sign, ...]:
    return tuple(
        Sign(**{**row, "text": pattern(row["text"]), "words": tuple(row["words"])}) for row in _table()["sign"]
    )


@cache
def mark() -> re.Pattern[bytes]:
    """Where one of those stands that a file beside a script shows as well."""
    texts = (row["text"] for row in _table()["sign"] if row.get("everywhere"))
    return pattern("|".join(texts).encode(), re.MULTILINE)


@cache
def words() -> tuple[bytes, ...]:
    """One of them stands in whatever the mark finds."""
    return tuple(dict.fromkeys(word.encode() for each in signs() if each.everywhere for word in each.words))


def usual(key: str) -> Usual:
    """What is usual for a distribution, or for a network."""
    row = _table()["usual"].get(key, {})
    return Usual(row.get("pods", ""), row.get("services", ""))


@cache
def mark_of_ranges() -> re.Pattern[bytes]:
    """Where somebody chooses one."""
    return pattern("|".join(row["text"] for row in _table()["range"]).encode(), re.MULTILINE)


@cache
def words_of_ranges() -> tuple[bytes, ...]:
    return tuple(dict.fromkeys(word.encode() for each in ranges() for word in each.words))


@cache
def ranges() -> tuple[Choice, ...]:
    """How the ranges of pods and services are chosen."""
    return tuple(Choice(row["of"], pattern(row["text"]), tuple(row["words"])) for row in _table()["range"])
