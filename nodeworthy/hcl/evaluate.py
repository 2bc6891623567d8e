"""Evaluates expressions. What waits for something else is a hole; what Terraform refuses raises Refusal."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any

from nodeworthy.hcl import arithmetic
from nodeworthy.hcl.kinds import STRING, common, convert, kind_of
from nodeworthy.hcl.operations import DECIDING_SIDES, attribute, either, equal, index_value, logic, pairs
from nodeworthy.hcl.scope import Scope, TooMuch
from nodeworthy.hcl.source import Spot
from nodeworthy.hcl.syntax import (
    Attribute,
    Binary,
    Call,
    Chunk,
    Comprehension,
    Conditional,
    Each,
    Expression,
    For,
    If,
    Index,
    Interpolation,
    Literal,
    Name,
    Object,
    Part,
    Splat,
    Template,
    Tuple,
    Unary,
)
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
    boolean,
    is_null,
    join_pieces,
    need_known,
    num,
    string,
    text,
)

Step = Attribute | Index


def evaluate(node: Expression, scope: Scope) -> Value:
    budget = scope.world.budget
    budget.steps -= 1
    if budget.steps < 0:
        budget.step()
    try:
        return _HOW[type(node)](node, scope)
    except Waits as waits:
        return waits.hole


def quietly(node: Expression, scope: Scope) -> Value:
    """The value of an expression, or a hole with the reason if it can't be evaluated."""
    try:
        return evaluate(node, scope)
    except Refusal as refusal:
        return Hole(f"Terraform refuses it: {refusal}", scope.spot(node.at), expression_text(node, scope))
    except (TooMuch, RecursionError, MemoryError) as problem:
        why = str(problem) if isinstance(problem, TooMuch) else "it is nested too deep"
        return Hole(why, scope.spot(node.at))


def expression_text(node: Expression, scope: Scope) -> str:
    """How it stands in its file, where that is short: the first line from where it begins."""
    return " ".join(scope.file.text[node.at : node.at + 60].split("\n")[0].split())


# Literals and templates


def _literal(node: Literal, scope: Scope) -> Value:
    spot = scope.spot(node.at)
    if isinstance(node.value, str):
        quoted = scope.file.text[node.at : node.at + 1] == '"'
        begin = Spot(scope.file, node.at + 1) if quoted else spot
        return Str((Lit(node.value, begin, True),), spot)
    return Scalar(node.value, spot)


def _template(node: Template, scope: Scope) -> Value:
    parts = node.parts
    if len(parts) == 1 and isinstance(parts[0], Interpolation):
        return evaluate(parts[0].on, scope)
    pieces: list[Piece] = []
    secret = _fill(parts, scope, pieces)
    made = join_pieces(pieces, scope.spot(node.at), secret)
    scope.world.budget.spend(sum(len(each.text) for each in pieces if isinstance(each, Lit)) + len(pieces))
    return made


def _fill(parts: Sequence[Part], scope: Scope, pieces: list[Piece]) -> bool:
    """Appends what they come to; whether a secret is in it."""
    secret = False
    for part in parts:
        scope.world.budget.step()
        if isinstance(part, Chunk):
            pieces.append(Lit(part.text, scope.spot(part.at), True))
        elif isinstance(part, Interpolation):
            secret |= _interpolate(part, scope, pieces)
        elif isinstance(part, If):
            secret |= _fill_if(part, scope, pieces)
        else:
            secret |= _fill_for(part, scope, pieces)
    return secret


def _interpolate(part: Interpolation, scope: Scope, pieces: list[Piece]) -> bool:
    value = evaluate(part.on, scope)
    if isinstance(value, Hole):
        raw = " ".join(scope.file.text[part.at + 2 : part.end - 1].strip("~ \n\t").split())
        pieces.append(Hole(value.why, scope.spot(part.at), raw, value.of, value.secret))
        return value.secret
    made = string(value)
    pieces.extend(made.pieces)
    return made.secret


def _fill_if(part: If, scope: Scope, pieces: list[Piece]) -> bool:
    condition = evaluate(part.condition, scope)
    if not isinstance(condition, Hole):
        try:
            return _fill(part.then if boolean(condition) else part.otherwise, scope, pieces)
        except Waits as waits:
            condition = waits.hole
    pieces.append(_not_known_part(condition, part.at, "if", scope))
    return False


def _fill_for(part: For, scope: Scope, pieces: list[Piece]) -> bool:
    over = evaluate(part.over, scope)
    secret = False
    try:
        for key, value in pairs(over):
            names = {part.value: value, **({part.key: key} if part.key else {})}
            secret |= _fill(part.parts, scope.with_names(names), pieces)
    except Waits as waits:
        pieces.append(_not_known_part(waits.hole, part.at, "for", scope))
    return secret


