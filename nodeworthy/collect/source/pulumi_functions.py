"""What a program of Pulumi in YAML calls: its references, `${name.property}`, and its functions, `fn::toBase64`."""

from __future__ import annotations

import base64
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

from nodeworthy.collect.source.cloudformation.nodes import Node, items
from nodeworthy.hcl.source import Spot
from nodeworthy.hcl.values import Hole, Lit, Obj, Piece, Scalar, Seq, Str, Value, join_pieces
from nodeworthy.patterns import pattern

if TYPE_CHECKING:
    from nodeworthy.collect.source.pulumi_yaml import Program

_FILLED = pattern(r"\$\$\{|\$\{([^}]*)\}")
_STEP = pattern(r"\.?([\w-]+)|\[\"([^\"]+)\"\]|\[(\d+)\]")


def with_references(program: Program, said: Str) -> Value:
    """A text with what it refers to; one that is nothing but a reference is what that is."""
    if not any("${" in each.text for each in said.pieces if isinstance(each, Lit)):
        return said
    pieces = [one for each in said.pieces for one in (_pieces(program, each) if isinstance(each, Lit) else [each])]
    if len(pieces) == 1 and not isinstance(pieces[0], (Lit, Hole)):
        return pieces[0]
    return join_pieces(list(_texts(pieces)), said.spot, False)


def _pieces(program: Program, said: Lit) -> Iterator[Value | Piece]:
    at = 0
    for found in _FILLED.finditer(said.text):
        if found.start() > at:
            yield Lit(said.text[at : found.start()], said.spot_at(at), said.straight)
        spot = said.spot_at(found.start())
        if found[1] is None:
            yield Lit("${", spot)
        else:
            yield _reference(program, found[1].strip(), spot)
        at = found.end()
    if at < len(said.text):
        yield Lit(said.text[at:], said.spot_at(at), said.straight)


def _texts(pieces: Sequence[Value | Piece]) -> Iterator[Piece]:
    for each in pieces:
        if isinstance(each, (Lit, Hole)):
            yield each
        elif isinstance(each, Str):
            yield from each.pieces
        elif isinstance(each, Scalar) and each.value is not None:
            told = str(each.value).lower() if isinstance(each.value, bool) else f"{each.value}"
            yield Lit(told, each.spot)
        else:
            yield Hole("it is no text", each.spot)


def _reference(program: Program, said: str, spot: Spot) -> Value:
    steps = [found[1] or found[2] or found[3] for found in _STEP.finditer(said)]
    if not steps:
        return Hole("nothing is named", spot, said)
    name, *path = steps
    if program.is_resource(name) and path:
        return _within(program.property_of(name, path[0], spot), path[1:], said, spot)
    return _within(program.named(name, spot), path, said, spot)


def _within(value: Value, path: Sequence[str], said: str, spot: Spot) -> Value:
    for step in path:
        if isinstance(value, Obj) and step in value.items:
            value = value.items[step]
        elif isinstance(value, Seq) and step.isdigit() and int(step) < len(value.items):
            value = value.items[int(step)]
        elif isinstance(value, Hole):
            return Hole(value.why, spot, said, value.of, value.secret)
        else:
            return Hole(f"nothing here says what {said} is", spot, said)
    return value


# Functions


def _to_base64(program: Program, node: Node, spot: Spot) -> Value:
    told = program.value(node)
    if not isinstance(told, Str):
        return Hole("what is packed is not known", spot, "fn::toBase64")
    if told.known is None:
        packed = Str((Hole("a part of it is not known", spot, "fn::toBase64"),), told.spot)
    else:
        packed = Str((Lit(base64.b64encode(told.known.encode()).decode(), told.spot),), told.spot)
    packed.packs = ("base64", told)
    return packed


def _join(program: Program, node: Node, spot: Spot) -> Value:
    given = items(node)
    between = program.value(given[0]) if len(given) == 2 else None
    joined = program.value(given[1]) if len(given) == 2 else None
    if not isinstance(between, Str) or not isinstance(joined, Seq):
        return Hole("what is joined is not known", spot, "fn::join")
    pieces: list[Piece] = []
    for index, each in enumerate(joined.items):
        pieces += [*(between.pieces if index else ()), *_texts([each])]
    return join_pieces(pieces, spot, False)


def _secret(program: Program, node: Node, spot: Spot) -> Value:  # noqa: ARG001
    made = program.value(node)
    return Str(made.pieces, made.spot, True) if isinstance(made, Str) else made


def _file_read(program: Program, node: Node, spot: Spot) -> Value:
    """Its path begins at the program's folder, which is `${pulumi.cwd}` as well."""
    told = program.value(node)
    pieces = list(told.pieces) if isinstance(told, Str) else []
    if pieces and isinstance(pieces[0], Hole) and pieces[0].shown == "pulumi.cwd":
        pieces[0] = Lit(".", pieces[0].spot)
    path = "".join(each.text for each in pieces if isinstance(each, Lit))
    found = program.file_at(path) if all(isinstance(each, Lit) for each in pieces) else None
    if found is None:
        return Hole(f"fn::readFile reads {path or 'a file'}, which is not there to be read", spot, "fn::readFile")
    begins = Spot(found, 0)
    return Str((Lit(found.text, begins, True),), begins)


def _looked_up(program: Program, node: Node, spot: Spot) -> Value:  # noqa: ARG001
    return Hole("it is looked up when the program runs", spot, "fn::invoke")


FUNCTIONS: Mapping[str, Callable[[Program, Node, Spot], Value]] = {
    "toBase64": _to_base64,
    "ToBase64": _to_base64,
    "join": _join,
    "Join": _join,
    "secret": _secret,
    "Secret": _secret,
    "readFile": _file_read,
    "ReadFile": _file_read,
    "invoke": _looked_up,
    "Invoke": _looked_up,
}
