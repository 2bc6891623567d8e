"""The effects that a timeline shows, and what rules say of them: both ends of a finding, each in place."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import field, replace

from nodeworthy.boot.effects import Act, Effect, Joins, Stage, Unit
from nodeworthy.boot.timeline import Timeline
from nodeworthy.records import dataclass
from nodeworthy.verdict import Finding, Place, Related, Severity, Verdict


@dataclass(frozen=True)
class Mark:
    """One remark beside an effect; `word` is a verdict, or `see` where this is the other end."""

    word: str
    says: str
    where: Place
    finding: Finding


@dataclass
class Marks:
    """By effect (its id); `elsewhere` is what is said of no effect's line."""

    beside: dict[int, list[Mark]] = field(default_factory=dict)
    elsewhere: list[Mark] = field(default_factory=list)


def marks_of(timeline: Timeline, findings: Sequence[Finding]) -> Marks:
    last = {(each.place.path, each.place.line, each.place.within): id(each) for each in timeline.effects}
    marks = Marks()
    for found in findings:
        ends = [(each, _beside(each.place, last)) for each in found.related]
        told = "; ".join([found.sentence(), *_told(found, [each for each, beside in ends if beside is None])])
        _put(marks, _beside(found.where, last), Mark(_word(found), f"{found.rule}: {told}", found.where, found))
        for related, beside in ends:
            if beside is not None:
                says = f"{found.rule} ({found.where.spot}): {related.says}"
                _put(marks, beside, Mark("see", says, related.place, found))
    return marks


def _put(marks: Marks, beside: int | None, mark: Mark) -> None:
    (marks.elsewhere if beside is None else marks.beside.setdefault(beside, [])).append(mark)


def _beside(place: Place, last: dict[tuple[str | None, int | None, int | None], int]) -> int | None:
    return last.get((place.path, place.line, place.within))


def _word(found: Finding) -> str:
    is_warning = found.severity is Severity.WARNING and found.verdict is Verdict.FAIL
    return "warning" if is_warning else found.verdict.value


def _told(found: Finding, related: Sequence[Related]) -> Iterator[str]:
    """The ends that stand beside nothing here: in the fleet's file, say."""
    for each in related:
        here = each.place.path == found.where.path and (each.place.line or each.place.within)
        yield f"see {each.place.spot if here else each.place}: {each.says}"


def shown_effects(timeline: Timeline) -> Sequence[Effect]:
    """With the join of nodeadm-run last, where a NodeConfig told it of a cluster and nobody turns the unit off."""
    told = next((each for each in timeline.of(Joins) if each.tells and each.how == "nodeadm" and each.cluster), None)
    off = (Act.MASK, Act.DISABLE, Act.STOP)
    if told is None or any("nodeadm" in each.unit.shown() and each.act in off for each in timeline.of(Unit)):
        return timeline.effects
    joins = replace(told, stage=Stage.NODEADM_RUN, tells=False)
    before = [each for each in timeline.effects if each.stage <= Stage.NODEADM_RUN]
    return (*before, joins, *timeline.effects[len(before) :])
