"""A boot script's timeline, for people and for tools: time flows down, what a rule objects to is marked in place."""

from __future__ import annotations

import json
import textwrap
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import field, replace
from typing import Any

from nodeworthy.boot.conditions import Condition, Guard
from nodeworthy.boot.effects import Act, Effect, Joins, NotUnderstood, Stage, Unit
from nodeworthy.boot.timeline import Timeline
from nodeworthy.facts.boot.script import BootScript
from nodeworthy.known.clouds import Cloud
from nodeworthy.records import dataclass
from nodeworthy.redaction import hide_secrets
from nodeworthy.report.effect import details, kind, verb, what
from nodeworthy.report.printable import escape_json, on_one_line
from nodeworthy.report.text import Paint
from nodeworthy.verdict import Finding, Place, Related, Severity, Verdict

# The effects that a timeline shows, and what rules say of them: both ends of a finding, each in place.


@dataclass(frozen=True)
class Mark:
    """One remark beside an effect; `word` is a verdict, or `see` where this is the other end."""

    word: str
    says: str
    where: Place
    finding: Finding


@dataclass
class Marks:
    """The marks beside each effect, by its id; `elsewhere` holds those that belong to no effect's line."""

    beside: dict[int, list[Mark]] = field(default_factory=dict)
    elsewhere: list[Mark] = field(default_factory=list)


def marks_of(timeline: Timeline, findings: Sequence[Finding]) -> Marks:
    last = {(each.place.path, each.place.line, each.place.within): id(each) for each in timeline.effects}
    marks = Marks()
    for found in findings:
        ends = [(each, _beside(each.place, last)) for each in found.related]
        told = "; ".join([found.sentence(), *_ends_elsewhere(found, [each for each, beside in ends if beside is None])])
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


def _ends_elsewhere(found: Finding, related: Sequence[Related]) -> Iterator[str]:
    """The ends that stand beside nothing here: in the fleet's file, say."""
    for each in related:
        here = each.place.path == found.where.path and (each.place.line or each.place.within)
        yield f"see {each.place.spot if here else each.place}: {each.says}"


def shown_effects(timeline: Timeline) -> Sequence[Effect]:
    """The effects, with the join of nodeadm-run last where a NodeConfig tells it of a cluster and nothing turns the
    unit off."""
    told = next((each for each in timeline.of(Joins) if each.tells and each.how == "nodeadm" and each.cluster), None)
    off = (Act.MASK, Act.DISABLE, Act.STOP)
    if told is None or any("nodeadm" in each.unit.shown() and each.act in off for each in timeline.of(Unit)):
        return timeline.effects
    joins = replace(told, stage=Stage.NODEADM_RUN, tells=False)
    before = [each for each in timeline.effects if each.stage <= Stage.NODEADM_RUN]
    return (*before, joins, *timeline.effects[len(before) :])


_WIDTH = 110
# Beyond them only those at which something is objected to; the longest scripts that people keep have some hundred.
MOST_EFFECTS = 1_000
Hide = Callable[[str], str]


def timeline_text(script: BootScript, findings: Sequence[Finding], hide: Hide, *, colour: bool = False) -> str:
    paint = Paint(colour)
    hide = _fit(hide)
    marks = marks_of(script.timeline, findings)
    lines = [paint("bold", _headline(script))]
    stage: Stage | None = None
    guard: Guard = ()
    shown_steps, left_out = 0, 0
    for effect in shown_effects(script.timeline):
        if shown_steps >= MOST_EFFECTS and id(effect) not in marks.beside:
            left_out += 1
            continue
        shown_steps += 1
        if effect.stage is not stage:
            stage, guard = effect.stage, ()
            lines += ["", paint("bold", stage.title)]
        shown = _conditions_worth_a_line(effect.conditions)
        lines += [paint("dim", hide(line)) for line in _conditions(guard, shown)]
        guard = shown
        lines += _effect(effect, len(shown), hide, paint)
        for mark in marks.beside.get(id(effect), ()):
            lines += _mark(mark, len(shown), hide, paint)
    if left_out:
        lines += [
            "",
            paint("unknown", f"and {left_out:,} effects more, to which no rule objects: --format json has all"),
        ]
    lines += ["", *_elsewhere(marks.elsewhere, hide, paint)]
    return "\n".join(line.rstrip() for line in lines).rstrip("\n") + "\n\n" + _closing(script, findings) + "\n"


def steps_at(script: BootScript, line: int, hide: Hide) -> list[str]:
    """What the boot does by this line of its file, or by what is called there: each with its stage and conditions."""
    hide, lines = _fit(hide), []
    stage: Stage | None = None
    guard: Guard = ()
    for effect in shown_effects(script.timeline):
        if line not in {effect.place.line, *(each.line for each in effect.via)}:
            continue
        if effect.stage is not stage:
            stage, guard = effect.stage, ()
            lines.append(stage.title)
        shown = _conditions_worth_a_line(effect.conditions)
        lines += map(hide, _conditions(guard, shown))
        lines += _effect(effect, len(shown), hide, Paint(False))
        guard = shown
    return lines


def _fit(hide: Hide) -> Hide:
    """What a script names may hold anything; a line of ours stays one."""
    return lambda text: on_one_line(hide(text))


def _headline(script: BootScript) -> str:
    userdata = script.userdata
    kinds = ", ".join(part.kind.value for part in userdata.parts) or "nothing that is read"
    packed = f" in {' in '.join(reversed(userdata.wrapped))}" if userdata.wrapped else ""
    size = f", {_size(userdata.size, script.cloud)}" if userdata.size is not None else ""
    template = ", a template" if userdata.is_template or userdata.is_braced else ""
    return on_one_line(f"{userdata.place}: {kinds}{packed}{template}{size}")


