"""Functions on lists, sets and maps."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product

from nodeworthy.hcl.calling import Calling, Function, countable_text
from nodeworthy.hcl.kinds import ANY, BOOL, NUMBER, HclType, common, convert, kind_of
from nodeworthy.hcl.operations import equal
from nodeworthy.hcl.source import Spot
from nodeworthy.hcl.values import (
    Hole,
    Obj,
    Refusal,
    Scalar,
    Seq,
    Str,
    Value,
    Waits,
    as_set,
    boolean,
    elements,
    hash_key,
    is_an_id,
    is_null,
    need_known,
    need_list,
    need_mapping,
    string,
    text,
    whole_num,
    words,
)
from nodeworthy.limits import HCL_MOST_ELEMENTS


def length(c: Calling, value: Value) -> Value:
    value = need_known(value)
    if isinstance(value, Str):
        return c.number(len(countable_text(text(value), c.spot)))
    if isinstance(value, Obj) and value.rest is not None:
        raise Waits(value.rest)
    if isinstance(value, (Seq, Obj)):
        return c.number(len(value.items))
    raise Refusal(f"{words(value)} has no length")


def merge(c: Calling, *maps: Value) -> Value:
    items: dict[str, Value] = {}
    keys: dict[str, Spot] = {}
    rest: Hole | None = None
    unknown: list[Obj] = []
    kinds: set[str] = set()
    for each in maps:
        said = Obj("object", {}, each.spot, {}, each, each.keys) if isinstance(each, Hole) else each
        if isinstance(said, Obj):
            if (hole := said.rest) is not None:
                rest = hole
                items = {name: hole if said.may_hold(name) else value for name, value in items.items()}
                unknown.append(said)
            items |= said.items
            keys |= said.keys
            kinds.add(said.kind)
        elif not is_null(each):
            raise Refusal(f"merge() takes maps, and not {words(each)}")
    others = [one for each in unknown for one in each.others or ()]
    all_told = all(each.others is not None for each in unknown)
    return Obj("map" if kinds == {"map"} else "object", items, c.spot, keys, rest, others if all_told else None)


def concat(c: Calling, *lists: Value) -> Value:
    found = [need_list(each) for each in lists]
    if any(isinstance(each, Seq) and each.kind == "set" for each in lists):
        raise Refusal("concat() takes lists, and no sets")
    items = [each for one in found for each in one]
    if all(isinstance(each, Seq) and each.kind == "list" for each in lists):
        kind = common([kind_of(each) for each in items])
        if kind is not None:
            return convert(c.sequence("list", items), HclType("list", kind))
    return c.sequence("tuple", items)


def flatten(c: Calling, value: Value) -> Value:
    made: list[Value] = []
    waiting = list(reversed(need_list(value)))
    while waiting:
        each = waiting.pop()
        if isinstance(each, Seq):
            waiting += reversed(each.items)
        elif isinstance(each, Hole) and not is_an_id(each):
            # It may be a list.
            raise Waits(each)
        else:
            made.append(each)
    return c.sequence("tuple", made)


def _list(c: Calling, value: Value) -> Seq:
    """The list of one type that a parameter of Terraform's functions makes of a value."""
    value = need_known(value)
    if isinstance(value, Seq) and value.kind == "set":
        return Seq("list", value.items, value.spot)
    made = convert(value, HclType("list", ANY))
    assert isinstance(made, Seq)
    return made


def distinct(c: Calling, value: Value) -> Value:
    found: dict[object, Value] = {}
    for each in _list(c, value).items:
        found.setdefault(hash_key(each), each)
    return c.sequence("list", found.values())


def compact(c: Calling, value: Value) -> Value:
    items = [each for each in need_list(value) if not is_null(each)]
    return c.sequence("list", [each if is_an_id(each) else string(each) for each in items if not _is_empty(each)])


def _is_empty(value: Value) -> bool:
    if is_an_id(value):
        return False
    made = string(value)
    if made.hole is not None and made.could_be(""):
        raise Waits(made.hole)
    return made.known == ""


def contains(c: Calling, value: Value, wanted: Value) -> Value:
    said = need_known(value)
    if not isinstance(said, Seq):
        raise Refusal(f"{words(said)} is no list")
    kind = common([kind_of(each) for each in (*said.items, wanted)])
    told = [_same(each, wanted, kind) for each in said.items]
    if True in told:
        return c.number(True)
    return next((each for each in told if isinstance(each, Hole)), None) or c.number(False)


def _same(one: Value, other: Value, kind: HclType | None) -> bool | Hole:
    return equal(one, other) if kind is None else equal(convert(one, kind), convert(other, kind))


