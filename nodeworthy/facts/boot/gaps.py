"""What of a boot was not understood, as far as it concerns somebody."""

from __future__ import annotations

from collections.abc import Iterator

from nodeworthy.boot.effects import NotUnderstood
from nodeworthy.boot.timeline import Timeline
from nodeworthy.patterns import pattern

# Of these nothing is known: they may do anything.
_ANYTHING = (
    "the program here is",
    "the script here is",
    "what is evaluated here",
    "what it runs is",
    "what this shell is given",
    "what stands in",
    "what is run for another user",
)
_ADDED = pattern(r" \([^()\n]*\bany[^()\n]*\)$")


def gaps(timeline: Timeline, *words: str) -> Iterator[NotUnderstood]:
    """Regions in which one of these words stands. What the reader adds in brackets, that it may be anything, is no
    such word: by it every agent that is fetched and run would blind every rule."""
    for each in timeline.of(NotUnderstood):
        written = as_written(each)
        if any(word in written for word in words):
            yield each


def as_written(gap: NotUnderstood) -> str:
    """Its text, without what the reader adds in brackets."""
    return _ADDED.sub("", gap.text)


def may_be_anything(gap: NotUnderstood) -> bool:
    """Whether nothing of it is known, and not only what it is done to: a script that is fetched and run, `$TOOL`."""
    return "(it may do anything" in gap.text or gap.why.startswith(_ANYTHING)
