"""Judgements as one process hands them to another one: a rule by its name, of a subject what a report tells."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from nodeworthy.commands.settled import Run
from nodeworthy.engine import Judgement, Nothing
from nodeworthy.records import fields
from nodeworthy.rule import Rule

Row = tuple[Any, ...]
_SUBJECT = [each.name for each in fields(Judgement)].index("subject")
_OTHERS = [each.name for each in fields(Judgement)][_SUBJECT + 1 :]


def as_rows(judgements: Iterable[Judgement]) -> list[Row]:
    """One subject stays one."""
    subjects: dict[int, Nothing] = {}
    rows = []
    for each in judgements:
        subject = subjects.get(id(each.subject)) or subjects.setdefault(id(each.subject), Nothing(each.subject.place))
        rows.append((each.rule.id, subject, *(getattr(each, name) for name in _OTHERS)))
    return rows


def judgements_of_rows(run: Run, rows: Sequence[Row]) -> list[Judgement]:
    return [Judgement(_rule(run, name), *others) for name, *others in rows]


def _rule(run: Run, name: str) -> Rule:
    from nodeworthy.rules import first_module_of, ids

    if name in ids():
        return first_module_of(name)
    own = run.own.rules if run.own is not None else ()
    return next(each for each in own if each.id == name)
