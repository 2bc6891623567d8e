"""What expressions may call: each function in the module of its kind, found by its name."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import cache
from importlib import import_module
from types import ModuleType

from nodeworthy.hcl.calling import Calling, Function
from nodeworthy.hcl.evaluate import evaluate, expression_text
from nodeworthy.hcl.scope import Scope
from nodeworthy.hcl.syntax import Call, Expression
from nodeworthy.hcl.values import Hole, Refusal, Scalar, Value, Waits, need_list

# Nobody knows before it runs.
_LATER = frozenset({"timestamp", "plantimestamp", "uuid", "bcrypt", "rsadecrypt", "uuidv5"})
# Of what nobody has thought of, nobody knows what comes out: that is a hole, and the rest is judged.
_NOT_THOUGHT_OF = (ArithmeticError, IndexError, KeyError, UnicodeError, ValueError)
_MODULES = ("texts", "collections", "codings", "figures")
# Of modules that few roots need, the functions by their names: they are imported where one is called.
_SELDOM = {
    **dict.fromkeys(("format", "formatlist"), "formats"),
    **dict.fromkeys(("regex", "regexall"), "patterns"),
    **dict.fromkeys(
        (
            *("find_in_parent_folders", "read_terragrunt_config", "get_terragrunt_dir", "get_original_terragrunt_dir"),
            *("get_parent_terragrunt_dir", "path_relative_to_include", "path_relative_from_include", "get_repo_root"),
            "get_env",
        ),
        "terragrunt_functions",
    ),
}


@cache
def _import_function(name: str) -> Function | None:
    for each in (_SELDOM[name],) if name in _SELDOM else _MODULES:
        module: ModuleType = import_module(f"nodeworthy.hcl.{each}")
        if name in module.FUNCTIONS:
            function: Function = module.FUNCTIONS[name]
            return function
    return None


def call(node: Call, scope: Scope) -> Value:
    lazy = _LAZY.get(node.name)
    if lazy is not None:
        return lazy(node, scope)
    spot = scope.spot(node.at)
    name = node.name.removeprefix("core::")
    function = _import_function(name)
    if function is None:
        why = "it is known only when it runs" if name in _LATER else "it is not worked out here"
        return Hole(f"{name}(): {why}", spot, expression_text(node, scope))
    arguments = _arguments(node, scope)
    _refuse_count(name, function, len(arguments))
    try:
        made: Value = function(Calling(scope, spot), *arguments)
        return made
    except Waits as waits:
        hole = waits.hole
        return Hole(hole.why, hole.spot, expression_text(node, scope), hole.of, hole.secret)
    except _NOT_THOUGHT_OF as problem:
        return Hole(
            f"{name}() could not be worked out here: {type(problem).__name__}", spot, expression_text(node, scope)
        )


def _arguments(node: Call, scope: Scope) -> Sequence[Value]:
    found = [evaluate(each, scope) for each in node.arguments]
    return [*found[:-1], *need_list(found[-1])] if node.expands else found


def _refuse_count(name: str, function: Function, count: int) -> None:
    code = function.__code__
    most = code.co_argcount - 1
    least = most - len(function.__defaults__ or ())
    if count < least or (count > most and not code.co_flags & 0x04):
        raise Refusal(f"{name}() takes another number of arguments")


def _try(node: Call, scope: Scope) -> Value:
    """The first that Terraform does not refuse. Of what is not known nobody knows whether it would."""
    for each in node.arguments:
        try:
            return _tried(each, scope)
        except Refusal:
            continue
    raise Refusal("none of the expressions of try() works")


def _tried(node: Expression, scope: Scope) -> Value:
    return evaluate(node, scope)


def _can(node: Call, scope: Scope) -> Value:
    spot = scope.spot(node.at)
    try:
        found = evaluate(node.arguments[0], scope) if node.arguments else Scalar(None, spot)
    except Refusal:
        return Scalar(False, spot)
    return found if isinstance(found, Hole) else Scalar(True, spot)


_LAZY: Mapping[str, Callable[[Call, Scope], Value]] = {"try": _try, "can": _can}
