"""Redirects: what a command reads instead of its input, and the files that its output goes to."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from nodeworthy.boot.commands.call import is_rooted
from nodeworthy.boot.content import Content, Line, lines_of
from nodeworthy.boot.effects import Expansion, How, Writes
from nodeworthy.boot.shell.flow import Stream
from nodeworthy.boot.shell.syntax import (
    Command,
    HereDocument,
    Literal,
    Parameter,
    Redirect,
    Redirected,
    Statement,
    Substitution,
    Word,
)
from nodeworthy.boot.text import Hole, Text
from nodeworthy.records import replace
from nodeworthy.verdict import Place

if TYPE_CHECKING:
    from nodeworthy.boot.shell.walker import Walker

_OUT = {">", ">>", ">|", "&>", "&>>", ">&"}
# What a script says of itself is no effect on the machine.
_LOGS = ("/dev/", "/var/log/", "/proc/self/")


def with_redirects(
    walker: Walker, redirects: Sequence[Redirect], place: Place, raw: str, run: Callable[[], bool | None]
) -> bool | None:
    """Runs something with these redirects around it."""
    outer = walker.stdin
    stdin = read_from(walker, redirects)
    if stdin is not None:
        walker.stdin = stdin
    target = output_file(walker, redirects)
    if target is None:
        status = run()
        walker.stdin = outer
        return status
    status, content = walker.caught(run)
    expanded = walker.stdin.expanded if walker.stdin is not None else ()
    walker.stdin = outer
    write(walker, target, content, place=place, raw=raw, expanded=expanded)
    return status


def read_from(walker: Walker, redirects: Sequence[Redirect]) -> Stream | None:
    """What stands on the other end of the input; None where nothing was redirected."""
    stream = None
    for each in redirects:
        if isinstance(each.target, HereDocument):
            stream = Stream(_body(walker, each.target), _expanded(walker, each.target))
        elif each.operator == "<<<":
            word = each.target
            place = walker.place(*word.spot)
            stream = Stream(Content(lines_of(walker.expander.text(word), place)))
        elif each.operator == "<":
            stream = _file(walker, each.target)
    return stream


def _file(walker: Walker, word: Word) -> Stream:
    path = walker.expander.text(word)
    url = walker.fetched.get(path.string)
    return Stream(walker.state.content(path), url=url)


def _body(walker: Walker, document: HereDocument) -> Content:
    text, at = walker.expander.text, walker.origin.at
    lines: list[Line] = []
    for word in document.lines:
        value, place = text(word), at(*word.spot)
        if "\n" in value.shown():
            lines += lines_of(value, place)  # a variable of several lines
        else:
            lines.append(Line(value, place))
    return Content(tuple(lines))


def heredoc_expansions(walker: Walker, statement: Statement) -> tuple[Expansion, ...]:
    """What the shell expands in the heredocs of a statement."""
    if not isinstance(statement, (Command, Redirected)) or not statement.redirects:
        return ()
    documents = (each.target for each in statement.redirects if isinstance(each.target, HereDocument))
    return tuple(expansion for document in documents for expansion in _expanded(walker, document))


def _expanded(walker: Walker, document: HereDocument) -> tuple[Expansion, ...]:
    if document.quoted:
        return ()
    found: list[Expansion] = []
    for word in document.lines:
        if len(word.parts) == 1 and isinstance(word.parts[0], Literal):
            continue
        for part in word.parts:
            if isinstance(part, (Parameter, Substitution)):
                name = part.name if isinstance(part, Parameter) else ""
                is_set = bool(name) and walker.state.variables.get(name) is not None
                found.append(Expansion(part.raw, name, walker.place(*word.spot), is_set))
    return tuple(found)


def output_file(walker: Walker, redirects: Sequence[Redirect]) -> tuple[Text, bool] | None:
    """The file that the output goes to, and whether it is appended there. Files for the rest are made."""
    target = None
    for each in redirects:
        if each.operator not in _OUT or isinstance(each.target, HereDocument):
            continue
        if each.operator == ">&" and not each.target.raw.strip("-0123456789"):
            continue
        if _is_pipe(each.target):
            walker.expander.text(each.target)
            continue
        path = walker.expander.text(each.target)
        if each.descriptor in (None, 1):
            target = path, each.operator in (">>", "&>>")
        else:
            _make(walker, each, path, walker.place(*each.target.spot))
    return target


def _is_pipe(word: Word) -> bool:
    """`> >(command)`."""
    return word.plain is None and any(isinstance(part, Substitution) and part.direction for part in word.parts)


def _make(walker: Walker, redirect: Redirect, path: Text, place: Place) -> None:
    """`2>> FILE` makes the file, whatever is said there."""
    raw = f"{redirect.descriptor}{redirect.operator} {path.shown()}"
    said = Line(Text((Hole(raw, f"what goes into {raw} is known only on the node"),)), place)
    write(walker, (path, redirect.operator == ">>"), Content((said,)), place=place, raw=raw)


def write(
    walker: Walker,
    target: tuple[Text, bool],
    content: Content,
    *,
    place: Place,
    raw: str,
    expanded: tuple[Expansion, ...] = (),
) -> None:
    path, appends = absolute(walker, target[0]), target[1]
    if is_log(path):
        return
    known = content if content.hole is None else None
    whole = known
    if appends:
        before = walker.state.content(path)
        whole = before + known if before is not None and known is not None else None
    walker.emit(
        Writes(
            place=place,
            stage=walker.stage,
            command=raw[:200],
            conditions=walker.guard,
            via=walker.via,
            failure=walker.failure(),
            detached=walker.detached,
            path=path,
            how=How.APPEND if appends else How.WRITE,
            content=known,
            whole=whole,
            expanded=expanded,
            printed_by=content.printed_by,
        )
    )


def is_log(path: Text) -> bool:
    return path.shown().startswith(_LOGS)


def absolute(walker: Walker, path: Text) -> Text:
    first = path.pieces[0] if path.pieces else ""
    if not isinstance(first, str) or is_rooted(first) or walker.state.folder is None:
        return path
    folder = walker.state.folder.rstrip("/")
    return Text.of(f"{folder}/{first.removeprefix('./')}", *path.pieces[1:])


def with_expansions(effect: Writes, stream: Stream | None) -> Writes:
    """A program that writes what it reads (tee, install) writes what the shell expanded."""
    if stream is None or not stream.expanded or effect.content is None:
        return effect
    return replace(effect, expanded=stream.expanded)
