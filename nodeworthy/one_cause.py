"""A subject that could not be read is told once: by the rule whose business that is, where this run asks it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from nodeworthy.verdict import Verdict

if TYPE_CHECKING:
    from nodeworthy.engine import Judgement


def told_once_that_unread(made: Sequence[Judgement]) -> list[Judgement]:
    """Where no rule has told it, each of them says for itself that it is unknown: nothing passes unseen."""
    told = {
        (each.rule.id, id(each.subject))
        for each in made
        if each.verdict in (Verdict.FAIL, Verdict.UNKNOWN) and not each.suppressed
    }
    return list(_once(_left_to_it(each, told) for each in made))


def _once(made: Iterable[Judgement]) -> Iterator[Judgement]:
    """What a subject says is to be told by one rule for all is unknown in the first that asks."""
    told: dict[tuple[int, str], str] = {}
    for each in made:
        once: frozenset[str] = getattr(each.subject, "told_once", frozenset())
        said = {finding.message for finding in each.findings} if each.verdict is Verdict.UNKNOWN else set()
        by = [told.get((id(each.subject), message)) for message in said & once]
        if said and said <= once and all(by):
            why = f"{by[0]} says why: {next(iter(said))}"
            yield replace(each, verdict=Verdict.SKIP, findings=(), why=why)
            continue
        told |= {(id(each.subject), message): each.rule.id for message in said & once if not each.suppressed}
        yield each


def _left_to_it(judgement: Judgement, told: set[tuple[str, int]]) -> Judgement:
    # Asked last: whoever answers may have to read the whole subject for it.
    if judgement.verdict is not Verdict.UNKNOWN:
        return judgement
    teller = getattr(judgement.subject, "unread_told_by", None)
    if teller is None or judgement.rule.id == teller or (teller, id(judgement.subject)) not in told:
        return judgement
    return replace(judgement, verdict=Verdict.SKIP, findings=(), why=f"{teller} says why nothing of it could be read")
