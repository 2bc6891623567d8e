"""The functions of CloudFormation. What waits for something is a hole; what CloudFormation refuses raises Refusal."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, TypeAlias

from nodeworthy.collect.source.cloudformation.nodes import Node, items, pairs, scalar_text, spot_of, text
from nodeworthy.hcl.arithmetic import number_text
from nodeworthy.hcl.source import Spot
from nodeworthy.hcl.values import (
    Hole,
    Lit,
    Obj,
    Piece,
    Refusal,
    Scalar,
    Seq,
    Str,
    Value,
    Waits,
    first_hole,
    join_pieces,
    need_known,
    string,
    whole_num,
)
from nodeworthy.patterns import pattern
from nodeworthy.records import dataclass

if TYPE_CHECKING:
    from nodeworthy.collect.source.cloudformation.template import Template

_FILLED = pattern(r"\$\{([^}]*)\}")


@dataclass(slots=True)
class Calling:
    template: Template
    spot: Spot
    names: Mapping[str, Value]
    is_tag: bool = False

    def value(self, node: Node) -> Value:
        return self.template.value(node, self.names)

    def argument(self, node: Node) -> Value:
        return self.template.untagged(node, self.names) if self.is_tag else self.value(node)

    def given(self, node: Node, least: int, most: int | None = None) -> Sequence[Node]:
        said = items(node)
        if not least <= len(said) <= (most or least):
            raise Refusal(f"it takes {least} arguments")
        return said

    def string(self, pieces: Sequence[Piece], secret: bool = False) -> Str:
        made = join_pieces(pieces, pieces[0].spot if pieces else self.spot, secret)
        self.template.spend(made)
        return made


Function: TypeAlias = Callable[[Calling, Node], Value]


def holes_in(value: Value) -> Iterator[Hole]:
    """All of what a value waits for."""
    if isinstance(value, Hole):
        yield value
    elif isinstance(value, Str):
        yield from (each for each in value.pieces if isinstance(each, Hole))
        if value.packs is not None:
            yield from holes_in(value.packs[1])
    elif isinstance(value, Seq):
        for each in value.items:
            yield from holes_in(each)
    elif isinstance(value, Obj):
        for each in value.items.values():
            yield from holes_in(each)


# What names something


def _ref(c: Calling, node: Node) -> Value:
    name = scalar_text(node)
    if name is None:
        raise Refusal("Ref takes a name")
    return c.template.reference(name, c.spot, c.names)


def _get_att(c: Calling, node: Node) -> Value:
    said = scalar_text(node)
    if said is not None:
        name, _, attribute = said.partition(".")
        return c.template.attribute(name, attribute, c.spot)
    named = [scalar_text(each) for each in c.given(node, 2)]
    return c.template.attribute(named[0] or "", named[1] or "", c.spot)


def _import_value(c: Calling, node: Node) -> Value:
    named = c.argument(node)
    told = named.shown if isinstance(named, (Str, Hole)) else "a value"
    return Hole(f"another stack exports it: {told}", c.spot, f"Fn::ImportValue {told}")


def _get_azs(c: Calling, _node: Node) -> Value:
    return Hole("which zones the region has is looked up when the stack is deployed", c.spot, "Fn::GetAZs")


def _transform(c: Calling, _node: Node) -> Value:
    return Hole("a transform makes it", c.spot, "Fn::Transform")


def _find_in_map(c: Calling, node: Node) -> Value:
    name, top, second, *more = c.given(node, 3, 4)
    default = next((value for each in more for key, (_, value) in pairs(each).items() if key == "DefaultValue"), None)
    keys = [c.value(each) for each in (name, top, second)]
    known = [_known_text(each) for each in keys]
    if all(each is not None for each in known):
        found = c.template.mapping(str(known[0]), str(known[1]), str(known[2]))
        if found is not None:
            return found
        if default is not None:
            return c.value(default)
        raise Refusal(f"the mapping {known[0]} has no {known[1]}.{known[2]}")
    return _whichever(c, keys, known)


def _known_text(value: Value) -> str | None:
    try:
        return string(value).known
    except Refusal:
        return None


def _whichever(c: Calling, keys: Sequence[Value], known: Sequence[str | None]) -> Value:
    """The value that every row has, where it is not known which row is meant. A table of regions often has the same
    value in each."""
    hole = first_hole(next(each for each, told in zip(keys, known, strict=True) if told is None))
    if hole is None:
        raise Refusal("Fn::FindInMap takes texts")
    if known[0] is not None and known[2] is not None:
        rows = [pairs(row).get(known[2]) for _, row in c.template.mapped(known[0]).values()]
        told = {_known_text(c.value(each[1])) if each is not None else None for each in rows}
        if len(told) == 1 and None not in told and rows[0] is not None:
            return c.value(rows[0][1])
    return Hole(hole.why, c.spot, f"Fn::FindInMap {known[0] or ''}".strip())


# Texts


def _sub(c: Calling, node: Node) -> Value:
    said = items(node)
    own: Mapping[str, tuple[Node, Node]] = {}
    if said:
        node, own = said[0], pairs(said[1]) if len(said) > 1 else {}
    if scalar_text(node) is None:
        raise Refusal("Fn::Sub takes a text")
    told = text(node, c.template.file)
    pieces: list[Piece] = []
    secret = False
    for piece in told.pieces:
        assert isinstance(piece, Lit)
        at = 0
        for found in _FILLED.finditer(piece.text):
            if found.start() > at:
                pieces.append(Lit(piece.text[at : found.start()], piece.spot_at(at), piece.straight))
            filled = _filled(c, found[1], piece.spot_at(found.start()), own)
            secret = secret or filled.secret
            pieces += filled.pieces
            at = found.end()
        if at < len(piece.text):
            pieces.append(Lit(piece.text[at:], piece.spot_at(at), piece.straight))
    return c.string(pieces, secret)


def _filled(c: Calling, name: str, spot: Spot, own: Mapping[str, tuple[Node, Node]]) -> Str:
    if name.startswith("!"):
        return Str((Lit(f"${{{name[1:]}}}", spot),), spot)
    name = name.strip()
    if name in own:
        value = c.value(own[name][1])
    elif "." in name and name not in c.names:
        resource, _, attribute = name.partition(".")
        value = c.template.attribute(resource, attribute, spot)
    else:
        value = c.template.reference(name, spot, c.names)
    return _as_text(value)


def _as_text(value: Value) -> Str:
    if isinstance(value, (Seq, Obj)):
        raise Refusal("a list is no text")
    if isinstance(value, Scalar) and value.value is None:
        return Str((), value.spot)
    return string(value)


def _join(c: Calling, node: Node) -> Value:
    between, listed = c.given(node, 2)
    joint = c.template.value(between, c.names)
    glue = _as_text(joint)
    over = need_known(c.value(listed))
    if not isinstance(over, Seq):
        raise Refusal("Fn::Join takes a list")
    pieces: list[Piece] = []
    secret = False
    for index, each in enumerate(over.items):
        told = _as_text(each)
        secret = secret or told.secret
        if index:
            pieces += glue.pieces
        pieces += told.pieces
    return c.string(pieces, secret)


def _split(c: Calling, node: Node) -> Value:
    between, whole = c.given(node, 2)
    glue, told = scalar_text(between), string(need_known(c.value(whole)))
    if not glue:
        raise Refusal("Fn::Split takes what stands between")
    if told.known is None:
        assert told.hole is not None
        raise Waits(told.hole)
    found = [Str((Lit(each, told.spot),), told.spot) for each in told.known.split(glue)]
    return c.template.spend(Seq("tuple", found, told.spot))


def _select(c: Calling, node: Node) -> Value:
    index, listed = c.given(node, 2)
    at, over = whole_num(c.value(index)), need_known(c.value(listed))
    if not isinstance(over, Seq):
        raise Refusal("Fn::Select takes a list")
    if not 0 <= at < len(over.items):
        raise Refusal(f"the list has no element {at}")
    return over.items[at]


def _base64(c: Calling, node: Node) -> Value:
    """The packed text, which keeps what it packs: nobody can read that in the packed form."""
    import base64

    told = string(c.argument(node))
    if told.known is None:
        hole = told.hole
        assert hole is not None
        packed = Str((Hole(hole.why, told.spot, "Fn::Base64", hole.of, hole.secret),), told.spot, told.secret)
    else:
        packed = Str((Lit(base64.b64encode(told.known.encode()).decode(), told.spot),), told.spot, told.secret)
    packed.packs = ("base64", told)
    c.template.spend(packed)
    return packed


def _cidr(c: Calling, node: Node) -> Value:
    import ipaddress

    said = [c.value(each) for each in c.given(node, 2, 3)]
    block, count = string(need_known(said[0])), whole_num(said[1])
    bits = whole_num(said[2]) if len(said) > 2 else 8
    if block.known is None:
        assert block.hole is not None
        raise Waits(block.hole)
    if not 1 <= count <= 256:
        raise Refusal("Fn::Cidr makes 1 to 256 ranges")
    try:
        network = ipaddress.ip_network(block.known)
        made = network.subnets(new_prefix=network.max_prefixlen - bits)
        found = [Str((Lit(str(each), block.spot),), block.spot) for each, _ in zip(made, range(count), strict=False)]
    except ValueError as problem:
        raise Refusal(str(problem)) from None
    return Seq("tuple", found, c.spot)


def _length(c: Calling, node: Node) -> Value:
    over = need_known(c.argument(node))
    if not isinstance(over, Seq):
        raise Refusal("Fn::Length takes a list")
    return Scalar(len(over.items), c.spot)


def _to_json_string(c: Calling, node: Node) -> Value:
    pieces: list[Piece] = []
    _json(c.argument(node), pieces)
    return c.string(pieces)


def _json(value: Value, pieces: list[Piece]) -> None:
    if isinstance(value, Hole):
        pieces.append(value)
    elif isinstance(value, Str):
        pieces.append(Lit('"', value.spot))
        pieces += [
            Lit(json.dumps(each.text)[1:-1], each.spot) if isinstance(each, Lit) else each for each in value.pieces
        ]
        pieces.append(Lit('"', value.spot))
    elif isinstance(value, Scalar):
        plain = value.value
        told = "null" if plain is None else str(plain).lower() if isinstance(plain, bool) else number_text(plain)
        pieces.append(Lit(told, value.spot))
    else:
        _json_of_several(value, pieces)


def _json_of_several(value: Seq | Obj, pieces: list[Piece]) -> None:
    is_list = isinstance(value, Seq)
    each = [("", one) for one in value.items] if isinstance(value, Seq) else list(value.items.items())
    pieces.append(Lit("[" if is_list else "{", value.spot))
    for index, (name, one) in enumerate(each):
        pieces.append(Lit(("," if index else "") + ("" if is_list else f"{json.dumps(name)}:"), one.spot))
        _json(one, pieces)
    pieces.append(Lit("]" if is_list else "}", value.spot))


# Conditions


def _truth(c: Calling, node: Node) -> bool | Hole:
    value = c.value(node)
    if isinstance(value, Scalar) and isinstance(value.value, bool):
        return value.value
    if isinstance(value, Str) and value.known in ("true", "false"):
        return value.known == "true"
    return first_hole(value) or Hole("a condition is no truth value", c.spot)


def _condition(c: Calling, node: Node) -> Value:
    name = scalar_text(node)
    if name is None:
        raise Refusal("Condition takes a name")
    told = c.template.condition(name, c.spot, c.names)
    return Scalar(told, c.spot) if told is not None else Hole(c.template.why_open(name), c.spot, name)


def _equals(c: Calling, node: Node) -> Value:
    one, other = (c.value(each) for each in c.given(node, 2))
    first, second = _as_text(one), _as_text(other)
    if first.known is not None and second.known is not None:
        return Scalar(first.known == second.known, c.spot)
    if first.known is not None and not second.could_be(first.known):
        return Scalar(False, c.spot)
    if second.known is not None and not first.could_be(second.known):
        return Scalar(False, c.spot)
    hole = first.hole or second.hole
    assert hole is not None
    raise Waits(hole)


def _not(c: Calling, node: Node) -> Value:
    told = _truth(c, c.given(node, 1)[0])
    return told if isinstance(told, Hole) else Scalar(not told, c.spot)


def _and(c: Calling, node: Node) -> Value:
    return _all(c, node, until=False)


def _or(c: Calling, node: Node) -> Value:
    return _all(c, node, until=True)


def _all(c: Calling, node: Node, *, until: bool) -> Value:
    """One that is so decides alone, whatever of the others is not known."""
    told = [_truth(c, each) for each in c.given(node, 1, 10)]
    if until in told:
        return Scalar(until, c.spot)
    return next((each for each in told if isinstance(each, Hole)), None) or Scalar(not until, c.spot)


def _if(c: Calling, node: Node) -> Value:
    condition, yes, no = c.given(node, 3)
    name = scalar_text(condition)
    if name is None:
        raise Refusal("Fn::If takes the name of a condition")
    told = c.template.condition(name, spot_of(condition, c.template.file), c.names)
    if told is not None:
        return c.value(yes if told else no)
    one, other = c.value(yes), c.value(no)
    if _known_text(one) is not None and _known_text(one) == _known_text(other):
        return one
    return Hole(f"it depends on the condition {name}: {c.template.why_open(name)}", c.spot, f"Fn::If {name}")


FUNCTIONS: Mapping[str, Function] = {
    "Condition": _condition,
    "Fn::And": _and,
    "Fn::Base64": _base64,
    "Fn::Cidr": _cidr,
    "Fn::Equals": _equals,
    "Fn::FindInMap": _find_in_map,
    "Fn::GetAZs": _get_azs,
    "Fn::GetAtt": _get_att,
    "Fn::If": _if,
    "Fn::ImportValue": _import_value,
    "Fn::Join": _join,
    "Fn::Length": _length,
    "Fn::Not": _not,
    "Fn::Or": _or,
    "Fn::Ref": _ref,
    "Fn::Select": _select,
    "Fn::Split": _split,
    "Fn::Sub": _sub,
    "Fn::ToJsonString": _to_json_string,
    "Fn::Transform": _transform,
    "Ref": _ref,
}
