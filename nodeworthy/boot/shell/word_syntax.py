"""Words, and what stands around them: assignments, redirects, heredocs. Lines and columns count from one.

Nobody changes these. They are not frozen because a script has thousands of them, and freezing each costs more than to
read it.
"""

from __future__ import annotations

from dataclasses import field
from typing import TYPE_CHECKING, TypeAlias

from nodeworthy.boot.text import Text
from nodeworthy.records import dataclass

if TYPE_CHECKING:
    from nodeworthy.boot.shell.source import Source
    from nodeworthy.boot.shell.syntax import Statement


@dataclass(slots=True)
class Literal:
    text: str
    quoted: bool = False


@dataclass(slots=True)
class Parameter:
    """`$NAME`, `${NAME:-word}`, `${NAME%pattern}`, `${#NAME}`, `${NAME[@]}`, `$1`, `$@`."""

    name: str
    raw: str
    # The operator behind the name, empty for none: `:-`, `-`, `:=`, `:+`, `:?`, `#`, `##`, `%`, `%%`, `/`, `//`, `^^`,
    # `,,`, `:` (a substring), `length` for `${#NAME}`, `!` for an indirection.
    operator: str = ""
    argument: Word | None = None
    # Of an array: `@`, `*` or the index as it was written.
    index: str | None = None
    quoted: bool = False


@dataclass(slots=True)
class Substitution:
    """`$(…)` and backticks; `direction` is set for `<(…)` and `>(…)`."""

    body: tuple[Statement, ...]
    raw: str
    quoted: bool = False
    direction: str = ""


@dataclass(slots=True)
class Arithmetic:
    """`$((…))`."""

    raw: str
    quoted: bool = False


@dataclass(slots=True)
class Filled:
    """What a template fills in before there is a script: Terraform's `${name}`."""

    raw: str


WordPart: TypeAlias = Literal | Parameter | Substitution | Arithmetic | Filled


@dataclass(slots=True)
class Word:
    parts: tuple[WordPart, ...]
    raw: str
    # Where it stands: few are ever asked for their line.
    source: Source = field(repr=False, compare=False)
    start: int
    # What the shell makes of it, where that is the same whatever happened before.
    plain: Text | None = field(default=None, repr=False, compare=False)

    @property
    def spot(self) -> tuple[int, int]:
        """Line and column."""
        return self.source.place(self.start)

    @property
    def line(self) -> int:
        return self.spot[0]

    @property
    def column(self) -> int:
        return self.spot[1]

    @property
    def is_quoted(self) -> bool:
        return any(getattr(part, "quoted", False) for part in self.parts)


@dataclass(slots=True)
class Assignment:
    name: str
    # None for an array; then `items` holds its elements.
    value: Word | None
    line: int
    column: int
    items: tuple[Word, ...] = ()
    appends: bool = False
    index: str | None = None


@dataclass(slots=True)
class HereDocument:
    """The body of `<<EOF`, one word a line; in a quoted one every word is a literal."""

    quoted: bool
    lines: tuple[Word, ...]
    delimiter: str
    line: int
    # The end never came.
    unclosed: bool = False


@dataclass(slots=True)
class Redirect:
    # `>`, `>>`, `<`, `<<`, `<<<`, `>&`, `<&`, `&>`, `&>>`, `>|`, `<>`
    operator: str
    target: Word | HereDocument
    descriptor: int | None = None