def _not_known_part(hole: Hole, at: int, word: str, scope: Scope) -> Hole:
    return Hole(f"it depends on a directive `{word}`: {hole.why}", scope.spot(at), f"%{{ {word} … }}", hole.of)


# References


def _name(node: Name, scope: Scope) -> Value:
    found = scope.names.get(node.name)
    if found is not None:
        return found
    return _reference(node, [], scope)


def _reference(root: Name, steps: Sequence[Step], scope: Scope) -> Value:
    spot = scope.spot(root.at)
    told = [each.name if isinstance(each, Attribute) else None for each in steps]
    resolved = scope.world.resolve(root.name, told, spot)
    if resolved is None:
        raise Refusal(f"nothing is called {'.'.join([root.name, *[each for each in told if each][:2]])} here")
    value, taken = resolved
    return _along(value, steps[taken:], scope)


def _along(value: Value, steps: Iterable[Step], scope: Scope) -> Value:
    for step in steps:
        if isinstance(step, Attribute):
            value = attribute(value, step.name)
        else:
            value = index_value(value, evaluate(step.index, scope))
    return value


def _step(node: Step, scope: Scope) -> Value:
    steps: list[Step] = []
    on: Expression = node
    while isinstance(on, (Attribute, Index)):
        steps.append(on)
        on = on.on
    steps.reverse()
    if isinstance(on, Name) and on.name not in scope.names:
        return _reference(on, steps, scope)
    return _along(evaluate(on, scope), steps, scope)


def _splat(node: Splat, scope: Scope) -> Value:
    on = evaluate(node.on, scope)
    if isinstance(on, Hole):
        return on
    if is_null(on):
        return Seq("tuple", (), scope.spot(node.at))
    items = on.items if isinstance(on, Seq) else [on]
    scope.world.budget.step(len(items))
    made = [evaluate(node.each, scope.with_names({"*": each})) for each in items]
    return Seq("list" if isinstance(on, Seq) and on.kind != "tuple" else "tuple", made, scope.spot(node.at))


def _each(node: Each, scope: Scope) -> Value:  # noqa: ARG001
    return scope.names["*"]


# Collections


def _tuple(node: Tuple, scope: Scope) -> Value:
    return Seq("tuple", [evaluate(each, scope) for each in node.items], scope.spot(node.at))


def _object(node: Object, scope: Scope) -> Value:
    items: dict[str, Value] = {}
    keys: dict[str, Spot] = {}
    rest: Hole | None = None
    for key, value in node.items:
        try:
            name = text(need_known(evaluate(key, scope)))
        except Waits as waits:
            # It may be any of those before it.
            rest, items = waits.hole, dict.fromkeys(items, waits.hole)
            continue
        items[name] = evaluate(value, scope)
        keys[name] = scope.spot(key.at)
    return Obj("object", items, scope.spot(node.at), keys, rest)


def _comprehension(node: Comprehension, scope: Scope) -> Value:
    over, spot = evaluate(node.over, scope), scope.spot(node.at)
    rest = over.rest if isinstance(over, Obj) else over if isinstance(over, Hole) else None
    if rest is not None and node.key is not None and not node.groups:
        return _with_a_rest(node, node.key, over, rest, scope)
    made = list(_chosen(node, over, scope))
    if node.key is None:
        return Seq("tuple", [each for _, each in made], spot)
    items: dict[str, Value] = {}
    keys: dict[str, Spot] = {}
    groups: dict[str, list[Value]] = {}
    for key, value in made:
        name = text(key)
        keys.setdefault(name, key.spot)
        if node.groups:
            groups.setdefault(name, []).append(value)
        elif name in items:
            raise Refusal(f"two elements have the key `{name}`")
        else:
            items[name] = value
    if node.groups:
        items = {name: Seq("tuple", each, spot) for name, each in groups.items()}
    return Obj("object", items, spot, keys)


def _with_a_rest(node: Comprehension, name: Expression, over: Value, rest: Hole, scope: Scope) -> Value:
    """Of a map that is known in part, that part; of the others, what their keys are like. Under the keys of the map
    itself none of them takes the place of one that is known."""
    spot = scope.spot(node.at)
    keys: Sequence[Value] = over.others or () if isinstance(over, Obj) else ()
    named = [quietly(name, scope.with_names(_names_of(node, key, rest))) for key in keys or [rest]]
    others = [each for each in named if isinstance(each, Str)] if all(isinstance(each, Str) for each in named) else None
    known = (
        list(_chosen(node, Obj(over.kind, over.items, over.spot, over.keys), scope)) if isinstance(over, Obj) else []
    )
    if not known and others is None:
        raise Waits(rest)
    made = Obj("object", {}, spot, {}, rest, others)
    keeps = isinstance(name, Name) and len(node.names) > 1 and name.name == node.names[0]
    items = {text(each): rest if made.may_hold(text(each)) and not keeps else value for each, value in known}
    return Obj("object", items, spot, {text(each): each.spot for each, _ in known}, rest, others)


