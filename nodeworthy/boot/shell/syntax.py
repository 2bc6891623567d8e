"""The syntax of a shell script, as far as its effects need it. Lines and columns count from one."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, TypeAlias

from nodeworthy.boot.text import Text
from nodeworthy.records import dataclass, field

if TYPE_CHECKING:
    from nodeworthy.boot.shell.source import Source


# Words, and what stands around them: assignments, redirects, heredocs. Lines and columns count from one.
#
# Nobody changes these. They are not frozen because a script has thousands of them, and freezing each costs more than
# to read it.


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
    # Whether bash can read all of it; where not, nobody has asked yet.
    is_readable: bool = False
    # A heredoc goes on to the end, and would go on if there were more.
    is_open: bool = False
