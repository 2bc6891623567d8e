"""What a file of HCL says: bodies of attributes and blocks, and expressions."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeAlias

from nodeworthy.hcl.arithmetic import Number
from nodeworthy.hcl.source import File
from nodeworthy.records import dataclass, field

# None of these is frozen: nobody changes one, and a file has thousands. `at` is where it begins in its file.


@dataclass(slots=True)
class Literal:
    at: int
    value: str | Number | bool | None


@dataclass(slots=True)
class Chunk:
    """Text of a template as it comes out, of one line at most."""

    at: int
    text: str


@dataclass(slots=True)
class Interpolation:
    at: int
    end: int
    on: Expression


@dataclass(slots=True)
class If:
    at: int
    condition: Expression
    then: Sequence[Part]
    otherwise: Sequence[Part]


@dataclass(slots=True)
class For:
    at: int
    key: str
    value: str
    over: Expression
    parts: Sequence[Part]


Part: TypeAlias = Chunk | Interpolation | If | For


@dataclass(slots=True)
class Template:
    at: int
    parts: Sequence[Part]


@dataclass(slots=True)
class Name:
    at: int
    name: str


@dataclass(slots=True)
class Attribute:
    at: int
    on: Expression
    name: str


@dataclass(slots=True)
class Index:
    at: int
    on: Expression
    index: Expression


@dataclass(slots=True)
class Splat:
    """`on[*]` or `on.*`, and what is asked of each: an expression on `Each`."""

    at: int
    on: Expression
    each: Expression


@dataclass(slots=True)
class Each:
    at: int


@dataclass(slots=True)
class Unary:
    at: int
    sign: str
    on: Expression


@dataclass(slots=True)
class Binary:
    at: int
    sign: str
    left: Expression
    right: Expression


@dataclass(slots=True)
class Conditional:
    at: int
    condition: Expression
    then: Expression
    otherwise: Expression


@dataclass(slots=True)
class Call:
    at: int
    name: str
    arguments: Sequence[Expression]
    # The last one is a list of arguments.
    expands: bool = False


@dataclass(slots=True)
class Tuple:
    at: int
    items: Sequence[Expression]


@dataclass(slots=True)
class Object:
    at: int
    items: Sequence[tuple[Expression, Expression]]


@dataclass(slots=True)
class Comprehension:
    """`[for …]`, or `{for …}` where it has a key."""

    at: int
    names: Sequence[str]
    over: Expression
    key: Expression | None
    value: Expression
    condition: Expression | None
    groups: bool = False


Expression: TypeAlias = (
    Literal
    | Template
    | Name
    | Attribute
    | Index
    | Splat
    | Each
    | Unary
    | Binary
    | Conditional
    | Call
    | Tuple
    | Object
    | Comprehension
)


@dataclass(slots=True)
class Setting:
    """`name = expression`."""

    at: int
    name: str
    expression: Expression


@dataclass(slots=True)
class Block:
    at: int
    kind: str
    labels: Sequence[str]
    body: Body
    file: File


@dataclass(slots=True)
class Body:
    settings: dict[str, Setting] = field(default_factory=dict)
    blocks: list[Block] = field(default_factory=list)

    def of(self, kind: str) -> list[Block]:
        return [each for each in self.blocks if each.kind == kind]
