"""What of a boot was not understood, as far as it concerns somebody."""

from __future__ import annotations

import re
from collections.abc import Iterator

from nodeworthy.boot.effects import NotUnderstood
from nodeworthy.boot.timeline import Timeline

_ADDED = re.compile(r" \([^()\n]*\bany[^()\n]*\)$")


def gaps(timeline: Timeline, *words: str) -> Iterator[NotUnderstood]:
    """Regions in which one of these words stands. What the reader adds in brackets, that it may be anything, is no
    such word: by it every agent that is fetched and run would blind every rule."""
    for each in timeline.of(NotUnderstood):
        written = _ADDED.sub("", each.text)
        if any(word in written for word in words):
            yield each
