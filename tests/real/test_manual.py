"""The manual is clean for those who judge manuals, and reads as one."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from nodeworthy.cli import COMMANDS

from .daemon import PATIENCE
from .tools import Tools

MANUAL = Path(__file__).resolve().parents[2] / "share" / "man" / "man1"
PAGES = sorted(MANUAL.glob("*.1"))


def test_every_command_has_its_page() -> None:
    assert {page.name for page in PAGES} == {"nodeworthy.1", *(f"nodeworthy-{each.name}.1" for each in COMMANDS)}


def test_mandoc_has_nothing_to_say(tools: Tools) -> None:
    told = subprocess.run(
        [tools.path("mandoc"), "-T", "lint", "-W", "warning", *PAGES],
        capture_output=True,
        text=True,
        timeout=PATIENCE,
        check=False,
    )
    assert (told.returncode, told.stdout, told.stderr) == (0, "", "")


def test_nor_has_groff(tools: Tools) -> None:
    told = subprocess.run(
        [tools.path("groff"), "-man", "-ww", "-T", "utf8", *PAGES],
        capture_output=True,
        text=True,
        timeout=PATIENCE,
        check=True,
    )
    assert told.stderr == ""


@pytest.mark.parametrize(
    ("page", "words"),
    [
        ("nodeworthy.1", ["nodeworthy-check(1)", "The moment: source.", "Pulumi.<stack>.yaml"]),
        ("nodeworthy-check.1", ["--skip-rule ID", "judge by this rule only (repeatable)", "at least one rule fails"]),
        ("nodeworthy-fleet.1", ["[schema|infer]", "`fleet schema` prints the JSON Schema"]),
    ],
)
def test_it_reads_as_it_was_meant(tools: Tools, page: str, words: list[str]) -> None:
    command = [str(tools.path("mandoc")), "-T", "utf8", "-O", "width=200", str(MANUAL / page)]
    told = subprocess.run(command, capture_output=True, text=True, timeout=PATIENCE, check=True).stdout
    plain = " ".join(_without_steps(told).split())
    assert [each for each in words if each not in plain] == []


def _without_steps(text: str) -> str:
    """Bold is a letter, a step back, and the letter again."""
    read: list[str] = []
    for letter in text:
        if letter == "\b":
            read.pop()
        else:
            read.append(letter)
    return "".join(read)
