"""Scripts inside of scripts: `bash -c`, `source`, a script that was written and is run, one that was downloaded."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple

from nodeworthy.boot.content import Content
from nodeworthy.boot.effects import Failure, Gap, Writes
from nodeworthy.boot.origin import Origin, Straight
from nodeworthy.boot.shell.flow import Flow
from nodeworthy.boot.shell.state import Options
from nodeworthy.boot.shell.syntax import Statement
from nodeworthy.boot.text import Text
from nodeworthy.records import dataclass
from nodeworthy.verdict import Place

if TYPE_CHECKING:
    from nodeworthy.boot.shell.walker import Walker

DEEPEST = 8
_IS_HEARD = (Failure.STOPS, Failure.REPORTED, Failure.PERHAPS)
# What the metadata of a cloud hand out as this is known by its name.
OF_METADATA = "/oke-init.sh"
SHELLS = {"sh", "bash", "dash", "ash", "ksh", "zsh"}


@dataclass(frozen=True)
class Status:
    """How a nested script ended; None where that is not known, which is in most cases."""

    status: bool | None


def stops_by_its_first_line(text: str) -> bool:
    """`#!/bin/bash -e`."""
    first = text.partition("\n")[0]
    return first.startswith("#!") and any(word.startswith("-") and "e" in word for word in first.split()[1:])


@dataclass(frozen=True, slots=True)
class Written:
    """The lines of a script that another one wrote stand where they were written."""

    content: Content

    def at(self, line: int, column: int = 1) -> Place:
        lines = self.content.lines
        if not lines:
            return Place()
        first = lines[min(line, len(lines)) - 1].place
        if column <= 1:
            return first
        return Straight(first).at(1, column)


def run_shell(walker: Walker, arguments: Sequence[Text], place: Place, raw: str) -> bool | None:
    """`bash -c TEXT`, `bash FILE …`, `… | bash -s …`."""
    from nodeworthy.boot.commands.runfiles import is_runfile, runfile
    from nodeworthy.boot.shell.calls import call_of, record_effects, run_program

    asked, rest = _options(arguments[1:])
    begins = Options("e" in asked.letters or "errexit" in asked.names, "pipefail" in asked.names)
    if "c" in asked.letters:
        if not rest:
            return None
        return run_command_text(walker, rest[0], place, raw, rest[2:], begins=begins)
    if rest and "s" not in asked.letters:
        written = run_written(walker, rest[0], rest[1:], place, raw, begins=begins)
        if written is not None:
            return written.status
        name = rest[0].known
        if name is None and is_runfile(*rest):
            return record_effects(walker, runfile(call_of(walker, rest, place, raw)), place, raw)
        if name is None:
            text = "\n".join([raw, *texts_of_unknown_files(walker)])
            walker.not_understood(place, text, f"the script here is {rest[0].unsaid()}", kind=Gap.ANYTHING)
            return None
        return run_program(walker, (Text((name.rsplit("/", 1)[-1],)), *rest[1:]), place, raw)
    return _run_stdin(walker, rest, place, raw, begins)


def texts_of_unknown_files(walker: Walker) -> Iterator[str]:
    """What stands in files whose names are not known: any of it may be what is run here."""
    for each in walker.effects:
        if isinstance(each, Writes) and each.path.known is None and each.content is not None:
            yield each.content.text.shown()


class _Asked(NamedTuple):
    """What a shell is told before its script: `-xe`, `-o pipefail`."""

    letters: str
    names: frozenset[str]


def _options(arguments: Sequence[Text]) -> tuple[_Asked, Sequence[Text]]:
    letters, names, index = "", set[str](), 0
    while index < len(arguments):
        word = arguments[index].string
        if word in ("--", "-"):
            index += 1
            break
        if not word.startswith(("-", "+")):
            break
        is_named = word.endswith("o") and not word.startswith("--")
        if word[0] == "-" and not word.startswith("--"):
            letters += word[1:]
            names.update(each.string for each in arguments[index + 1 : index + 2] if is_named)
        # `-o pipefail`, `-euo pipefail`: the option's name follows.
        index += 2 if is_named else 1
    return _Asked(letters, frozenset(names)), arguments[index:]


def run_command_text(
    walker: Walker,
    text: Text,
    place: Place,
    raw: str,
    arguments: Sequence[Text] = (),
    *,
    begins: Options | None = None,
) -> bool | None:
    """`-c TEXT`."""
    if text.known is None:
        if not any(isinstance(piece, str) and piece.strip() for piece in text.pieces):
            walker.not_understood(place, raw, f"what it runs is {text.unsaid()}", kind=Gap.ANYTHING)
            return None
        return run_text(walker, text.shown(), Straight(place), arguments, place, begins=begins)
    return run_text(walker, text.known, Straight(place), arguments, place, begins=begins)


def _run_stdin(walker: Walker, arguments: Sequence[Text], place: Place, raw: str, begins: Options) -> bool | None:
    from nodeworthy.boot.commands.fetching import fetched_script
    from nodeworthy.boot.shell.calls import call_of, record_effects

    stream = walker.stdin
    if stream is None:
        return None  # `exec bash` behind it all: a shell for whoever sits there; where nobody does, it ends at once
    if stream.url is not None:
        return record_effects(walker, fetched_script(stream.url, call_of(walker, arguments, place, raw)), place, raw)
    if stream.content is None or not stream.content.lines:
        walker.not_understood(place, raw, "what this shell is given to run could not be read", kind=Gap.ANYTHING)
        return None
    content = stream.content
    walker.stdin = None
    return run_text(walker, content.text.shown(), Written(content), arguments, place, begins=begins)


def run_written(
    walker: Walker, path: Text, arguments: Sequence[Text], place: Place, raw: str, *, begins: Options | None = None
) -> Status | None:
    """Runs a file that the script made or downloaded; None for any other. `begins`: the options that a shell is given
    for it; as a program it is run with those of its first line."""
    from nodeworthy.boot.commands.fetching import fetched_script, is_program
    from nodeworthy.boot.commands.runfiles import is_runfile, runfile
    from nodeworthy.boot.shell.calls import call_of, record_effects
    from nodeworthy.boot.shell.redirects import absolute

    name = absolute(walker, path).known
    if name is None:
        return None
    content = walker.state.files.get(name)
    if content is not None and content.lines:
        if name in walker.running:
            return None
        walker.running.append(name)
        text = content.text.shown()
        own = begins if begins is not None else Options(stops_by_its_first_line(text))
        status = run_text(walker, text, Written(content), arguments, place, begins=own)
        walker.running.pop()
        return Status(status)
    if name in walker.fetched:
        url = walker.fetched[name]
        if is_runfile(url) or name.endswith(".run"):
            # What it is stands in its address; the name on the disk may be any.
            call = call_of(walker, (url if is_runfile(url) else path, *arguments), place, raw)
            return Status(record_effects(walker, runfile(call), place, raw))
        if is_program(url):
            return None
        call = call_of(walker, arguments, place, raw)
        return Status(record_effects(walker, fetched_script(url, call), place, raw))
    if name.endswith(OF_METADATA):
        return None
    if name in walker.state.files:
        walker.not_understood(place, raw, f"what stands in {name} could not be read", kind=Gap.ANYTHING)
        return Status(None)
    return None


def run_text(
    walker: Walker,
    text: str,
    origin: Origin,
    arguments: Sequence[Text],
    place: Place,
    *,
    begins: Options | None = None,
) -> bool | None:
    """A shell of its own: it leaves nothing behind but what it did."""
    from nodeworthy.boot.shell.functions import set_arguments

    mark = walker.state.variables.mark()
    options, is_last, failing, around = walker.state.options, walker.is_last, walker.failing, walker.around
    _hand_over_failures(walker)
    walker.state.options = begins.copy() if begins is not None else Options()
    set_arguments(walker, arguments)
    status = run_here(walker, text, origin, place)
    walker.state.options, walker.is_last, walker.failing, walker.around = options, is_last, failing, around
    walker.state.variables.back_to(mark)
    if walker.flow is Flow.EXIT:
        walker.flow = Flow.ON
    return status


def _hand_over_failures(walker: Walker) -> None:
    """Whether the shell that is now begun stops at a failure is its own business, and its last command decides how it
    ends; who called it then does what he does about that. Where he passes over everything, it makes no difference."""
    how = walker.failure()
    if how is not Failure.STOPS:
        walker.around = how
    if walker.failing is None or how in _IS_HEARD:
        walker.failing, walker.is_last = None, True


def _parsed(text: str) -> Sequence[Statement]:
    from nodeworthy.boot.shell.parse import parse

    return parse(text).statements


# A loop and a function that is called often give a shell the same few lines over and over.
_SHORT = 1000
_parsed_again = lru_cache(maxsize=64)(_parsed)


def run_here(walker: Walker, text: str, origin: Origin, place: Place) -> bool | None:
    """A script that runs in this very shell: `source`, `eval`."""
    if len(walker.via) >= DEEPEST:
        walker.not_understood(place, text[:200], "scripts inside of scripts are not followed any deeper")
        return None
    outer, via = walker.origin, walker.via
    walker.origin, walker.via = origin, (*via, place)
    first_shebang = text.startswith("#!") and "sh" not in text.split("\n", 1)[0]
    if first_shebang:
        walker.not_understood(place, text, f"{text.split(chr(10), 1)[0]} is not read")
        status = None
    else:
        status = walker.run_all((_parsed_again if len(text) < _SHORT else _parsed)(text))
    walker.origin, walker.via = outer, via
    return status
