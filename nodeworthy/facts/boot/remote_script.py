"""What a script has another machine run, by ssh: a script of that machine, whose lines stand where they are sent."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cached_property
from typing import ClassVar

from nodeworthy.boot.effects import Effect, Failure, RunsElsewhere, Stage
from nodeworthy.boot.shell.elsewhere import THE_NODE
from nodeworthy.boot.timeline import Timeline
from nodeworthy.boot.userdata import Part, PartKind, UserData
from nodeworthy.facts.boot.critical_steps import CriticalStep, critical_steps, files_with_the_join
from nodeworthy.facts.boot.script import BootScript
from nodeworthy.facts.boot.script_kind import ScriptKind, Use
from nodeworthy.records import dataclass, replace
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
    """The scripts that are run elsewhere, also those that are sent on from there."""
    for each in effects:
        if isinstance(each, RunsElsewhere):
            yield each
            yield from _sent(each.does)


# The critical steps that a script has other machines do by ssh, and who here hears of their failure.
#
# ssh ends as the last command there ends, or as the one that stops it: whether somebody hears of that is then a
# question to the script that called it. What goes on over there after a failure, nobody here ever hears of.

_OVER_SSH, _ON_THE_NODE, _BY_AWS = " over ssh", " on the node around the container", " by Systems Manager"


@dataclass(frozen=True, eq=False)
class SendingScript(BootScript):
    """A script, for what it has other machines do; what it does itself is judged apart from that."""

    called: ClassVar[str] = "a script that sends others what they do"

    @property
    def unread_as(self) -> None:
        """What can't be read of it is told of the script itself."""

    @cached_property
    def sent(self) -> Sequence[Sent]:
        """The critical steps that this script sends to other machines. What those machines send on is not followed."""
        calls = list(self.timeline.of(RunsElsewhere))
        by_effect = {id(effect): call for call in calls for effect in call.does}
        does = Timeline(tuple(effect for call in calls for effect in call.does))
        steps = critical_steps(does, files_with_the_join(self.timeline))
        return [Sent(each, by_effect[id(each.effect)]) for each in steps]


@dataclass(frozen=True, eq=False)
class Sent:
    """A critical step on another machine, with the ssh call that runs it there."""

    there: CriticalStep
    call: RunsElsewhere

    @property
    def goes_on_there(self) -> bool:
        return self.there.is_silent

    @cached_property
    def given(self) -> UserData:
        """What that machine's shell is given, as a script of its own."""
        return UserData(self.call.place, (Part(PartKind.SHELL, self.call.text, self.call.origin, self.call.stage),))

    @property
    def here(self) -> CriticalStep:
        """The step as this script sees it."""
        called = self.there.called + _way(self.call)
        if self.goes_on_there:
            return replace(self.there, called=called)
        own, call = self.there.effect, self.call
        how = Failure.REPORTED if own.failure is Failure.REPORTED else call.failure
        effect = replace(own, place=call.place, via=call.via, command=call.command, failure=how)
        effect = replace(effect, around=call.around, detached=call.detached)
        return replace(self.there, effect=effect, called=called)


def is_sent(step: CriticalStep) -> bool:
    return step.called.endswith((_OVER_SSH, _ON_THE_NODE, _BY_AWS))


def _way(call: RunsElsewhere) -> str:
    if call.host == THE_NODE:
        return _ON_THE_NODE
    return _BY_AWS if call.arguments[0].known == "aws" else _OVER_SSH


def sending_script(script: BootScript) -> Iterator[SendingScript]:
    """None of a script that has nothing done elsewhere."""
    try:
        sends = any(True for _ in script.timeline.of(RunsElsewhere))
    except NotKnown:
        return
    if sends:
        yield SendingScript(script.place, script.read, is_meant=script.is_meant, surroundings=script.surroundings)
