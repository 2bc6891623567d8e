"""What operators make of values that are there: a step into one, a comparison, one of two."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from nodeworthy.hcl.source import Spot
from nodeworthy.hcl.values import (
    BLOCK,
    Hole,
    InnerBlock,
    Lit,
    Obj,
    Refusal,
    Scalar,
    Seq,
    Str,
    Value,
    Waits,
    boolean,
    first_hole,
    hash_key,
    is_null,
    need_known,
    text,
    whole_num,
    words,
)
from nodeworthy.records import replace


def attribute(value: Value, name: str) -> Value:
    if isinstance(value, Hole):
        return value
    if isinstance(value, Obj):
        found = value.items.get(name)
        if found is None:
            if value.rest is not None:
                return _attribute_of(value.rest, name)
            if isinstance(value, InnerBlock) and value.later is not None:
                return _attribute_of(value.later, name)
            if value.kind == BLOCK:
                return Hole("it is known only after it is applied", value.spot, name)
            raise Refusal(f"this object has no attribute `{name}`")
        return found
    raise Refusal(f"{words(value)} has no attributes")


def _attribute_of(later: Hole, name: str) -> Hole:
    """The hole of one attribute of a resource that is known only later."""
    if not later.of or not later.shown.startswith(later.of) or not later.why.endswith(later.shown):
        return later
    return Hole(f"{later.why}.{name}", later.spot, f"{later.shown}.{name}", later.of, later.secret)


def index_value(value: Value, index: Value) -> Value:
    if isinstance(value, Hole):
        return value
    index = need_known(index)
    if isinstance(value, Obj):
        return attribute(value, text(index))
    if isinstance(value, Seq) and value.kind != "set":
        at = whole_num(index)
        if not 0 <= at < len(value.items):
            raise Refusal(f"there is no element {at}")
        return value.items[at]
    raise Refusal(f"{words(value)} has no elements")


def pairs(over: Value) -> Iterator[tuple[Value, Value]]:
    """Key and value of each element."""
    over = need_known(over)
    if isinstance(over, Seq):
        for index, each in enumerate(over.items):
            yield (each if over.kind == "set" else Scalar(index, each.spot)), each
    elif isinstance(over, Obj):
        if over.rest is not None:
            raise Waits(over.rest)
        for name, each in over.sorted():
            spot = over.key_spot(name)
            yield Str((Lit(name, spot),), spot), each
    else:
        raise Refusal(f"{words(over)} has no elements to go through")


# Which side decides without the other.
DECIDING_SIDES = {"&&": False, "||": True}


def logic(left: Value, right: Value, decides: bool, spot: Spot) -> Value:
    """`true ||` and `false &&` decide, whatever else is not known."""
    sides = [None if isinstance(each, Hole) else boolean(each) for each in (left, right)]
    if decides in sides:
        return Scalar(decides, spot)
    waits = next((each for each in (left, right) if isinstance(each, Hole)), None)
    return waits if waits is not None else Scalar(not decides, spot)


def equal(one: Value, other: Value) -> bool | Hole:
    """Equal, and of one type: 1 is not "1"."""
    if isinstance(one, Hole) or isinstance(other, Hole):
        return one if isinstance(one, Hole) else other if isinstance(other, Hole) else False
    if isinstance(one, Str) and isinstance(other, Str):
        for this, that in ((one, other), (other, one)):
            if this.hole is not None and (that.known is None or this.could_be(that.known)):
                return this.hole
        return one.known is not None and one.known == other.known
    if is_null(one) or is_null(other):
        return is_null(one) and is_null(other)
    hole = first_hole(one) or first_hole(other)
    if hole is not None:
        return hole
    if isinstance(one, (Seq, Obj)) and isinstance(other, (Seq, Obj)) and one.kind != other.kind:
        return False
    return type(one) is type(other) and hash_key(one) == hash_key(other)


_DEPENDS = "it depends on a condition: "


def either(one: Value, other: Value, condition: Hole) -> Value:
    """What is the same on both sides is known, whichever it will be."""
    if isinstance(one, Obj) and isinstance(other, Obj) and not (one.rest or other.rest):
        if set(one.items) == set(other.items):
            items = {name: either(each, other.items[name], condition) for name, each in one.items.items()}
            return Obj(one.kind, items, one.spot, one.keys)
        if not set(one.items) & set(other.items):
            return Obj("object", {}, one.spot, {}, _depending(condition), [*_keys(one), *_keys(other)])
    elif isinstance(one, Obj) and is_null(other) and one.rest is None:
        return replace(_depending(condition), keys=_keys(one))
    elif isinstance(other, Obj) and is_null(one) and other.rest is None:
        return replace(_depending(condition), keys=_keys(other))
    elif (
        isinstance(one, Seq)
        and isinstance(other, Seq)
        and len(one.items) == len(other.items)
        and one.kind == other.kind
    ):
        pairs = zip(one.items, other.items, strict=True)
        return Seq(one.kind, [either(*each, condition) for each in pairs], one.spot)
    elif not isinstance(one, Hole) and not isinstance(other, Hole) and equal(one, other) is True:
        return one
    return _depending(condition)


def _keys(said: Obj) -> Sequence[Str]:
    return [Str((Lit(name, said.key_spot(name)),), said.spot) for name in said.items]


def _depending(condition: Hole) -> Hole:
    """Of a condition within a condition, the reason is said once."""
    why = f"{_DEPENDS}{condition.why.removeprefix(_DEPENDS)}"
    return Hole(why, condition.spot, condition.shown, condition.of)
