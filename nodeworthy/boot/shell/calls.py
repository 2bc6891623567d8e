"""Simple commands: assignments, functions, builtins, programs."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial
from typing import TYPE_CHECKING

from nodeworthy.boot.commands import starters
from nodeworthy.boot.commands.call import Call, Did
from nodeworthy.boot.commands.names import last_part
from nodeworthy.boot.commands.runfiles import is_runfile, runfile
from nodeworthy.boot.commands.table import PROGRAMS, did, outcome_of
from nodeworthy.boot.conditions import Condition
from nodeworthy.boot.content import Content
from nodeworthy.boot.effects import Fetches, Gap, Runs, Unit, Writes
from nodeworthy.boot.shell.branches import go_on
from nodeworthy.boot.shell.builtins import BUILTINS
from nodeworthy.boot.shell.flow import without_a_listener
from nodeworthy.boot.shell.functions import run_function
from nodeworthy.boot.shell.nested import run_written, texts_of_unknown_files
from nodeworthy.boot.shell.questions import only_asks
from nodeworthy.boot.shell.redirects import absolute, is_log, output_file, read_from, with_expansions, write
from nodeworthy.boot.shell.state import Uncounted, Value
from nodeworthy.boot.shell.syntax import Assignment, Command, Declaration, Substitution
from nodeworthy.boot.shell.tokens import PlainWords
from nodeworthy.boot.shell.units import follow
from nodeworthy.boot.shell.wrappers import WRAPPERS, is_sudo, unwrap
from nodeworthy.boot.text import EMPTY, Hole, Text
from nodeworthy.patterns import pattern
from nodeworthy.verdict import Place

if TYPE_CHECKING:
    from nodeworthy.boot.shell.walker import Walker


# Assignments, and `local`, `declare`, `export` around them.

_LOCAL = ("local", "declare", "typeset")
_NAMED = pattern(r"\[[^\]]+\]\+?=")


def run_declaration(walker: Walker, declaration: Declaration) -> bool:
    """A declaration succeeds, whatever becomes of a `$(…)` in it."""
    is_local = declaration.keyword in _LOCAL and "g" not in declaration.options
    outer = walker.failing
    walker.failing = without_a_listener(outer)
    for each in declaration.assignments:
        value = value_of(walker, each)
        if is_local:
            _keep(walker, each.name)
        assign(walker, each, value)
        if "n" in declaration.options and declaration.keyword in _LOCAL:
            why = f"{each.name} is another name of {each.value.raw if each.value is not None else 'a variable'}"
            walker.state.set(each.name, Text((Hole(f"${each.name}", why),)))
    walker.failing = outer
    for name in declaration.names if declaration.keyword in _LOCAL else ():
        if name.isidentifier() and ((is_local and _keep(walker, name)) or walker.state.value(name) is None):
            walker.state.set(name, EMPTY)
    return True


def _keep(walker: Walker, name: str) -> bool:
    """What the caller has by this name comes back when the function ends; whether there is a function."""
    if walker.locals:
        walker.locals[-1].setdefault(name, walker.state.variables.get(name))
    return bool(walker.locals)


def assign(walker: Walker, assignment: Assignment, value: Value | None = None) -> None:
    state, name = walker.state, assignment.name
    value = value if value is not None else value_of(walker, assignment)
    if assignment.appends:
        before = state.value(name)
        if isinstance(before, tuple) or isinstance(value, tuple):
            value = _together(before, value)
        else:
            value = (before or EMPTY) + value
    items = assignment.items
    if assignment.index is not None or (items and any(_NAMED.match(each.raw) for each in items)):
        value = Text((Hole(f"${{{name}[…]}}", "single elements of arrays are not followed"),))
    state.set(name, value)


def _together(before: Value | None, more: Value) -> Value:
    first = before if isinstance(before, tuple) else (before,) if before is not None else ()
    both = (*first, *(more if isinstance(more, tuple) else (more,)))
    return Uncounted(both) if isinstance(before, Uncounted) or isinstance(more, Uncounted) else both


def value_of(walker: Walker, assignment: Assignment) -> Value:
    if assignment.value is None:
        return walker.expander.elements(assignment.items)
    return walker.expander.text(assignment.value)


LONGEST = 200
# Programs that are run as they are called: nothing has to be taken off.
_OTHERS = BUILTINS.keys() | WRAPPERS.keys() | {"xargs"}
_ORDINARY = {name: each for name, each in PROGRAMS.items() if name not in _OTHERS}


def run_command(walker: Walker, command: Command) -> bool | None:
    words = command.words
    if type(words) is PlainWords:
        arguments: Sequence[Text] = words.texts
    elif words:
        outer = walker.failing
        walker.failing = without_a_listener(outer)
        arguments = walker.expander.fields(words)
        walker.failing = outer
        if not arguments:
            return None
    else:
        return _without_words(walker, command)
    place, stdin = walker.origin.at(command.line, command.column), walker.stdin
    if command.redirects or command.assignments:
        status = _run_with_its_own(walker, command, arguments, place)
    else:
        status = run_arguments(walker, arguments, place, command.raw)
    walker.stdin = stdin
    return status


def _run_with_its_own(walker: Walker, command: Command, arguments: Sequence[Text], place: Place) -> bool | None:
    """Runs a command with redirects and variables that are there for it alone."""
    walker.stdin = read_from(walker, command.redirects) or walker.stdin
    target = output_file(walker, command.redirects)
    given = [(each.name, value_of(walker, each)) for each in command.assignments]
    mark = walker.state.variables.mark()
    for name, value in given:
        walker.state.set(name, value)
    if target is None:
        status = run_arguments(walker, arguments, place, command.raw)
    else:
        status, content = walker.caught(lambda: run_arguments(walker, arguments, place, command.raw))
        expanded = walker.stdin.expanded if walker.stdin is not None else ()
        write(walker, target, content, place=place, raw=command.raw, expanded=expanded)
    if given:
        walker.state.variables.back_to(mark)
    return status


def _without_words(walker: Walker, command: Command) -> bool | None:
    for each in command.assignments:
        assign(walker, each)
    if not command.redirects:
        return None if _is_decided_on_the_node(command) else True
    target = output_file(walker, command.redirects)
    if target is not None:
        place = walker.place(command.line, command.column)
        write(walker, target, Content(), place=place, raw=command.raw)
    return True


def _is_decided_on_the_node(command: Command) -> bool:
    """`X=$(command)` succeeds where the command does."""
    values = [each.value for each in command.assignments if each.value is not None and each.value.plain is None]
    return bool(values) and any(isinstance(part, Substitution) for value in values for part in value.parts)


def run_arguments(walker: Walker, arguments: Sequence[Text], place: Place, raw: str) -> bool | None:
    """A command as the shell finds it: a function, a builtin, a wrapper around another command, a program."""
    given = walker.given
    if given is not None and given.holds(arguments[0]):
        said = " ".join(each.shown() for each in arguments)
        return walker.as_given(given, place, lambda: run_arguments(walker, arguments, given.place, said))
    name = arguments[0].known
    at = _told_apart(arguments) if None in [each.known for each in arguments] else None
    if at is not None:
        return _run_each(walker, arguments, at, place, raw)
    if name in _ORDINARY and name not in walker.state.functions:
        return record_effects(walker, outcome_of(_ORDINARY[name], call_of(walker, arguments, place, raw)), place, raw)
    if name is None:
        return _run_unnamed(walker, arguments, place, raw)
    if name in walker.state.functions:
        return run_function(
            walker, name, arguments[1:], place, lambda: _run_program_named(walker, name, arguments, place, raw)
        )
    return _run_program_named(walker, name, arguments, place, raw)


def _run_unnamed(walker: Walker, arguments: Sequence[Text], place: Place, raw: str) -> bool | None:
    """A program of whose name a part is known only when the script runs."""
    if is_runfile(*arguments):
        return record_effects(walker, runfile(call_of(walker, arguments, place, raw)), place, raw)
    program = last_part(arguments[0])
    if program.known in _ORDINARY:  # whatever its folder is: `{{ bin_dir }}/kubeadm`
        return run_program(walker, (program, *arguments[1:]), place, raw)
    if is_sudo(arguments[0]):
        return _run_inside(walker, unwrap("sudo", arguments) or (), place, raw)
    text = "\n".join([raw, *texts_of_unknown_files(walker)]) if "/" in arguments[0].shown() else raw
    walker.not_understood(place, text, f"the program here is {arguments[0].unsaid()}", kind=Gap.ANYTHING)
    return None


# Of these it decides much what they are told.
_TOLD_APART = frozenset("apt apt-get dnf modprobe service systemctl yum zypper".split())


def _told_apart(arguments: Sequence[Text]) -> int | None:
    """The word whose values are told apart: the program's name (`$PKG_MANAGER install`), a unit, a package."""
    reach = len(arguments) if arguments[0].known in _TOLD_APART else 1
    return next((at for at, each in enumerate(arguments[:reach]) if _choices(each)), None)


