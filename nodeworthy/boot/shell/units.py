"""Units of systemd that a script writes and then starts or enables: their commands run too, now or at the next boot."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from nodeworthy.boot.conditions import Asks, Condition
from nodeworthy.boot.content import Content, Line
from nodeworthy.boot.effects import Act, Failure, Stage, Unit
from nodeworthy.boot.origin import Straight
from nodeworthy.boot.shell.flow import STOPS
from nodeworthy.boot.shell.nested import run_text
from nodeworthy.boot.text import Text
from nodeworthy.verdict import Place

if TYPE_CHECKING:
    from nodeworthy.boot.shell.walker import Walker

_FOLDERS = ("/etc/systemd/system/", "/usr/lib/systemd/system/", "/lib/systemd/system/", "/run/systemd/system/")
_RUN = ("ExecStartPre", "ExecStart", "ExecStartPost")


def follow(walker: Walker, effect: Unit) -> None:
    """A unit that was just started runs what the script wrote into it; a timer only waits."""
    if effect.act not in (Act.START, Act.RESTART) or _is_timer(effect.unit.known):
        return
    content = _unit_file_content(walker, effect.unit.known)
    if content is None:
        return
    for line in commands(content):
        _run_by_systemd(walker, line, effect.place)


def at_next_boot(walker: Walker) -> None:
    """What the script left behind to run when the machine boots again."""
    stage, walker.stage = walker.stage, Stage.NEXT_BOOT
    for each in _enabled(walker):
        content = _unit_file_content(walker, each.unit.known)
        for line in commands(content) if content is not None else ():
            walker.guard = each.conditions
            if _is_timer(each.unit.known):
                question = walker.questions.anew(f"{each.unit.known} elapses", each.place, Asks.STATE)
                walker.guard += (Condition(question, "yes"),)
            _run_by_systemd(walker, line, each.place)
    walker.guard = ()
    walker.stage = stage


def _run_by_systemd(walker: Walker, line: Line, place: Place) -> None:
    """Runs a unit's command. systemd keeps how it ended, whatever the script that started the unit does."""
    failing, around = walker.failing, walker.around
    walker.failing, walker.around = STOPS, Failure.STOPS
    run_text(walker, line.text.shown(), Straight(line.place), (), place)
    walker.failing, walker.around = failing, around


def _enabled(walker: Walker) -> list[Unit]:
    """What is disabled for sure behind that is enabled no more."""
    enabled: list[Unit] = []
    for each in walker.effects:
        if not isinstance(each, Unit) or each.unit.known is None:
            continue
        if each.act is Act.ENABLE:
            enabled.append(each)
        elif each.act in (Act.DISABLE, Act.MASK):
            enabled = [
                before
                for before in enabled
                if before.unit.known != each.unit.known or not set(each.conditions) <= set(before.conditions)
            ]
    return enabled


def _is_timer(unit: str | None) -> bool:
    return unit is not None and unit.endswith(".timer")


def commands(unit: Content) -> Iterator[Line]:
    """The commands of a unit's `[Service]`, as they are written there."""
    for line in unit.lines:
        name, equals, _ = line.text.shown().partition("=")
        if equals and name.strip() in _RUN:
            value = line.text.shown().partition("=")[2].strip().lstrip("-@+!:")
            yield Line(Text.of(value), line.place)


def _unit_file_content(walker: Walker, unit: str | None) -> Content | None:
    if unit is None:
        return None
    name = unit.removesuffix(".timer") + ".service" if unit.endswith(".timer") else unit
    found = (walker.state.files.get(folder + name) for folder in _FOLDERS)
    return next((each for each in found if each is not None), None)
