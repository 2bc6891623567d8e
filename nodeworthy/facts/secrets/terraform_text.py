"""What a file of Terraform writes down in plain words that belongs in a store: a token among its variables, a password
among a chart's values."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import ClassVar

from nodeworthy.facts.secrets.plain_text import HIDES_OR_DESCRIBES, secrets_in
from nodeworthy.hcl.source import File
from nodeworthy.hcl.syntax import (
    Attribute,
    Binary,
    Body,
    Call,
    Chunk,
    Comprehension,
    Conditional,
    Expression,
    Literal,
    Name,
    Object,
    Part,
    Template,
    Tuple,
)
from nodeworthy.known.secret_names import holds, is_default
from nodeworthy.known.secrets import what_is
from nodeworthy.patterns import pattern
from nodeworthy.records import dataclass
from nodeworthy.verdict import Place

# What machines boot with is looked at as a script.
_A_SCRIPT = pattern(
    r"\s*(?:#!|#cloud-config|MIME-Version:|Content-Type:|<powershell>)|\s*(?:---\s*)?apiVersion: node\.eks\.aws"
)


@dataclass(frozen=True)
class WrittenSecret:
    place: Place
    name: str
    what: str


@dataclass(frozen=True, eq=False)
class TerraformText:
    called: ClassVar[str] = "a file of Terraform"

    place: Place
    # "Terraform's variables", "a file of Terraform".
    what: str
    found: Sequence[WrittenSecret]


def text_of(file: File, body: Body) -> TerraformText:
    is_variables = file.shown.endswith((".tfvars", ".tfvars.json"))
    what = "Terraform's variables" if is_variables else "a file of Terraform"
    return TerraformText(Place(file.shown), what, list(_secrets(file, body)))


def _secrets(file: File, body: Body) -> Iterator[WrittenSecret]:
    for each in texts_in(body):
        if "\n" in each.text:
            yield from _of_lines(file, each)
        elif len(each.text) > 3 and not is_default(each.text):
            what = what_is(each.name, each.text)
            if what is not None:
                yield WrittenSecret(file.place(each.at(0)), each.name, what)


def _of_lines(file: File, written: Written) -> Iterator[WrittenSecret]:
    """A heredoc: a chart's values, a manifest, or one secret of several lines, as a private key is."""
    if _A_SCRIPT.match(written.text):
        return
    for each in secrets_in(written.text):
        if not is_default(written.text[each.start : each.end]):
            yield WrittenSecret(file.place(written.at(each.start)), each.name or _telling(written.name), each.what)


def _telling(name: str) -> str:
    return name if holds(name) is not None else ""


# The texts that a file of HCL writes down, each with the name of what holds it; what is filled in is none of them.


# What stands for what a template fills in.
FILLED_IN = "${…}"
_OF_A_VARIABLE = "default"
# What these are given is a path: `private_key = file("id_rsa.pem")`.
_READ_FILES = ("file", "filebase64", "pathexpand", "templatefile")
# Which of their arguments may be what comes of it: the others are a key, or what is looked for in a text.
_OF_ARGUMENTS = {
    "lookup": slice(2, None),
    # Of Terragrunt: what counts where the environment does not say it.
    **dict.fromkeys(("split", "regex", "regexall", "get_env"), slice(1, None)),
    **dict.fromkeys(("replace", "trim", "trimprefix", "trimsuffix", "element", "index"), slice(1)),
    **dict.fromkeys(("contains", "startswith", "endswith", "length"), slice(0)),
}


@dataclass
class Written:
    name: str
    text: str
    # Where it begins, and each of its pieces: how far into the text, and where in the file.
    pieces: tuple[tuple[int, int], ...]

    def at(self, offset: int) -> int:
        """Where in the file what stands there in the text is written."""
        begins, at = next(each for each in reversed(self.pieces) if each[0] <= offset)
        return at + offset - begins


def texts_in(body: Body, holder: str = "") -> Iterator[Written]:
    """`holder` is the name of the variable whose block this is."""
    beside = _text_of(body.settings["name"].expression) if {"name", "value"} <= body.settings.keys() else None
    for name, said in body.settings.items():
        called = holder if name == _OF_A_VARIABLE and holder else beside if name == "value" and beside else name
        yield from _within(said.expression, called)
    for block in body.blocks:
        yield from texts_in(block.body, block.labels[0] if block.kind == "variable" and block.labels else "")


def _within(said: Expression, name: str) -> Iterator[Written]:
    if isinstance(said, (Literal, Template)):
        yield from _written_texts(said, name)
    elif isinstance(said, Object):
        yield from _of_object(said)
    elif isinstance(said, Conditional):
        yield from _within(said.then, name)
        yield from _within(said.otherwise, name)
    elif isinstance(said, Comprehension):
        yield from _within(said.value, name)
    elif isinstance(said, Call) and said.name in _READ_FILES:
        return
    elif isinstance(said, (Tuple, Call)):
        for each in said.items if isinstance(said, Tuple) else _may_come_of(said):
            yield from _within(each, name)
    elif isinstance(said, Binary):
        yield from _within(said.left, "")
        yield from _within(said.right, "")


def _may_come_of(call: Call) -> Sequence[Expression]:
    return call.arguments[_OF_ARGUMENTS.get(call.name, slice(None))]


def _of_object(said: Object) -> Iterator[Written]:
    """An object of Kubernetes that hides what it holds, or describes what others hold, writes none down."""
    named = [(_key_of(key), each) for key, each in said.items]
    if any(key == "kind" and _text_of(each) in HIDES_OR_DESCRIBES for key, each in named):
        return
    beside = next((_text_of(each) for key, each in named if key == "name"), None)
    for key, each in named:
        yield from _within(each, beside if key == "value" and beside else key)


def _key_of(key: Expression) -> str:
    return key.name if isinstance(key, (Name, Attribute)) else _text_of(key) or ""


def _text_of(said: Expression) -> str | None:
    return next((each.text for each in _written_texts(said, "")), None)


def _written_texts(said: Expression, name: str) -> Iterator[Written]:
    if isinstance(said, Literal):
        if isinstance(said.value, str):
            yield Written(name, said.value, ((0, said.at),))
    elif isinstance(said, Template):
        yield _of_template(said.parts, name, said.at)


def _of_template(parts: Sequence[Part], name: str, at: int) -> Written:
    told: list[str] = []
    pieces: list[tuple[int, int]] = [(0, at)]
    length = 0
    for each in parts:
        shown = each.text if isinstance(each, Chunk) else FILLED_IN
        pieces.append((length, each.at))
        told.append(shown)
        length += len(shown)
    return Written(name, "".join(told), tuple(pieces))