def _choices(text: Text) -> tuple[str, ...]:
    """The values of the one hole in it."""
    holes = text.holes if text.known is None else ()
    return holes[0].may_be if len(holes) == 1 else ()


def _filled(text: Text, value: str) -> Iterator[Text]:
    whole = "".join(each if isinstance(each, str) else value for each in text.pieces)
    return (Text.of(word) for word in whole.split())


def _run_each(walker: Walker, arguments: Sequence[Text], at: int, place: Place, raw: str) -> bool | None:
    """The command in each of its cases, as the script's branches have left them."""
    told, choices = arguments[at], _choices(arguments[at])
    shown = told.holes[0].shown
    question = walker.questions.which(shown, choices, place)
    taken = [
        walker.branch((Condition(question, each),), partial(run_arguments, walker, words, place, raw))
        for each in choices
        for words in [(*arguments[:at], *_filled(told, each), *arguments[at + 1 :])]
    ]
    go_on(walker, taken, f"which `{shown}` it is")
    return None


def _run_program_named(walker: Walker, name: str, arguments: Sequence[Text], place: Place, raw: str) -> bool | None:
    if "://" in name:
        return False  # an address that is no more than named: there is no such program
    program = name.rsplit("/", 1)[-1]
    builtin = BUILTINS.get(program)
    if builtin is not None:
        return builtin(walker, arguments, place, raw)
    if program == "xargs":
        for command in starters.commands(arguments, walker.stdin.content if walker.stdin is not None else None):
            _run_inside(walker, command, place, raw)
        return None
    inner = unwrap(program, arguments)
    if inner is not None:
        return _run_inside(walker, inner, place, raw)
    if "/" in name:
        written = run_written(walker, arguments[0], arguments[1:], place, raw)
        if written is not None:
            return written.status
    if program != name:
        arguments = (Text((program,)), *arguments[1:])
    return run_program(walker, arguments, place, raw)


