"""A boot script's timeline: time flows down, conditions are indented, what a rule objects to is marked in place."""

from __future__ import annotations

import textwrap
from collections.abc import Callable, Iterator, Sequence

from nodeworthy.boot.conditions import Condition, Guard
from nodeworthy.boot.effects import Effect, NotUnderstood, Stage
from nodeworthy.facts.boot.script import BootScript
from nodeworthy.known.clouds import Cloud
from nodeworthy.redaction import hidden
from nodeworthy.report.effect import verb, what
from nodeworthy.report.printable import on_one_line
from nodeworthy.report.text import Paint
from nodeworthy.report.timeline_marks import Mark, marks_of
from nodeworthy.report.timeline_shown import shown_effects
from nodeworthy.verdict import Finding, Place, Verdict

_WIDTH = 110
Hide = Callable[[str], str]


def text(script: BootScript, findings: Sequence[Finding], hide: Hide, *, colour: bool = False) -> str:
    paint = Paint(colour)
    hide = _fit(hide)
    marks = marks_of(script.timeline, findings)
    lines = [paint("bold", _headline(script))]
    stage: Stage | None = None
    guard: Guard = ()
    for effect in shown_effects(script.timeline):
        if effect.stage is not stage:
            stage, guard = effect.stage, ()
            lines += ["", paint("bold", stage.title)]
        shown = _shown(effect.conditions)
        lines += [paint("dim", hide(line)) for line in _conditions(guard, shown)]
        guard = shown
        lines += _effect(effect, len(shown), hide, paint)
        for mark in marks.beside.get(id(effect), ()):
            lines += _mark(mark, len(shown), hide, paint)
    lines += ["", *_elsewhere(marks.elsewhere, hide, paint)]
    return "\n".join(line.rstrip() for line in lines).rstrip("\n") + "\n\n" + _closing(script, findings) + "\n"


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
    shown = hidden(condition.shown())
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