def index(c: Calling, value: Value, wanted: Value) -> Value:
    for at, each in enumerate(need_list(value)):
        same = equal(each, wanted)
        if isinstance(same, Hole):
            raise Waits(same)
        if same:
            return c.number(at)
    raise Refusal("index() finds nothing")


def lookup(c: Calling, value: Value, key: Value, *default: Value) -> Value:
    found, name = need_mapping(value), text(key)
    if name in found.items:
        return found.items[name]
    if found.rest is not None:
        raise Waits(found.rest)
    if not default:
        raise Refusal(f"there is no key `{name}`")
    if found.kind == "map" and not isinstance(default[0], Hole):
        return convert(default[0], common([kind_of(each) for each in found.items.values()]) or ANY)
    return default[0]


def keys(c: Calling, value: Value) -> Value:
    found = need_mapping(value)
    if found.rest is not None:
        raise Waits(found.rest)
    made = [_key(found, name) for name, _ in found.sorted()]
    return c.sequence("list" if found.kind == "map" else "tuple", made)


def _key(found: Obj, name: str) -> Value:
    from nodeworthy.hcl.values import text_of

    return text_of(name, found.key_spot(name))


def values(c: Calling, value: Value) -> Value:
    found = need_mapping(value)
    return c.sequence("list" if found.kind == "map" else "tuple", elements(found))


def zipmap(c: Calling, names: Value, values: Value) -> Value:
    told, given = need_list(names), need_list(values)
    if len(told) != len(given):
        raise Refusal("zipmap() takes lists of one length")
    items = {text(name): each for name, each in zip(told, given, strict=True)}
    spots = {text(name): name.spot for name in told}
    is_list = isinstance(values, Seq) and values.kind == "list"
    return Obj("map" if is_list else "object", items, c.spot, spots)


def element(c: Calling, value: Value, at: Value) -> Value:
    items, wanted = need_list(value), whole_num(at)
    if not items:
        raise Refusal("element() of an empty list")
    if wanted < 0:
        raise Waits(Hole("OpenTofu counts from the end, and older Terraform refuses it", c.spot))
    return items[wanted % len(items)]


def slice_(c: Calling, value: Value, start: Value, end: Value) -> Value:
    items, first, last = need_list(value), whole_num(start), whole_num(end)
    if not 0 <= first <= last <= len(items):
        raise Refusal("slice() reaches over the list")
    assert isinstance(value, Seq)
    return c.sequence(value.kind, items[first:last])


def reverse(c: Calling, value: Value) -> Value:
    items = need_list(value)
    assert isinstance(value, Seq)
    return c.sequence("tuple" if value.kind == "tuple" else "list", reversed(items))


def sort(c: Calling, value: Value) -> Value:
    items = [string(each) for each in _list(c, value).items]
    return c.sequence("list", sorted(items, key=lambda each: text(each).encode("utf-8", "surrogatepass")))


def chunklist(c: Calling, value: Value, size: Value) -> Value:
    items, count = _list(c, value).items, whole_num(size)
    if count < 0:
        raise Refusal("chunklist() takes a size")
    step = count or max(len(items), 1)
    return c.sequence("list", [Seq("list", items[at : at + step], c.spot) for at in range(0, len(items), step)])


def coalesce(c: Calling, *given: Value) -> Value:
    kind = common([kind_of(each) for each in given])
    if kind is None:
        raise Refusal("coalesce() takes values of one type")
    for each in given:
        if isinstance(each, Hole):
            # It may be null or empty, and then the next one counts.
            raise Waits(each)
        if is_null(each) or (isinstance(each, Str) and _is_empty(each)):
            continue
        return convert(each, kind)
    raise Refusal("coalesce() of nothing")


def coalescelist(c: Calling, *given: Value) -> Value:
    for each in given:
        if not is_null(each) and need_list(each):
            return each
    raise Refusal("coalescelist() of nothing")


def one(c: Calling, value: Value) -> Value:
    items = need_list(value)
    if len(items) > 1:
        raise Refusal("one() of several")
    return items[0] if items else Scalar(None, c.spot)


def range_(c: Calling, *limits: Value) -> Value:
    told = [whole_num(each) for each in limits]
    if not 1 <= len(told) <= 3:
        raise Refusal("range() takes one to three numbers")
    start, end = (0, told[0]) if len(told) == 1 else (told[0], told[1])
    step = told[2] if len(told) == 3 else (1 if end >= start else -1)
    if step == 0 or (step > 0) != (end >= start):
        if start == end:
            return c.sequence("list", ())
        raise Refusal("range() goes nowhere")
    found = range(start, end, step)
    if len(found) > 1024:
        raise Refusal("range() of more than 1024")
    return c.sequence("list", [Scalar(each, c.spot) for each in found])