def _names_of(node: Comprehension, key: Value, value: Value) -> Mapping[str, Value]:
    return {node.names[-1]: value, **({node.names[0]: key} if len(node.names) > 1 else {})}


def _chosen(node: Comprehension, over: Value, scope: Scope) -> Iterator[tuple[Value, Value]]:
    for key, value in pairs(over):
        inner = scope.with_names(_names_of(node, key, value))
        scope.world.budget.step(1 + len(node.names) // 8)
        if node.condition is not None and not boolean(need_known(evaluate(node.condition, inner))):
            continue
        yield (need_known(evaluate(node.key, inner)) if node.key is not None else key), evaluate(node.value, inner)


# Operators


def _unary(node: Unary, scope: Scope) -> Value:
    value = evaluate(node.on, scope)
    if isinstance(value, Hole):
        return value
    spot = scope.spot(node.at)
    return Scalar(not boolean(value), spot) if node.sign == "!" else Scalar(arithmetic.negate(num(value)), spot)


def _binary(node: Binary, scope: Scope) -> Value:
    if node.sign in DECIDING_SIDES:
        return _of_two_sides(node, DECIDING_SIDES[node.sign], scope)
    left, spot = evaluate(node.left, scope), scope.spot(node.at)
    right = evaluate(node.right, scope)
    if node.sign in ("==", "!="):
        same = equal(left, right)
        return same if isinstance(same, Hole) else Scalar(same is (node.sign == "=="), spot)
    one, other = num(left), num(right)
    try:
        return Scalar(_ARITHMETIC[node.sign](one, other), spot)
    except arithmetic.NoNumber as problem:
        raise Refusal(str(problem)) from None


def _of_two_sides(node: Binary, decides: bool, scope: Scope) -> Value:
    """Where the right side decides, what is wrong with the left one (or that it is null) stops nobody."""
    spot = scope.spot(node.at)
    try:
        left = evaluate(node.left, scope)
    except Refusal:
        if not _decides(evaluate(node.right, scope), decides):
            raise
        return Scalar(decides, spot)
    if is_null(left) and _decides(evaluate(node.right, scope), decides):
        return Scalar(decides, spot)
    if _decides(left, decides):
        return Scalar(decides, spot)
    return logic(left, evaluate(node.right, scope), decides, spot)


def _decides(side: Value, decides: bool) -> bool:
    return not isinstance(side, Hole) and not is_null(side) and boolean(side) is decides


_ARITHMETIC: Mapping[str, Callable[[Any, Any], Any]] = {
    "+": arithmetic.add,
    "-": arithmetic.subtract,
    "*": arithmetic.multiply,
    "/": arithmetic.divide,
    "%": arithmetic.remainder,
    "<": lambda one, other: one < other,
    "<=": lambda one, other: one <= other,
    ">": lambda one, other: one > other,
    ">=": lambda one, other: one >= other,
}


def _conditional(node: Conditional, scope: Scope) -> Value:
    condition = evaluate(node.condition, scope)
    if isinstance(condition, Hole):
        return either(quietly(node.then, scope), quietly(node.otherwise, scope), condition)
    decided = boolean(condition)
    chosen = evaluate(node.then if decided else node.otherwise, scope)
    if isinstance(chosen, Hole) or is_null(chosen):
        return chosen
    # Both sides have one type, and the other one may be what decides which.
    side = node.otherwise if decided else node.then
    other = quietly(side, scope)
    if isinstance(other, Hole):
        return convert(chosen, STRING) if _is_text(side) else chosen
    kind = common([kind_of(chosen), kind_of(other)])
    if kind is None:
        raise Refusal("the two sides of a condition are of different types")
    return convert(chosen, kind)


def _is_text(side: Expression) -> bool:
    """A template is, whatever comes out; one interpolation alone is what stands in it."""
    return isinstance(side, Template) and (len(side.parts) > 1 or not isinstance(side.parts[0], Interpolation))


def _call(node: Call, scope: Scope) -> Value:
    from nodeworthy.hcl.functions import call

    return call(node, scope)


_HOW: Mapping[type[Any], Callable[[Any, Scope], Value]] = {
    Literal: _literal,
    Template: _template,
    Name: _name,
    Attribute: _step,
    Index: _step,
    Splat: _splat,
    Each: _each,
    Unary: _unary,
    Binary: _binary,
    Conditional: _conditional,
    Call: _call,
    Tuple: _tuple,
    Object: _object,
    Comprehension: _comprehension,
}