def _run_inside(walker: Walker, arguments: Sequence[Text], place: Place, raw: str) -> bool | None:
    """The command that a wrapper runs: `sudo sudo sudo …` is followed as far as constructs inside of each other are."""
    if not arguments:
        return None
    return walker.deeper(place, raw, lambda: run_arguments(walker, arguments, place, raw))


def call_of(walker: Walker, arguments: Sequence[Text], place: Place, raw: str) -> Call:
    # In the order of its fields, not by their names: for those Python makes a dictionary each time.
    return Call(
        tuple(arguments),
        place,
        walker.stage,
        walker.state,
        walker.stdin.content if walker.stdin is not None else None,
        raw if len(raw) <= LONGEST else f"{raw[:LONGEST]}…",
        walker.guard,
        walker.via,
        walker.failure(),
        walker.detached,
        walker.environment,
        walker.state.folder,
        walker.run_at,
    )


def run_program(walker: Walker, arguments: Sequence[Text], place: Place, raw: str) -> bool | None:
    call = call_of(walker, arguments, place, raw)
    return record_effects(walker, did(call), place, raw)


def record_effects(walker: Walker, did: Did, place: Place, raw: str) -> bool | None:
    """Logs, and programs that only look, are no effect on the machine."""
    for effect in did.effects:
        if isinstance(effect, Writes):
            if not is_log(effect.path):
                walker.emit(with_expansions(effect, walker.stdin))
        elif not isinstance(effect, Runs) or not only_asks(effect.arguments[0].string):
            walker.emit(effect)
            if isinstance(effect, Fetches) and effect.to is not None:
                walker.fetched[absolute(walker, effect.to).string] = effect.url
            elif isinstance(effect, Unit):
                follow(walker, effect)
    if walker.printed is not None:
        walker.prints(did.output, place, raw)
    return did.succeeded
