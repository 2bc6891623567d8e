"""The commands and their options as the parsers have them, for the manual and for the completion of shells."""

from __future__ import annotations

import argparse
import importlib
from collections.abc import Iterator
from dataclasses import dataclass
from enum import Enum, auto

from nodeworthy.cli import COMMANDS, Command, Parser


class Takes(Enum):
    """What stands behind an option, or in a place: what a shell can offer for it."""

    NOTHING = auto()
    WORD = auto()
    CHOICE = auto()
    FILE = auto()
    RULE = auto()
    STACK = auto()
    FORMAT_AND_FILE = auto()
    KNOWN = auto()


BY_METAVAR = {
    "FILE": Takes.FILE,
    "PATH": Takes.FILE,
    "DIR": Takes.FILE,
    "ID": Takes.RULE,
    "FORMAT=FILE": Takes.FORMAT_AND_FILE,
    "WHAT": Takes.KNOWN,
}


@dataclass(frozen=True)
class Argument:
    """An option, or, without a name, a place."""

    names: tuple[str, ...]
    # What it takes as the manual names it; empty for a switch.
    word: str
    help: str
    takes: Takes
    choices: tuple[str, ...] = ()
    repeated: bool = False
    needed: bool = False


@dataclass(frozen=True)
class Interface:
    """One command."""

    command: Command
    documentation: str
    options: tuple[Argument, ...]
    places: tuple[Argument, ...]

    @property
    def name(self) -> str:
        return self.command.name

    @property
    def judges(self) -> bool:
        return any("--strict" in each.names for each in self.options)

    @property
    def formats(self) -> tuple[str, ...]:
        return next((each.choices for each in self.options if each.names == ("--format",)), ())


HELP = Argument(("-h", "--help"), "", "show the options", Takes.NOTHING)


def interfaces() -> Iterator[Interface]:
    for command in COMMANDS:
        module = importlib.import_module(command.module)
        # Without argparse's own help, whose words differ from one Python to the next.
        parser = Parser(prog=f"nodeworthy {command.name}", add_help=False)
        module.configure(parser)
        said = [_argument(action) for action in parser._actions if action.help is not argparse.SUPPRESS]
        options = (HELP, *(each for each in said if each.names))
        places = tuple(each for each in said if not each.names)
        yield Interface(command, (module.__doc__ or "").strip(), options, places)


def _argument(action: argparse.Action) -> Argument:
    choices = tuple(str(each) for each in action.choices or ())
    many = action.nargs in ("*", "+")
    return Argument(
        names=tuple(action.option_strings),
        word="" if action.nargs == 0 else _word(action, choices) + ("…" if many else ""),
        help=action.help or "",
        takes=_takes(action, choices),
        choices=choices,
        repeated=many or isinstance(action, argparse._AppendAction),
        needed=action.required,
    )


def _word(action: argparse.Action, choices: tuple[str, ...]) -> str:
    if action.metavar is None and choices:
        return "|".join(choices)
    named = action.metavar or action.dest.upper()
    return named if isinstance(named, str) else " ".join(named)


def _takes(action: argparse.Action, choices: tuple[str, ...]) -> Takes:
    if action.nargs == 0:
        return Takes.NOTHING
    if choices:
        return Takes.CHOICE
    if action.dest == "stack":
        return Takes.STACK
    # `--only ID` of the lab is a fault's.
    if action.metavar == "ID" and action.dest not in ("rule", "skip_rule"):
        return Takes.WORD
    return BY_METAVAR.get(action.metavar, Takes.WORD) if isinstance(action.metavar, str) else Takes.WORD
