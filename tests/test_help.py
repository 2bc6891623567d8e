"""The first screen of each command's help: how it is called, what it does, what one types; and that one can type it."""

from __future__ import annotations

import importlib
import shlex

import pytest

from nodeworthy.cli import COMMANDS, Command, Parser
from nodeworthy.commands.examples import EXAMPLES
from tests.run import run

SCREEN = 24
TYPED = [(name, typed) for name, examples in EXAMPLES.items() for typed, _ in examples]


def test_every_command_has_examples() -> None:
    assert set(EXAMPLES) == {each.name for each in COMMANDS}


@pytest.mark.parametrize("command", COMMANDS, ids=[each.name for each in COMMANDS])
def test_they_stand_on_its_first_screen(command: Command) -> None:
    lines = run(command.name, "--help").out.splitlines()
    last = EXAMPLES[command.name][-1][0]
    (found,) = (number for number, line in enumerate(lines, 1) if line.startswith(f"  nodeworthy {last}  "))
    assert found <= SCREEN
    assert lines[0].startswith(f"usage: nodeworthy {command.name} [OPTION ...]")
    assert any(line.startswith("options:") for line in lines)


@pytest.mark.parametrize(("name", "typed"), TYPED, ids=[typed for _, typed in TYPED])
def test_what_they_type_is_taken(name: str, typed: str) -> None:
    words = shlex.split(typed.partition(" < ")[0].partition(" > ")[0])
    assert words[0] == name
    module = importlib.import_module(f"nodeworthy.commands.{name}")
    parser = Parser(prog=f"nodeworthy {name}")
    module.configure(parser)
    parser.parse_args(words[1:], namespace=module.Options())
