"""The pages of docs/ about using nodeworthy: its commands and its exit codes."""

from __future__ import annotations

import argparse
import importlib
from collections.abc import Iterator

from case_examples import CASES, elsewhere, run, run_case
from markdown import code, page, prose, table

from nodeworthy.cli import COMMANDS, Command, Parser
from nodeworthy.report.rule_page import fence, session

FAILING = CASES / "containerd-paths" / "bad-source-incident"
PASSING = CASES / "containerd-paths" / "good-source-incident-fixed"

MEANINGS = (
    ("0", "something was evaluated, and it is clean"),
    ("1", "at least one rule fails"),
    ("2", "usage, or a named input that can't be read or is of no known kind"),
    ("3", "nothing failed, but something is unknown or went wrong, or nothing was evaluated"),
    ("129", "the terminal was closed"),
    ("130", "Ctrl-C"),
    ("141", "whoever read the output has gone"),
    ("143", "SIGTERM"),
)


def commands() -> str:
    sections = (block for command in COMMANDS for block in _command(command))
    return page("# Commands", "`nodeworthy` alone lists them; each tells its options with `--help`.", *sections)


def _command(command: Command) -> Iterator[str]:
    module = importlib.import_module(command.module)
    # Not what argparse prints: that differs from one Python to the next.
    parser = Parser(prog=f"nodeworthy {command.name}", add_help=False)
    module.configure(parser)
    yield f"## nodeworthy {command.name}"
    yield f"Moment: {command.moment}." if command.moment else ""
    yield prose((module.__doc__ or "").strip())
    rows = [_option(action) for action in parser._actions if action.help is not argparse.SUPPRESS]
    if rows:
        yield table(("option", "does"), *rows)


def _option(action: argparse.Action) -> tuple[str, str]:
    names = ", ".join(action.option_strings)
    taken = "" if action.nargs == 0 else _taken(action)
    return code(f"{names} {taken}".strip()), action.help or ""


def _taken(action: argparse.Action) -> str:
    if action.metavar is None and action.choices is not None:
        return "|".join(str(choice) for choice in action.choices)
    named = action.metavar or action.dest.upper()
    word = named if isinstance(named, str) else " ".join(named)
    return f"{word}…" if action.nargs in ("*", "+") else word


def exit_codes() -> str:
    return page(
        "# Exit codes",
        "Where several hold: 2, then 1, then 3. A finding of severity `warning` changes the exit code only with "
        "`--strict`, a failure or an unknown; a run with nothing but unknowns ends with 3, whatever their severity. "
        "`--allow-unknown` turns an unknown into a warning, but never an error nor an empty run.",
        "Text says what is wrong, and then in one line what was evaluated. What had nothing to judge is a number "
        "there, and a list with `--show-skipped`; an unknown of a warning is a number, and listed with "
        "`--show-unknown`. What the reader could give, so that more is judged, has a line of its own, which says what "
        "to give. JSON has every unknown always, and every skip with `--show-skipped` or `--show-passed`.",
        table(("code", "means"), *MEANINGS),
        "## The fixed values of an incident",
        session(run_case(PASSING)),
        "## Its values as they were",
        session(run_case(FAILING)),
        "## A file that is not there",
        fence("console", _typed("nodeworthy check values.yaml")),
        "## A folder with nothing in it",
        fence("console", _typed("nodeworthy check .")),
    )


def _typed(command: str) -> str:
    with elsewhere() as empty:
        output, exit_code = run(command.removeprefix("nodeworthy "), empty)
    return f"$ {command}\n{output.strip()}\n$ echo $?\n{exit_code}"
