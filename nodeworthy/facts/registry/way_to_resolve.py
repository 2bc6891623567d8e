"""A step by which a node may resolve a name that only the cluster's DNS knows."""

from __future__ import annotations

from collections.abc import Sequence

from nodeworthy.boot.content import Line
from nodeworthy.boot.effects import Effect, How, Writes
from nodeworthy.facts.boot.written_text import content_of
from nodeworthy.records import dataclass


@dataclass(frozen=True)
class Way:
    """A step by which the node can resolve a name, or may."""

    step: Effect
    # What keeps it from working; empty where it works.
    but: str = ""
    remedy: str = ""
    should: str = "a resolver that asks the cluster's DNS"
    # Why it is not known whether it is one.
    unknown: str = ""


def lines_of(write: Writes) -> Sequence[Line]:
    """The lines of the file after this step, as far as they are known, and what an edit says."""
    content = content_of(write) or write.content
    edited = tuple(Line(each, write.place) for each in write.expressions) if write.how is How.EDIT else ()
    return (*(content.lines if content is not None else ()), *edited)
