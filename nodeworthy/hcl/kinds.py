"""Types: what variables are declared as, what values are, and what turns into what."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from nodeworthy.hcl.syntax import Call, Expression, Literal, Name, Object, Tuple
from nodeworthy.hcl.values import (
    Hole,
    Obj,
    Refusal,
    Scalar,
    Seq,
    Str,
    Value,
    as_set,
    boolean,
    is_null,
    num,
    string,
    words,
)
from nodeworthy.records import dataclass, field


@dataclass(frozen=True)
class HclType:
    """`of` of a list, a set or a map; `items` of a tuple; `fields` of an object."""

    name: str
    of: HclType | None = None
    items: tuple[HclType, ...] = ()
    fields: Mapping[str, HclType] = field(default_factory=dict)
    # Of an object: what may be left out, with what it is then.
    optional: Mapping[str, Expression | None] = field(default_factory=dict)


ANY = HclType("any")
STRING, NUMBER, BOOL = HclType("string"), HclType("number"), HclType("bool")
_PRIMITIVE = {"string": STRING, "number": NUMBER, "bool": BOOL, "any": ANY}
_OF_ONE = ("list", "set", "map")


def type_of(expression: Expression) -> HclType:
    """The type that a `type =` names; `any` for what is not understood."""
    if isinstance(expression, (Name, Literal)):
        name = str(expression.name if isinstance(expression, Name) else expression.value)
        return _PRIMITIVE.get(name) or (HclType(name, ANY) if name in _OF_ONE else ANY)
    if isinstance(expression, Call) and expression.arguments:
        first = expression.arguments[0]
        if expression.name in _OF_ONE:
            return HclType(expression.name, type_of(first))
        if expression.name == "tuple" and isinstance(first, Tuple):
            return HclType("tuple", items=tuple(type_of(each) for each in first.items))
        if expression.name == "object" and isinstance(first, Object):
            return _object(first)
    return ANY


def _object(written: Object) -> HclType:
    fields: dict[str, HclType] = {}
    optional: dict[str, Expression | None] = {}
    for key, said in written.items:
        name = str(key.value) if isinstance(key, Literal) else ""
        if isinstance(said, Call) and said.name == "optional" and said.arguments:
            fields[name] = type_of(said.arguments[0])
            optional[name] = said.arguments[1] if len(said.arguments) > 1 else None
        else:
            fields[name] = type_of(said)
    return HclType("object", fields=fields, optional=optional)


def kind_of(value: Value) -> HclType:
    if isinstance(value, Str):
        return STRING
    if isinstance(value, Scalar):
        return {bool: BOOL, type(None): ANY}.get(type(value.value), NUMBER)
    if isinstance(value, Seq):
        if value.kind == "tuple":
            return HclType("tuple", items=tuple([kind_of(each) for each in value.items]))
        return HclType(value.kind, common([kind_of(each) for each in value.items]) or ANY)
    if isinstance(value, Obj):
        if value.kind == "map":
            return HclType("map", common([kind_of(each) for each in value.items.values()]) or ANY)
        return HclType("object", fields={name: kind_of(each) for name, each in value.items.items()})
    return ANY


def common(kinds: Iterable[HclType]) -> HclType | None:
    """The type that all of these turn into; None where there is none."""
    found = ANY
    for each in kinds:
        both = _both(found, each)
        if both is None:
            return None
        found = both
    return found


def _both(one: HclType, other: HclType) -> HclType | None:
    if one.name == "any" or other.name == "any" or one == other:
        return other if one.name == "any" else one
    names = {one.name, other.name}
    if names <= {"string", "number", "bool"}:
        return STRING if "string" in names else None
    if names <= {"tuple", "list", "set"}:
        return _sequences(one, other, names)
    if names <= {"object", "map"}:
        return _mappings(one, other)
    return None


def _sequences(one: HclType, other: HclType, names: set[str]) -> HclType | None:
    if names == {"tuple"} and len(one.items) == len(other.items):
        pairs = [_both(*each) for each in zip(one.items, other.items, strict=True)]
        if None not in pairs:
            return HclType("tuple", items=tuple([each for each in pairs if each is not None]))
    inner = common([*_inner(one), *_inner(other)])
    return None if inner is None else HclType("set" if "set" in names else "list", inner)


def _mappings(one: HclType, other: HclType) -> HclType | None:
    if one.name == other.name == "object" and set(one.fields) == set(other.fields):
        pairs = {name: _both(each, other.fields[name]) for name, each in one.fields.items()}
        if None not in pairs.values():
            return HclType("object", fields={name: each for name, each in pairs.items() if each is not None})
    inner = common([*_inner(one), *_inner(other)])
    return None if inner is None else HclType("map", inner)


def _inner(kind: HclType) -> Sequence[HclType]:
    return [kind.of] if kind.of is not None else [*kind.items, *kind.fields.values()]


class Defaults:
    """What stands in for the fields of objects that are left out. Whoever evaluates expressions overrides this."""

    def of(self, expression: Expression) -> Value | None:  # noqa: ARG002
        return None


NO_DEFAULTS = Defaults()


def convert(value: Value, kind: HclType, defaults: Defaults = NO_DEFAULTS) -> Value:
    """The value as this type. Raises Refusal where it can't be."""
    if isinstance(value, Hole) or kind.name == "any" or is_null(value):
        return value
    if kind.name == "string":
        return string(value)
    if kind.name == "number":
        return Scalar(num(value), value.spot) if not _waits(value) else _whole(value)
    if kind.name == "bool":
        return Scalar(boolean(value), value.spot) if not _waits(value) else _whole(value)
    if kind.name in ("list", "set", "tuple"):
        return _sequence(value, kind, defaults)
    return _mapping(value, kind, defaults)


