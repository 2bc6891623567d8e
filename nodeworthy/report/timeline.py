"""A boot script's timeline: time flows down, conditions are indented, what a rule objects to is marked in place."""

from __future__ import annotations

import json
import textwrap
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from nodeworthy.boot.conditions import Condition, Guard
from nodeworthy.boot.effects import Effect, NotUnderstood, Stage
from nodeworthy.boot.userdata import LIMIT, UserData
from nodeworthy.facts.boot_script import BootScript
from nodeworthy.report.effect import kind, verb, what
from nodeworthy.report.text import Paint
from nodeworthy.verdict import Finding, Place, Severity, Verdict

SCHEMA = "nodeworthy/timeline/v1"
_WIDTH = 110
Hide = Callable[[str], str]


def text(script: BootScript, findings: Sequence[Finding], hide: Hide, *, colour: bool = False) -> str:
    paint = Paint(colour)
    marks = _marks(script, findings)
    lines = [paint("bold", _headline(script.userdata))]
    stage: Stage | None = None
    guard: Guard = ()
    for effect in script.timeline.effects:
        if effect.stage is not stage:
            stage, guard = effect.stage, ()
            lines += ["", paint("bold", stage.title)]
        shown = _shown(effect.conditions)
        lines += [paint("dim", line) for line in _conditions(guard, shown)]
        guard = shown
        lines += _effect(effect, len(shown), hide, paint)
        for found in marks.pop(id(effect), ()):
            lines += _mark(found, len(shown), paint)
    lines += ["", *_elsewhere(marks.get(0, ()), paint)]
    return "\n".join(line.rstrip() for line in lines).rstrip("\n") + "\n\n" + _closing(script, findings) + "\n"


def _headline(userdata: UserData) -> str:
    kinds = ", ".join(part.kind.value for part in userdata.parts) or "nothing that is read"
    packed = f" in {' in '.join(reversed(userdata.wrapped))}" if userdata.wrapped else ""
    size = f", {userdata.size:,} of {LIMIT:,} bytes" if userdata.size is not None else ""
    template = ", a template" if userdata.is_template else ""
    return f"{userdata.place}: {kinds}{packed}{template}{size}"


def _shown(guard: Guard) -> Guard:
    """A step is meant to succeed: that is no condition worth a line."""
    return tuple(each for each in guard if not each.is_expected)


def _conditions(before: Guard, now: Guard) -> Iterator[str]:
    same = 0
    while same < min(len(before), len(now)) and before[same] == now[same]:
        same += 1
    for depth in range(same, len(now)):
        yield f"{_line(now[depth].question.place)}  {'  ' * depth}{_condition(now[depth])}:"


def _condition(condition: Condition) -> str:
    shown = condition.shown()
    return f"if {shown}" if len(shown) <= 90 else f"if {shown[:89]}…"


def _line(place: Place) -> str:
    return f"{place.line or '':>5}"


def _effect(effect: Effect, depth: int, hide: Hide, paint: Paint) -> Iterator[str]:
    style = "unknown" if isinstance(effect, NotUnderstood) else "bold"
    called = f"  (from line {effect.via[-1].line})" if effect.via and effect.via[-1].line else ""
    room = f"{_line(effect.place)}  {'  ' * depth}"
    yield f"{room}{paint(style, f'{verb(effect):<10}')} {hide(what(effect))}{paint('dim', called)}"


def _mark(found: Finding, depth: int, paint: Paint) -> list[str]:
    word = "warning" if found.severity is Severity.WARNING and found.verdict is Verdict.FAIL else found.verdict.value
    room, head = f"{'':>5}  {'  ' * depth}", f"^ {word} "
    ends = [f"see {_seen(each.place, found.where)}: {each.says}" for each in found.related]
    told = f"{found.rule}: {'; '.join([found.sentence(), *ends])}"
    width = max(50, _WIDTH - len(room) - len(head))
    first, *others = textwrap.wrap(told, width, break_long_words=False, break_on_hyphens=False)
    return [f"{room}{paint(word, head.rstrip())} {first}", *(f"{room}  {line}" for line in others)]


def _seen(place: Place, where: Place) -> str:
    return place.spot if place.path == where.path and (place.line or place.within) else str(place)


def _elsewhere(findings: Sequence[Finding], paint: Paint) -> Iterator[str]:
    """What concerns the script as a whole, or a line at which nothing happens."""
    for found in findings:
        first, *others = _mark(found, 0, paint)
        yield _line(found.where) + first[5:]
        yield from others


def _marks(script: BootScript, findings: Sequence[Finding]) -> dict[int, list[Finding]]:
    """By effect, what is said of its line; under 0, what is said of no effect's."""
    last: dict[tuple[int | None, str | None], int] = {}
    for effect in script.timeline.effects:
        last[effect.place.line, effect.place.subject] = id(effect)
    marks: dict[int, list[Finding]] = {}
    for found in findings:
        line, subject = found.where.line, found.where.subject
        marks.setdefault(last.get((line, subject), last.get((line, None), 0)), []).append(found)
    return marks


def _closing(script: BootScript, findings: Sequence[Finding]) -> str:
    effects = script.timeline.effects
    gaps = sum(isinstance(each, NotUnderstood) for each in effects)
    failed = sum(each.verdict is Verdict.FAIL for each in findings)
    unread = f"{gaps} not understood" if gaps else "all of it understood"
    return f"{len(effects)} effects, {unread}; {failed} objected to"


def data(script: BootScript, findings: Sequence[Finding], hide: Hide) -> Mapping[str, Any]:
    marks = _marks(script, findings)
    return {
        "schema": SCHEMA,
        "path": script.place.path,
        "size": script.userdata.size,
        "limit": LIMIT,
        "template": script.userdata.is_template,
        "wrapped": list(script.userdata.wrapped),
        "parts": [
            {"kind": part.kind.value, "stage": part.stage.name.lower(), "name": part.name, **_place(part.place)}
            for part in script.userdata.parts
        ],
        "effects": [_data_of(each, marks.get(id(each), ()), hide) for each in script.timeline.effects],
        "not_understood": sum(isinstance(each, NotUnderstood) for each in script.timeline.effects),
    }


def _data_of(effect: Effect, findings: Sequence[Finding], hide: Hide) -> dict[str, Any]:
    return {
        "stage": effect.stage.name.lower(),
        **_place(effect.place),
        "kind": kind(effect),
        "says": hide(f"{verb(effect)} {what(effect)}"),
        "command": hide(" ".join(effect.command.split())),
        "conditions": [hide(each.shown()) for each in _shown(effect.conditions)],
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


def as_json(script: BootScript, findings: Sequence[Finding], hide: Hide) -> str:
    return json.dumps(data(script, findings, hide), indent=2, ensure_ascii=False) + "\n"
