"""What of a boot was not understood, as far as it concerns somebody."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from nodeworthy.boot.effects import NotUnderstood
from nodeworthy.boot.timeline import Timeline
from nodeworthy.facts.boot.script import BootScript
from nodeworthy.facts.not_seen import NotLookedAt
from nodeworthy.verdict import NotKnown


def gaps(timeline: Timeline, *words: str) -> Iterator[NotUnderstood]:
    """Regions in which one of these words stands. What the reader adds in brackets, that it may be anything, is no
    such word: by it every agent that is fetched and run would blind every rule."""
    for each in timeline.of(NotUnderstood):
        if any(word in each.written for word in words):
            yield each


def not_followed(scripts: Iterable[BootScript]) -> Iterator[NotLookedAt]:
    """The scripts behind whose first steps nobody looked: a rule that misses nothing there has not seen it all."""
    for script in scripts:
        try:
            gaps_in_it = script.timeline.of(NotUnderstood)
        except NotKnown:  # a rule of its own says why
            continue
        for each in gaps_in_it:
            if each.ends_it:
                why = f"{each.why}: what it does from here on is not known"
                yield NotLookedAt(each.place, why, remedy="let a program do what the script repeats so often")
