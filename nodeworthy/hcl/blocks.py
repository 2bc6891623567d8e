"""A block: what it sets, and how often it stands for something: once, by `count`, or by `for_each`."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TypeVar

from nodeworthy.hcl.evaluate import quietly
from nodeworthy.hcl.operations import pairs
from nodeworthy.hcl.scope import Scope
from nodeworthy.hcl.source import Spot
from nodeworthy.hcl.syntax import Block, Body
from nodeworthy.hcl.values import BLOCK, Hole, Lit, Obj, Refusal, Scalar, Seq, Str, Value, Waits, text, whole_num
from nodeworthy.limits import HCL_MOST_ELEMENTS

# What says how a block is made, and nothing of what it makes.
META = frozenset({"count", "for_each", "provider", "depends_on"})
_NONE: frozenset[str] = frozenset()
# Blocks that say how Terraform goes about it.
_OF_TERRAFORM = frozenset({"lifecycle", "provisioner", "connection", "timeouts"})
# Each of them says what it says by itself: where nobody can count some, the others hold all the same.
_EACH_BY_ITSELF = frozenset({"ingress", "egress"})
# Its key, as an address shows it (`[0]`, `["a"]`, nothing of what stands there once), and the names that only it has.
Repetition = tuple[str, Mapping[str, Value]]
_T = TypeVar("_T")
_Made = TypeVar("_Made")


class Some(list[_T]):
    """Those that are known, where there may be more."""

    def __init__(self, known: Iterable[_T], rest: Hole) -> None:
        super().__init__(known)
        self.rest = rest


def turn_each(known: Sequence[_T], make: Callable[[_T], _Made]) -> Sequence[_Made]:
    made = [make(each) for each in known]
    return Some(made, known.rest) if isinstance(known, Some) else made


def rest_of(known: Sequence[object]) -> Hole | None:
    return known.rest if isinstance(known, Some) else None


# What it sets


def body_value(body: Body, scope: Scope, at: int, meta: frozenset[str] = META) -> Obj:
    """What a body sets: its arguments, and its blocks as lists of objects; a hole in place of what can't be told.
    Within a block `count` and its like are arguments as others are."""
    items: dict[str, Value] = {}
    keys: dict[str, Spot] = {}
    for name, said in body.settings.items():
        if name not in meta:
            items[name] = quietly(said.expression, scope)
            keys[name] = scope.spot(said.at)
    lists: dict[str, list[Value]] = {}
    for block in body.blocks:
        if block.kind in _OF_TERRAFORM:
            continue
        if block.kind == "dynamic" and block.labels:
            made = _dynamic(block, scope)
            name = block.labels[0]
        else:
            made, name = [body_value(block.body, scope, block.at, _NONE)], block.kind
        keys.setdefault(name, scope.spot(block.at))
        if isinstance(made, Hole) and name in _EACH_BY_ITSELF:
            lists.setdefault(name, []).append(made)
        elif isinstance(made, Hole):
            items[name] = made
        else:
            lists.setdefault(name, []).extend(made)
    for name, each in lists.items():
        items.setdefault(name, Seq("list", each, keys[name]))
    return Obj(BLOCK, items, scope.spot(at), keys)


def _dynamic(block: Block, scope: Scope) -> Sequence[Value] | Hole:
    settings, contents = block.body.settings, block.body.of("content")
    spot = scope.spot(block.at)
    if "for_each" not in settings or not contents:
        return Hole("Terraform refuses this block", spot)
    said = settings.get("iterator")
    name = getattr(said.expression, "name", block.labels[0]) if said is not None else block.labels[0]
    over = quietly(settings["for_each"].expression, scope)
    if isinstance(over, Hole) or (isinstance(over, Obj) and over.rest is not None):
        why = over if isinstance(over, Hole) else over.rest
        assert why is not None
        return Hole(f"how many there are is not known: {why.why}", spot, why.shown, why.of)
    made: list[Value] = []
    for key, value in pairs(over) if isinstance(over, (Seq, Obj)) else ():
        scope.world.budget.step(1 + len(contents[0].body.settings))
        iterator = Obj("object", {"key": key, "value": value}, spot, {})
        made.append(body_value(contents[0].body, scope.with_names({name: iterator}), contents[0].at, _NONE))
    return made


# How often


def is_many(block: Block) -> bool:
    return "count" in block.body.settings or "for_each" in block.body.settings


def key_of(names: Mapping[str, Value]) -> Value | None:
    """The key of `for_each`; None where a block is counted or stands once."""
    each = names.get("each")
    return each.items["key"] if isinstance(each, Obj) else None


def any_repetition(why: Hole) -> Mapping[str, Value]:
    """The names of one of those that nobody can count: what it is, is not known either."""
    names = {"each": ("key", "value"), "count": ("index",)}
    return {word: Obj("object", dict.fromkeys(parts, why), why.spot, {}) for word, parts in names.items()}


def repetitions(block: Block, scope: Scope) -> Sequence[Repetition] | Hole:
    """The instances of a block by `count` or `for_each`; a hole if their number is not known."""
    settings = block.body.settings
    spot = Spot(block.file, block.at)
    if "count" in settings:
        return _counted(quietly(settings["count"].expression, scope), scope, spot)
    if "for_each" in settings:
        return _for_each(quietly(settings["for_each"].expression, scope), scope, spot)
    return [("", {})]


def _counted(count: Value, scope: Scope, spot: Spot) -> Sequence[Repetition] | Hole:
    try:
        found = whole_num(count)
    except Waits as waits:
        return Hole(f"how many there are is not known: {waits.hole.why}", spot, waits.hole.shown)
    except Refusal as refusal:
        return Hole(f"Terraform refuses its count: {refusal}", spot)
    if not 0 <= found <= HCL_MOST_ELEMENTS:
        return Hole("so many are not looked at", spot)
    scope.world.budget.step(found)
    return [(f"[{at}]", {"count": Obj("object", {"index": Scalar(at, spot)}, spot, {})}) for at in range(found)]


def _for_each(over: Value, scope: Scope, spot: Spot) -> Sequence[Repetition] | Hole:
    rest = over.rest if isinstance(over, Obj) else over if isinstance(over, Hole) else None
    more = Hole(f"how many there are is not known: {rest.why}", spot) if rest is not None else None
    if more is not None and not (isinstance(over, Obj) and over.items):
        return more
    try:
        every = _each_of(over)
    except Waits as waits:
        return Hole(f"how many there are is not known: {waits.hole.why}", spot, waits.hole.shown)
    scope.world.budget.step(len(every))
    made = [
        (f'["{key}"]', {"each": Obj("object", {"key": Str((Lit(key, at),), at), "value": value}, spot, {})})
        for key, at, value in every
    ]
    return Some(made, more) if more is not None else made


def _each_of(over: Value) -> Sequence[tuple[str, Spot, Value]]:
    if isinstance(over, Obj):
        return [(name, over.key_spot(name), each) for name, each in over.sorted()]
    if isinstance(over, Seq) and not any(isinstance(each, (Obj, Seq)) for each in over.items):
        return [(text(each), each.spot, each) for each in over.items]
    raise Waits(Hole("Terraform refuses its for_each", over.spot))