def alltrue(c: Calling, value: Value) -> Value:
    return _all(c, value, True)


def anytrue(c: Calling, value: Value) -> Value:
    return _all(c, value, False)


def _all(c: Calling, value: Value, wanted: bool) -> Value:
    waits: Hole | None = None
    for each in need_list(value):
        if isinstance(each, Hole):
            waits = waits or each
        elif (is_null(each) or boolean(each) is not wanted) and not (is_null(each) and not wanted):
            return Scalar(not wanted, c.spot)
    return waits or Scalar(wanted, c.spot)


def transpose(c: Calling, value: Value) -> Value:
    found: dict[str, list[Value]] = {}
    for name, items in need_mapping(value).sorted():
        for each in need_list(items):
            found.setdefault(text(each), []).append(c.told(name))
    return Obj("map", {name: Seq("list", each, c.spot) for name, each in sorted(found.items())}, c.spot, {})


def setproduct(c: Calling, *sets: Value) -> Value:
    found = [need_list(each) for each in sets]
    size = 1
    for items in found:
        size *= len(items)
    if size > HCL_MOST_ELEMENTS:
        raise Waits(Hole("setproduct() of so many", c.spot))
    made = [Seq("tuple", each, c.spot) for each in product(*found)]
    every_set = all(isinstance(each, Seq) and each.kind == "set" for each in sets)
    return as_set(made, c.spot) if every_set else c.sequence("list", made)


def _sets(c: Calling, sets: Sequence[Value]) -> list[dict[object, Value]]:
    kind = common([kind_of(each) for one in sets for each in need_list(one)])
    if kind is None:
        raise Refusal("the sets are of different types")
    return [{hash_key(each): each for each in (convert(item, kind) for item in need_list(one))} for one in sets]


def setunion(c: Calling, *sets: Value) -> Value:
    return as_set([each for one in _sets(c, sets) for each in one.values()], c.spot)


def setintersection(c: Calling, *sets: Value) -> Value:
    first, *others = _sets(c, sets)
    return as_set([each for name, each in first.items() if all(name in other for other in others)], c.spot)


def setsubtract(c: Calling, one: Value, other: Value) -> Value:
    kept, left_out = _sets(c, [one, other])
    return as_set([each for name, each in kept.items() if name not in left_out], c.spot)


def matchkeys(c: Calling, values: Value, names: Value, wanted: Value) -> Value:
    asked = {hash_key(each) for each in need_list(wanted)}
    pairs = zip(need_list(values), need_list(names), strict=True)
    return c.sequence("list", [each for each, name in pairs if hash_key(name) in asked])


# Conversions


def tolist(c: Calling, value: Value) -> Value:
    return convert(value, HclType("list", ANY))


def toset(c: Calling, value: Value) -> Value:
    return convert(value, HclType("set", ANY))


def tomap(c: Calling, value: Value) -> Value:
    return convert(value, HclType("map", ANY))


def tonumber(c: Calling, value: Value) -> Value:
    return convert(value, NUMBER)


def tobool(c: Calling, value: Value) -> Value:
    return convert(value, BOOL)


def sensitive(c: Calling, value: Value) -> Value:
    if isinstance(value, Str):
        return Str(value.pieces, value.spot, True)
    return value


def nonsensitive(c: Calling, value: Value) -> Value:
    return value


FUNCTIONS: dict[str, Function] = {
    "alltrue": alltrue,
    "anytrue": anytrue,
    "chunklist": chunklist,
    "coalesce": coalesce,
    "coalescelist": coalescelist,
    "compact": compact,
    "concat": concat,
    "contains": contains,
    "distinct": distinct,
    "element": element,
    "flatten": flatten,
    "index": index,
    "keys": keys,
    "length": length,
    "lookup": lookup,
    "matchkeys": matchkeys,
    "merge": merge,
    "nonsensitive": nonsensitive,
    "one": one,
    "range": range_,
    "reverse": reverse,
    "sensitive": sensitive,
    "setintersection": setintersection,
    "setproduct": setproduct,
    "setsubtract": setsubtract,
    "setunion": setunion,
    "slice": slice_,
    "sort": sort,
    "tobool": tobool,
    "tolist": tolist,
    "tomap": tomap,
    "tonumber": tonumber,
    "toset": toset,
    "transpose": transpose,
    "values": values,
    "zipmap": zipmap,
}
