"""Judgements as one process hands them to another one: a rule by its name, of a subject what a report tells."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from nodeworthy.commands.settled import Run
from nodeworthy.engine import Judgement, Nothing
from nodeworthy.rule import Rule

Row = tuple[Any, ...]


def as_rows(judgements: Iterable[Judgement]) -> list[Row]:
    """One subject stays one."""
    subjects: dict[int, Nothing] = {}
    rows = []
    for each in judgements:
        subject = subjects.get(id(each.subject)) or subjects.setdefault(id(each.subject), Nothing(each.subject.place))
        said = (each.verdict, each.findings, each.suppressed, each.why, each.crashed, each.simulated, each.also_skipped)
        rows.append((each.rule.id, subject, *said))
    return rows


def judgements_of_rows(run: Run, rows: Sequence[Row]) -> list[Judgement]:
    return [Judgement(_rule(run, name), *others) for name, *others in rows]


def _rule(run: Run, name: str) -> Rule:
    from nodeworthy.rules import first_module_of, ids

    if name in ids():
        return first_module_of(name)
    own = run.own.rules if run.own is not None else ()
    return next(each for each in own if each.id == name)
