"""What a script, an image or a list of tasks asks of archives that are gone."""

from __future__ import annotations

from collections.abc import Iterator
from typing import ClassVar

from nodeworthy.known.gone_sources import GoneSource, gone_sources
from nodeworthy.patterns import pattern
from nodeworthy.records import dataclass
from nodeworthy.verdict import Place

# A comment, and what only prints or looks for the words: `grep -q mirror.centos.org`, `sed -i s/mirror…/vault…/`.
_ASKS_NOTHING = pattern(r"^\s*(?:#|//|--\s)|^\s*(?:-\s+)?(?:sudo\s+)?(?:if\s+)?(?:echo|printf|grep|sed)\b")


@dataclass(frozen=True)
class GoneSourceAsked:
    called: ClassVar[str] = "something that is asked of an archive"

    place: Place
    written: str
    source: GoneSource
    # The file asks it for something, and nothing in it takes its place.
    in_vain: bool
    # Where else the same is asked in the file.
    others: tuple[Place, ...] = ()


def gone_sources_asked(text: str, path: str) -> Iterator[GoneSourceAsked]:
    """Each source once."""
    for source in gone_sources():
        if not any(word in text for word in source.words):
            continue
        found = [
            (Place(path=path, line=row, column=each.start() + 1), line[each.start() : each.end()])
            for row, line in enumerate(text.split("\n"), 1)
            if _ASKS_NOTHING.match(line) is None and (each := source.asks.search(line)) is not None
        ]
        if found:
            others = tuple(place for place, _ in found[1:])
            yield GoneSourceAsked(*found[0], source, source.is_asked_in(text), others)
