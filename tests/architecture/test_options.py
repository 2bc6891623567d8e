"""What a command says that it takes is what it gets: its `Options` and its parser speak of the same, and nobody changes
them afterwards."""

from __future__ import annotations

import argparse
import ast
import importlib
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any, Optional, get_type_hints

import pytest

from nodeworthy.cli import COMMANDS, Command, Parser

from .tree import ROOT

COMMANDS_FOLDER = ROOT / "nodeworthy" / "commands"


@pytest.mark.parametrize("command", COMMANDS, ids=lambda each: each.name)
def test_options_are_what_the_parser_sets(command: Command) -> None:
    module = importlib.import_module(command.module)
    parser = Parser(prog=command.name, add_help=False)
    module.configure(parser)
    assert get_type_hints(module.Options) == {each.dest: kind(each) for each in parser._actions}
    assert parser._defaults == {}


def kind(action: argparse.Action) -> Any:
    """The type of what the parser sets."""
    if isinstance(action, argparse.BooleanOptionalAction):
        return Optional[bool] if action.default is None else bool  # noqa: UP045 - it is a value here
    if action.nargs == 0:
        assert action.default is False
        return bool
    value: Any = str if action.type is None else returned(action.type)
    is_place = not action.option_strings
    if action.nargs in ("*", "+") or isinstance(action, argparse._AppendAction):
        value = list[value]
        is_given = is_place or action.default == []
    else:
        is_given = action.required or action.default is not None
        assert action.default is None or isinstance(action.default, value | str)
    return value if is_given else Optional[value]  # noqa: UP045 - it is a value here


def returned(read: Any) -> Any:
    if isinstance(read, type):
        return read
    function: Callable[[str], Any] = read.func if isinstance(read, partial) else read
    return get_type_hints(function)["return"]


def test_nobody_changes_options_or_asks_for_one_by_its_name() -> None:
    files = list(COMMANDS_FOLDER.rglob("*.py"))
    assert files
    assert [f"{file.relative_to(ROOT)}:{line}" for file in files for line in changed(ast.parse(file.read_text()))] == []


@pytest.mark.parametrize(
    "text",
    [
        "options.settings = None",
        "options.count += 1",
        "self._options.strict = True",
        "run.strict = True",
        "setattr(options, name, 1)",
        "getattr(options, name)",
        "vars(options)",
    ],
)
def test_who_does_is_seen(text: str) -> None:
    assert list(changed(ast.parse(text))) == [1]


def changed(module: ast.Module) -> Iterator[int]:
    for node in ast.walk(module):
        if (
            isinstance(node, ast.Attribute)
            and isinstance(node.ctx, ast.Store)
            and named(node.value) in ("options", "run")
        ):
            yield node.lineno
        if isinstance(node, ast.Call) and named(node.func) in ("getattr", "setattr", "vars"):
            yield node.lineno


def named(expression: ast.expr) -> str:
    if isinstance(expression, ast.Attribute):
        return expression.attr.lstrip("_")
    return expression.id if isinstance(expression, ast.Name) else ""
