"""What a collector should have seen and could not, and what a document says that nobody reads."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice
from typing import ClassVar

from nodeworthy.documents.tree import Tree
from nodeworthy.records import dataclass
from nodeworthy.verdict import Place, Verdict


@dataclass(frozen=True)
class UnreadableInput:
    """A file found in a folder, or a part of a dump, that can't be read or parsed."""

    place: Place
    why: str


@dataclass(frozen=True)
class NotLookedAt:
    """What had to be seen and stayed unseen: a core kind, a host, a remote component."""

    place: Place
    why: str
    verdict: Verdict = Verdict.UNKNOWN
    remedy: str | None = None


@dataclass(frozen=True)
class DoubledKey:
    """A key that stands twice in one mapping: the last one holds, and what the first one says is lost."""

    called: ClassVar[str] = "a key that stands twice"

    # Of the one that holds.
    place: Place
    name: str
    lost: Place


_MOST = 10


def doubled_keys(document: Tree) -> Iterator[DoubledKey]:
    found = islice(getattr(document.value, "lost", ()), _MOST)
    yield from (DoubledKey(again, name, first) for name, first, again in found)