def _waits(value: Value) -> bool:
    return isinstance(value, Str) and value.hole is not None


def _whole(value: Value) -> Value:
    assert isinstance(value, Str)
    hole = value.hole
    assert hole is not None
    return Hole(hole.why, value.spot, value.shown, hole.of, value.secret)


def _sequence(value: Value, kind: HclType, defaults: Defaults) -> Value:
    if not isinstance(value, Seq):
        raise Refusal(f"{words(value)} is no {kind.name}")
    if kind.name == "tuple":
        if len(kind.items) != len(value.items):
            raise Refusal(f"a tuple of {len(kind.items)} elements is required")
        pairs = zip(value.items, kind.items, strict=True)
        return Seq("tuple", [convert(each, inner, defaults) for each, inner in pairs], value.spot)
    items = _alike(value.items, kind.of or ANY, defaults)
    return as_set(items, value.spot) if kind.name == "set" else Seq("list", items, value.spot)


def _alike(items: Sequence[Value], of: HclType, defaults: Defaults) -> list[Value]:
    """The items converted to one type; `any` stands for the one type that all have in common."""
    if of.name == "any":
        found = common([kind_of(each) for each in items])
        if found is None:
            raise Refusal("all elements must be of one type")
        of = found
    return [convert(each, of, defaults) for each in items]


def _mapping(value: Value, kind: HclType, defaults: Defaults) -> Value:
    if not isinstance(value, Obj):
        raise Refusal(f"{words(value)} is no {kind.name}")
    if kind.name == "map":
        made = _alike(list(value.items.values()), kind.of or ANY, defaults)
        return Obj("map", dict(zip(value.items, made, strict=True)), value.spot, value.keys, value.rest, value.others)
    items: dict[str, Value] = {}
    for name, inner in kind.fields.items():
        items[name] = _field(value, name, inner, kind, defaults)
    return Obj("object", items, value.spot, value.keys)


def _field(value: Obj, name: str, inner: HclType, kind: HclType, defaults: Defaults) -> Value:
    said = value.items.get(name)
    if name in kind.optional and (said is None or is_null(said)):
        if said is None and value.rest is not None:
            return value.rest
        expression = kind.optional[name]
        default = defaults.of(expression) if expression is not None else None
        return convert(default, inner, defaults) if default is not None else said or Scalar(None, value.spot)
    if said is None:
        if value.rest is not None:
            return value.rest
        raise Refusal(f"the attribute `{name}` is required")
    return convert(said, inner, defaults)
