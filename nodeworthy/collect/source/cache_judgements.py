"""Judgements as plain data and back: words, numbers and places, each place, rule and subject once."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from typing import Any, Generic, TypeVar

from nodeworthy.edit import Edit, EditKind
from nodeworthy.engine import Judgement
from nodeworthy.records import dataclass, field, fields
from nodeworthy.rule import Rule
from nodeworthy.verdict import Finding, Place, Related, Severity, ToGive, Verdict

T = TypeVar("T")
_PLACE = tuple(each.name for each in fields(Place))
# To look one up takes a third of what it takes to make one of its word.
_VERDICTS = {each.value: each for each in Verdict}
_WORDS = ("message", "is_", "should", "cause", "remedy", "rule", "suppressed", "simulated")
_RULE = ("id", "title", "remedy", "incident", "about_ourselves", "never_unknown", "documentation")


@dataclass(frozen=True)
class RememberedSubject:
    """The subject of a remembered judgement: a report needs only its place."""

    place: Place


@dataclass
class RememberedRule(Rule):
    told: str = ""

    @property
    def documentation(self) -> str:
        return self.told


@dataclass
class _Table(Generic[T]):
    """Each thing once; what speaks of it names its row."""

    written: Callable[[T], Any]
    rows: list[Any] = field(default_factory=list)
    _known: dict[Hashable, int] = field(default_factory=dict)

    def row(self, thing: T, key: Hashable) -> int:
        if key not in self._known:
            self._known[key] = len(self.rows)
            self.rows.append(self.written(thing))
        return self._known[key]


class _Writer:
    def __init__(self) -> None:
        self.places = _Table[Place](_place_as_data)
        self.rules = _Table[Rule](lambda rule: [rule.severity.value, *(getattr(rule, name) for name in _RULE)])
        self.subjects = _Table[Any](lambda subject: self.place(subject.place))

    def place(self, place: Place) -> int:
        return self.places.row(place, place)

    def judgement(self, each: Judgement) -> list[Any]:
        rule, subject = self.rules.row(each.rule, each.rule.id), self.subjects.row(each.subject, id(each.subject))
        found = [self._finding(finding) for finding in each.findings]
        why = _why_as_data(each.why) if each.why is not None else None
        also = [_why_as_data(other) for other in each.also_skipped]
        return [rule, subject, each.verdict.value, found, each.suppressed, why, each.crashed, each.simulated, also]

    def _finding(self, each: Finding) -> list[Any]:
        related = [[self.place(other.place), other.says] for other in each.related]
        words = [getattr(each, name) for name in _WORDS]
        about = [each.verdict.value, each.severity.value, self.place(each.where)]
        return [*about, related, list(each.victims), list(each.on), words, self._edit(each.edit)]

    def _edit(self, edit: Edit | None) -> list[Any] | None:
        return [edit.kind.value, self.place(edit.place), edit.was, edit.new, edit.title] if edit is not None else None


def _why_as_data(why: str) -> list[str]:
    return [why.why, why.give, *why.asked] if isinstance(why, ToGive) else [why]


def _why(said: str, *give: str) -> str:
    return ToGive(said, *give) if give else said


def _place_as_data(place: Place) -> list[Any]:
    told = [getattr(place, name) for name in _PLACE]
    while told and told[-1] is None:
        told.pop()
    return told


def as_data(judgements: Sequence[Judgement]) -> dict[str, Any]:
    writer = _Writer()
    made = [writer.judgement(each) for each in judgements]
    tables = {"places": writer.places.rows, "rules": writer.rules.rows, "subjects": writer.subjects.rows}
    return {**tables, "judgements": made}


def judgements_from_data(data: dict[str, Any]) -> list[Judgement]:
    """Raises what plain data of another shape raises: KeyError, TypeError, ValueError, IndexError."""
    places = [Place(*row) for row in data["places"]]
    rules = [_rule(*row) for row in data["rules"]]
    subjects = [RememberedSubject(places[row]) for row in data["subjects"]]
    return [
        Judgement(
            rules[rule],
            subjects[subject],
            _VERDICTS[verdict],
            # Nearly all have none, and a large repository has tens of thousands.
            tuple([_finding(each, places) for each in found]) if found else (),
            suppressed,
            _why(*why) if why is not None else None,
            crashed,
            simulated,
            tuple([_why(*other) for other in also]) if also else (),
        )
        for rule, subject, verdict, found, suppressed, why, crashed, simulated, also in data["judgements"]
    ]


def _rule(severity: str, identifier: str, title: str, remedy: str, *rest: Any) -> Rule:
    incident, about_ourselves, never_unknown, documentation = rest
    return RememberedRule(
        identifier, Severity(severity), title, remedy, incident, about_ourselves, never_unknown, told=documentation
    )


def _finding(row: Sequence[Any], places: Sequence[Place]) -> Finding:
    verdict, severity, where, related, victims, on, words, edit = row
    return Finding(
        Verdict(verdict),
        where=places[where],
        related=tuple(Related(places[place], says) for place, says in related),
        victims=tuple(victims),
        on=tuple(on),
        edit=_edit(*edit, places=places) if edit is not None else None,
        severity=Severity(severity),
        **dict(zip(_WORDS, words, strict=True)),
    )


def _edit(kind: str, place: int, was: str, new: str, title: str, *, places: Sequence[Place]) -> Edit:
    return Edit(EditKind(kind), places[place], was, new, title)
