"""The syntax of a shell script, as far as its effects need it. Lines and columns count from one."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import field
from typing import TypeAlias

from nodeworthy.boot.shell.word_syntax import Assignment, Redirect, Word
from nodeworthy.records import dataclass


@dataclass(slots=True)
class Command:
    """A simple command; without words it only assigns."""

    words: Sequence[Word]
    assignments: tuple[Assignment, ...]
    redirects: tuple[Redirect, ...]
    line: int
    column: int
    raw: str


@dataclass(slots=True)
class Declaration:
    """`export`, `local`, `declare`, `readonly`, `typeset` with their assignments and bare names."""

    keyword: str
    assignments: tuple[Assignment, ...]
    names: tuple[str, ...]
    line: int
    column: int
    raw: str
    # Their letters.
    options: str = ""


@dataclass(slots=True)
class Pipeline:
    commands: tuple[Statement, ...]
    line: int
    column: int
    raw: str


@dataclass(slots=True)
class Not:
    """`! command`."""

    command: Statement
    line: int
    column: int
    raw: str


@dataclass(slots=True)
class AndOr:
    """`left && right`, `left || right`."""

    left: Statement
    operator: str
    right: Statement
    line: int
    column: int
    raw: str


@dataclass(slots=True)
class Branch:
    condition: tuple[Statement, ...]
    body: tuple[Statement, ...]


@dataclass(slots=True)
class If:
    branches: tuple[Branch, ...]
    otherwise: tuple[Statement, ...]
    line: int
    column: int
    raw: str
    # `%{ if … }` of a template: decided before there is a script.
    of_template: bool = False


@dataclass(slots=True)
class For:
    """`for name in words`; without words (None) over the arguments; `raw_header` is what the reader sees."""

    name: str
    words: tuple[Word, ...] | None
    body: tuple[Statement, ...]
    line: int
    column: int
    raw_header: str


@dataclass(slots=True)
class CountingFor:
    """`for ((i = 0; i < 5; i++))`."""

    body: tuple[Statement, ...]
    line: int
    column: int
    raw_header: str


@dataclass(slots=True)
class While:
    condition: tuple[Statement, ...]
    body: tuple[Statement, ...]
    until: bool
    line: int
    column: int
    raw_header: str


@dataclass(slots=True)
class Arm:
    patterns: tuple[Word, ...]
    body: tuple[Statement, ...]
    # `;;`, `;&`, `;;&`
    ending: str = ";;"


@dataclass(slots=True)
class Case:
    subject: Word
    arms: tuple[Arm, ...]
    line: int
    column: int
    raw: str


@dataclass(slots=True)
class Function:
    name: str
    body: tuple[Statement, ...]
    line: int
    column: int


@dataclass(slots=True)
class Group:
    """`{ …; }`, or `( … )` in a subshell."""

    body: tuple[Statement, ...]
    subshell: bool
    line: int
    column: int
    raw: str


@dataclass(slots=True)
class Redirected:
    """A compound statement with redirects behind it: `{ …; } > file`, `done < file`."""

    statement: Statement
    redirects: tuple[Redirect, ...]
    line: int
    column: int
    raw: str


@dataclass(slots=True)
class Background:
    """`command &`."""

    statement: Statement
    line: int
    column: int
    raw: str


@dataclass(slots=True)
class Unary:
    """`-f word` inside of a test."""

    operator: str
    operand: Word


@dataclass(slots=True)
class Binary:
    """`word = word` inside of a test; `==`, `!=`, `=~`, `-eq`, `-nt` …"""

    left: Word
    operator: str
    right: Word


@dataclass(slots=True)
class Both:
    left: TestExpression
    operator: str  # && or ||
    right: TestExpression


@dataclass(slots=True)
class Negated:
    expression: TestExpression


@dataclass(slots=True)
class Opaque:
    """A test that is not read: arithmetic, say."""

    raw: str


TestExpression: TypeAlias = Unary | Binary | Both | Negated | Opaque | Word


@dataclass(slots=True)
class Test:
    """`[[ … ]]`, `[ … ]`, `test …`, `(( … ))`."""

    expression: TestExpression
    line: int
    column: int
    raw: str


@dataclass(slots=True)
class Broken:
    """A region that is no shell, with those statements in it that could be read all the same."""

    text: str
    line: int
    column: int
    inside: tuple[Statement, ...] = field(default=())


Statement: TypeAlias = (
    Command
    | Declaration
    | Pipeline
    | Not
    | AndOr
    | If
    | For
    | CountingFor
    | While
    | Case
    | Function
    | Group
    | Redirected
    | Background
    | Test
    | Broken
)


@dataclass(slots=True)
class Script:
    statements: tuple[Statement, ...]
