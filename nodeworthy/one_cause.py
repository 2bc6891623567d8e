"""A subject that could not be read is told once: by the rule whose business that is, where this run asks it."""

from __future__ import annotations

from collections.abc import Sequence
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
    return [_left_to_it(each, told) for each in made]


def _left_to_it(judgement: Judgement, told: set[tuple[str, int]]) -> Judgement:
    # Asked last: whoever answers may have to read the whole subject for it.
    if judgement.verdict is not Verdict.UNKNOWN:
        return judgement
    teller = getattr(judgement.subject, "unread_told_by", None)
    if teller is None or judgement.rule.id == teller or (teller, id(judgement.subject)) not in told:
        return judgement
    return replace(judgement, verdict=Verdict.SKIP, findings=(), why=f"{teller} says why nothing of it could be read")
