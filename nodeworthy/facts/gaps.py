"""What of a boot was not understood, as far as it concerns somebody."""

from __future__ import annotations

from collections.abc import Iterator

from nodeworthy.boot.effects import NotUnderstood
from nodeworthy.boot.timeline import Timeline


def gaps(timeline: Timeline, *words: str) -> Iterator[NotUnderstood]:
    """Regions in which one of these words stands. What the reader adds in brackets, that anything may happen there,
    is no such word: by it every fetched agent would blind every rule."""
    for each in timeline.of(NotUnderstood):
        written = each.text.partition(" (it may do anything")[0]
        if any(word in written for word in words):
            yield each
