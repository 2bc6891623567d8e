"""What a script has another machine run, by ssh: a script of that machine, whose lines stand where they are sent."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from functools import cached_property
from typing import ClassVar

from nodeworthy.boot.effects import Effect, RunsElsewhere, Stage
from nodeworthy.boot.timeline import Timeline
from nodeworthy.boot.userdata import Part, PartKind, UserData
from nodeworthy.facts.boot.script import BootScript
from nodeworthy.facts.boot.script_kind import ScriptKind, Use
from nodeworthy.records import dataclass
from nodeworthy.verdict import NotKnown


@dataclass(frozen=True, eq=False)
class RemoteScript(BootScript):
    called: ClassVar[str] = "a script for another machine"

    does: tuple[Effect, ...] = ()

    @cached_property
    def timeline(self) -> Timeline:
        return Timeline(self.does)

    @cached_property
    def use(self) -> Use:
        return Use(ScriptKind.BY_HAND)

    @property
    def unread_as(self) -> None:
        """What can't be read of it is told of the script that sends it."""
        return None


def remote_scripts(script: BootScript) -> Iterator[RemoteScript]:
    """One for each host, by the name that is written: all that it is given, in its order. Hosts that are given the
    same, in a loop, are one."""
    by_host: dict[str, list[RunsElsewhere]] = {}
    try:
        calls = list(_sent(script.timeline.effects))
    except NotKnown:
        return
    for each in calls:
        by_host.setdefault(each.host.shown(), []).append(each)
    same = {tuple((each.place, each.text) for each in sent): sent for sent in reversed(by_host.values())}
    for sent in reversed(same.values()):
        parts = tuple(Part(PartKind.SHELL, each.text, each.origin, Stage.SCRIPTS) for each in sent)
        read = UserData(parts[0].place, parts)
        does = tuple(effect for each in sent for effect in each.does if not isinstance(effect, RunsElsewhere))
        found = RemoteScript(parts[0].place, read, does=does)
        yield replace(found, told_in=script.userdata.parts, surroundings=script.surroundings)


def _sent(effects: tuple[Effect, ...]) -> Iterator[RunsElsewhere]:
    """Also what is sent on from there."""
    for each in effects:
        if isinstance(each, RunsElsewhere):
            yield each
            yield from _sent(each.does)
