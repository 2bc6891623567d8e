"""Drafts of what a boot leaves behind, where a template decides which of several it is."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from nodeworthy.boot.conditions import Guard
from nodeworthy.records import replace
from nodeworthy.verdict import Draft, Place, Verdict


def if_it_is_there(flaw: Draft) -> Draft:
    message = f"{flaw.message}, and whether it is there, a template decides"
    return replace(flaw, verdict=Verdict.UNKNOWN, message=message, is_=None, should=None)


def agreed_drafts(every: Sequence[Sequence[Draft]]) -> Iterator[Draft]:
    """The drafts about a template, from those of each text that it may become: what all have is a flaw, and what only
    some have is a doubt."""
    told: set[tuple[Place, str]] = set()
    for flaws in every:
        for flaw in flaws:
            key = (flaw.where, flaw.message)
            if key in told:
                continue
            told.add(key)
            in_all = all(any((each.where, each.message) == key for each in others) for others in every)
            yield flaw if in_all or flaw.is_unknown else if_it_is_there(flaw)


def shown_guard(guard: Guard) -> str:
    """The conditions under which something happens, in a reader's words."""
    return " and ".join(each.shown() for each in guard if not each.is_expected) or "it is reached"
