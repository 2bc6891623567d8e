"""Runs one script of a boot, from its first line to what it leaves for the next boot."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping

from nodeworthy.boot.conditions import AT_EXIT, Asks, Condition
from nodeworthy.boot.effects import Effect, Runs, Stage
from nodeworthy.boot.origin import Origin, Straight
from nodeworthy.boot.shell.flow import Flow
from nodeworthy.boot.shell.functions import call_for_others
from nodeworthy.boot.shell.nested import run_here, stops_by_its_first_line
from nodeworthy.boot.shell.rewalk import run_script_of
from nodeworthy.boot.shell.state import State, Value
from nodeworthy.boot.shell.strict.reading import Broken, read
from nodeworthy.boot.shell.syntax import Script
from nodeworthy.boot.shell.units import at_next_boot
from nodeworthy.boot.shell.walker import Walker
from nodeworthy.boot.text import Hole, Text
from nodeworthy.patterns import pattern

_WHO = frozenset(("EUID", "UID"))
_SOMEBODY = "1000"
_DIGITS = frozenset("123456789")
_ARGUMENTS = _DIGITS | frozenset("#@*")
_GIVEN = "whoever runs the script gives it"
_NAME = pattern(r"[A-Za-z_]\w*")
# How often a script is called anew with what it wanted.
_MOST_CALLS = 4


def run_script(
    text: str, origin: Origin, stage: Stage, disk: State, *, template: bool = False, jinja: bool = False
) -> list[Effect]:
    """A process of its own, on the disk that those before it have left."""

    script, broken = read(text, template=template, jinja=jinja)

    def walk(given: Mapping[str, Value], *, for_others: bool = False) -> Walker:
        state = State(files=disk.files, versions=disk.versions, given=given)
        for name, value in given.items():
            state.set(name, value)
        return _walked(text, script, broken, Walker(origin, stage, state, text), for_others=for_others)

    walker = walk({})
    walker = max([walker, *map(walk, _missed(walker))], key=_how_far)
    walker = _with_what_is_given(walker, walk)
    for _ in range(_MOST_CALLS):
        given = _of_its_caller(walker)
        other = walk(given) if given != walker.state.given else walker
        if other is walker or len(other.effects) < len(walker.effects):
            break
        walker = other
    if _only_defines(walker):
        return walk({}, for_others=True).effects
    return walker.effects


def _only_defines(walker: Walker) -> bool:
    """Whether the script is there to be sourced: by itself it does nothing and calls none of its own functions."""
    did_nothing = all(type(each) is Runs for each in walker.effects)
    return did_nothing and bool(walker.state.defined) and not walker.state.has_called


def _how_far(walker: Walker) -> tuple[int, int]:
    """What it does counts; where that is the same, how much more it asks for before it ends."""
    return len(walker.effects), len(walker.state.wanting)


def _missed(walker: Walker) -> Iterator[Mapping[str, Value]]:
    """What a script is given that did nothing, or that left everything to another call (`setup.sh step2`). A person
    runs it, as themselves and with sudo, and gives it arguments and variables. Where it has to be root, arguments alone
    are tried as well."""
    asked, did_nothing = walker.state.asked, all(type(each) is Runs for each in walker.effects)
    somebody: dict[str, Value] = {}
    arguments: dict[str, Value] = {}
    if did_nothing and not _WHO.isdisjoint(asked):
        somebody = {name: Text.of(_SOMEBODY) for name in _WHO}
    if (did_nothing or walker.is_cut_short) and not _ARGUMENTS.isdisjoint(asked):
        arguments = {name: Text.of(Hole(f"${name}", _GIVEN)) for name in _ARGUMENTS}
    if somebody or arguments:
        yield {**somebody, **arguments}
    if somebody and arguments:
        yield arguments


def _with_what_is_given(walker: Walker, walk: Callable[[Mapping[str, Value]], Walker]) -> Walker:
    """`echo "$1:/export /data nfs $2" >> /etc/fstab` of a script that never asks how many arguments it was given:
    nobody runs it without them. Where they decide what it does at all, it is taken as it was."""
    digits = walker.state.asked & _DIGITS
    if walker.state.given or not digits or not walker.state.asked.isdisjoint("#@*") or "<<" in walker.text:
        return walker  # what a here-document loses of its own `$1` is to be seen
    given = walk({name: Text.of(Hole(f"${name}", _GIVEN)) for name in digits})
    return given if [type(each) for each in given.effects] == [type(each) for each in walker.effects] else walker


def _of_its_caller(walker: Walker) -> Mapping[str, Value]:
    """The variables without which the script ends, and which it does not set, or sets to nothing: `case "${distro:-}"
    in … *) exit 1`, `[[ -z $DOMAIN ]] && usage`, `MASTER="" # fill this in`."""
    names = [each for each in walker.state.wanting if _NAME.fullmatch(each)] if walker.is_cut_short else ()
    return {**walker.state.given, **{name: Text.of(Hole(f"${name}", _GIVEN)) for name in names}}


def _walked(text: str, script: Script, broken: Broken | None, walker: Walker, *, for_others: bool) -> Walker:
    walker.state.options.errexit = stops_by_its_first_line(text) or walker.state.options.errexit
    walker.is_last = True
    run_script_of(walker, script.statements)
    if broken is not None:
        _stops_here(walker, broken, text)
    elif for_others:
        call_for_others(walker)
    _leave(walker)
    walker.end()
    return walker


def _stops_here(walker: Walker, broken: Broken, text: str) -> None:
    """The shell runs a script command by command: of one that it can't read, and of all behind it, it runs nothing."""
    place = walker.place(broken.line, 1)
    walker.not_understood(place, text[broken.begins :], f"the shell can't read the script from here on: {broken.words}")


def _leave(walker: Walker) -> None:
    """What runs when the script ends, and when the machine boots again."""
    walker.flow, walker.is_last, walker.failing = Flow.ON, False, None
    for body, place, guard in walker.at_exit:
        question = walker.questions.anew(AT_EXIT, place, Asks.SUCCESS)
        walker.guard = (*guard, Condition(question, "yes"))
        run_here(walker, body, Straight(place), place)
    walker.guard = ()
    at_next_boot(walker)
