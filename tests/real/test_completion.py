"""zsh at a terminal and fish's own engine complete what the parsers take; tests/install has bash."""

from __future__ import annotations

import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from nodeworthy.cli import COMMANDS
from tests.install.completed_lines import LINES, fill
from tests.install.typing_shell import STAND_IN, TypingShell

from .daemon import PATIENCE
from .tools import Tools

SCRIPTS = Path(__file__).resolve().parents[2] / "nodeworthy" / "completions"
FISH = "source $argv[1]; complete --do-complete $argv[2]"


@pytest.fixture(scope="module")
def zsh(tools: Tools, tmp_path_factory: pytest.TempPathFactory) -> Iterator[TypingShell]:
    shell = TypingShell([str(tools.path("zsh")), "-f", "-i"], fill(tmp_path_factory.mktemp("zsh")))
    shell.prepare("autoload -Uz compinit", "compinit -u -D", f"source {SCRIPTS}/_nodeworthy", STAND_IN)
    yield shell
    shell.close()


@pytest.mark.parametrize(("line", "words"), LINES.values(), ids=LINES)
def test_zsh_completes(zsh: TypingShell, line: str, words: list[str]) -> None:
    assert zsh.completed(line) == words


def test_zsh_loads_it_as_a_package_leaves_it(tools: Tools, tmp_path: Path) -> None:
    """From a folder of fpath, where it is no more than a name until it is first wanted."""
    shell = TypingShell([str(tools.path("zsh")), "-f", "-i"], fill(tmp_path))
    shell.prepare(f"fpath=({SCRIPTS} $fpath)", "autoload -Uz compinit", "compinit -u -D", STAND_IN)
    assert shell.completed("nodeworthy che") == ["check"]
    assert shell.completed("nodeworthy check --format sar") == ["check", "--format", "sarif"]
    shell.close()


def offered(tools: Tools, line: str, folder: Path) -> list[str]:
    command = [str(tools.path("fish")), "--no-config", "--command", FISH, str(SCRIPTS / "nodeworthy.fish"), line]
    told = subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=PATIENCE, check=True)
    assert told.stderr == ""
    return [each.partition("\t")[0] for each in told.stdout.splitlines()]


@pytest.mark.parametrize(("line", "words"), LINES.values(), ids=LINES)
def test_fish_completes(tools: Tools, tmp_path: Path, line: str, words: list[str]) -> None:
    typed = line.rsplit(maxsplit=1)[-1]
    assert offered(tools, line, fill(tmp_path)) == ([words[-1]] if typed != words[-1] else [])


def test_fish_offers_the_commands_with_a_line_each(tools: Tools, tmp_path: Path) -> None:
    assert offered(tools, "nodeworthy ", fill(tmp_path)) == sorted(each.name for each in COMMANDS)