def _size(size: int, cloud: Cloud | None) -> str:
    """Each cloud takes another amount; where nobody says which it is, there is none to tell."""
    most = cloud.most if cloud is not None else None
    return f"{size:,} of {most:,} bytes" if most is not None else f"{size:,} bytes"


def _conditions_worth_a_line(guard: Guard) -> Guard:
    """A step is meant to succeed: that is no condition worth a line."""
    return tuple(each for each in guard if not each.is_expected)


def _conditions(before: Guard, now: Guard) -> Iterator[str]:
    same = 0
    while same < min(len(before), len(now)) and before[same] == now[same]:
        same += 1
    for depth in range(same, len(now)):
        yield f"{_line(now[depth].question.place)}  {'  ' * depth}{_condition(now[depth])}:"


def _condition(condition: Condition) -> str:
    shown = hide_secrets(condition.shown())
    return f"if {shown}" if len(shown) <= 90 else f"if {shown[:89]}…"


def _line(place: Place) -> str:
    return f"{place.line or '':>5}"


def _effect(effect: Effect, depth: int, hide: Hide, paint: Paint) -> Iterator[str]:
    style = "unknown" if isinstance(effect, NotUnderstood) else "bold"
    line = effect.via[-1].line if effect.via else None
    called = f"  (from line {line})" if line and line != effect.place.line else ""
    room = f"{_line(effect.place)}  {'  ' * depth}"
    yield f"{room}{paint(style, f'{verb(effect):<10}')} {hide(what(effect))}{paint('dim', called)}"


def _mark(mark: Mark, depth: int, hide: Hide, paint: Paint) -> Iterator[str]:
    room, head = f"{'':>5}  {'  ' * depth}", f"^ {mark.word}"
    style = "dim" if mark.word == "see" else mark.word
    width = max(50, _WIDTH - len(room) - len(head))
    first, *others = textwrap.wrap(hide(mark.says), width, break_long_words=False, break_on_hyphens=False)
    yield f"{room}{paint(style, head)} {first}"
    yield from (f"{room}  {line}" for line in others)


def _elsewhere(marks: Sequence[Mark], hide: Hide, paint: Paint) -> Iterator[str]:
    """What concerns the script as a whole, or a line at which nothing happens."""
    for each in marks:
        first, *others = _mark(each, 0, hide, paint)
        yield _line(each.where) + first[5:]
        yield from others


def _closing(script: BootScript, findings: Sequence[Finding]) -> str:
    effects = shown_effects(script.timeline)
    gaps = sum(isinstance(each, NotUnderstood) for each in effects)
    failed = sum(each.verdict is Verdict.FAIL for each in findings)
    unread = f"{gaps} not understood" if gaps else "all of it understood"
    return f"{len(effects)} effects, {unread}; {failed} objected to"


SCHEMA = "nodeworthy/timeline/v1"


def _timeline_as_data(script: BootScript, findings: Sequence[Finding], hide: Hide) -> Mapping[str, Any]:
    marks = marks_of(script.timeline, findings).beside
    return {
        "schema": SCHEMA,
        "path": script.place.path,
        "size": script.userdata.size,
        "limit": script.cloud.most if script.cloud is not None else None,
        "template": script.userdata.is_template or script.userdata.is_braced,
        "wrapped": list(script.userdata.wrapped),
        "parts": [
            {"kind": part.kind.value, "stage": part.stage.name.lower(), "name": part.name, **_place(part.place)}
            for part in script.userdata.parts
        ],
        "effects": [
            _data_of(each, [mark.finding for mark in marks.get(id(each), ()) if mark.word != "see"], hide)
            for each in shown_effects(script.timeline)
        ],
        "not_understood": sum(isinstance(each, NotUnderstood) for each in script.timeline.effects),
    }


def _data_of(effect: Effect, findings: Sequence[Finding], hide: Hide) -> dict[str, Any]:
    return {
        "stage": effect.stage.name.lower(),
        **_place(effect.place),
        "kind": kind(effect),
        "says": f"{verb(effect)} {hide(what(effect))}",
        "command": hide(" ".join(effect.command.split())),
        "details": _hidden(_words_hidden(details(effect), hide), hide),
        "conditions": [hide(each.shown()) for each in effect.conditions if not each.is_expected],
        "via": [_place(each) for each in effect.via],
        "failure": effect.failure.name.lower(),
        "detached": effect.detached,
        "findings": [
            {"rule": each.rule, "verdict": each.verdict.value, "message": each.sentence()} for each in findings
        ],
    }


def _place(place: Place) -> dict[str, Any]:
    told = {"line": place.line, "column": place.column, "subject": place.subject}
    return {name: value for name, value in told.items() if value is not None}


def timeline_as_json(script: BootScript, findings: Sequence[Finding], hide: Hide) -> str:
    return escape_json(json.dumps(_timeline_as_data(script, findings, hide), indent=2, ensure_ascii=False)) + "\n"


def _words_hidden(told: dict[str, Any], hide: Hide) -> dict[str, Any]:
    """A password is known as one by the option before it: single words are hidden as the whole command hides them."""
    words = told.get("arguments")
    if not words:
        return told
    shown = hide(" ".join(words)).split()
    return {**told, "arguments": [word if set(word.split()) <= set(shown) else "(secret)" for word in words]}


def _hidden(value: Any, hide: Hide) -> Any:
    if isinstance(value, str):
        return hide(value)
    if isinstance(value, dict):
        return {name: _hidden(each, hide) for name, each in value.items()}
    return [_hidden(each, hide) for each in value] if isinstance(value, list) else value
