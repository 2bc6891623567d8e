"""Assignments, and `local`, `declare`, `export` around them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from nodeworthy.boot.shell.failing import unlooked_at
from nodeworthy.boot.shell.state import Uncounted, Value
from nodeworthy.boot.shell.syntax import Assignment, Declaration
from nodeworthy.boot.text import EMPTY, Hole, Text
from nodeworthy.patterns import pattern

if TYPE_CHECKING:
    from nodeworthy.boot.shell.walker import Walker

_LOCAL = ("local", "declare", "typeset")
_NAMED = pattern(r"\[[^\]]+\]\+?=")


def run_declaration(walker: Walker, declaration: Declaration) -> bool:
    """It succeeds, whatever becomes of a `$(…)` in it."""
    is_local = declaration.keyword in _LOCAL and "g" not in declaration.options
    outer = walker.failing
    walker.failing = unlooked_at(outer)
    for each in declaration.assignments:
        value = value_of(walker, each)
        if is_local:
            _keep(walker, each.name)
        assign(walker, each, value)
        if "n" in declaration.options and declaration.keyword in _LOCAL:
            why = f"{each.name} is another name of {each.value.raw if each.value is not None else 'a variable'}"
            walker.state.set(each.name, Text((Hole(f"${each.name}", why),)))
    walker.failing = outer
    for name in declaration.names if declaration.keyword in _LOCAL else ():
        if name.isidentifier() and ((is_local and _keep(walker, name)) or walker.state.value(name) is None):
            walker.state.set(name, EMPTY)
    return True


def _keep(walker: Walker, name: str) -> bool:
    """What the caller has by this name comes back when the function ends; whether there is a function."""
    if walker.locals:
        walker.locals[-1].setdefault(name, walker.state.variables.get(name))
    return bool(walker.locals)


def assign(walker: Walker, assignment: Assignment, value: Value | None = None) -> None:
    state, name = walker.state, assignment.name
    value = value if value is not None else value_of(walker, assignment)
    if assignment.appends:
        before = state.value(name)
        if isinstance(before, tuple) or isinstance(value, tuple):
            value = _together(before, value)
        else:
            value = (before or EMPTY) + value
    items = assignment.items
    if assignment.index is not None or (items and any(_NAMED.match(each.raw) for each in items)):
        value = Text((Hole(f"${{{name}[…]}}", "single elements of arrays are not followed"),))
    state.set(name, value)


def _together(before: Value | None, more: Value) -> Value:
    first = before if isinstance(before, tuple) else (before,) if before is not None else ()
    both = (*first, *(more if isinstance(more, tuple) else (more,)))
    return Uncounted(both) if isinstance(before, Uncounted) or isinstance(more, Uncounted) else both


def value_of(walker: Walker, assignment: Assignment) -> Value:
    if assignment.value is None:
        return walker.expander.elements(assignment.items)
    return walker.expander.text(assignment.value)
