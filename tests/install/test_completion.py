"""bash completes what the parsers take; the scripts are printed by the command, and say what they are told to."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from nodeworthy.cli import COMMANDS
from nodeworthy.rules import ids
from tests.install.completed_lines import LINES, fill
from tests.install.typing_shell import STAND_IN, TypingShell
from tests.run import run


@pytest.fixture(scope="module")
def bash(tmp_path_factory: pytest.TempPathFactory) -> Iterator[TypingShell]:
    folder = fill(tmp_path_factory.mktemp("bash"))
    printed = run("completion", "bash", cwd=folder)
    assert printed.code == 0
    (folder / ".completion").write_text(printed.out)
    shell = TypingShell(["bash", "--norc", "--noprofile", "-i"], folder)
    shell.prepare("source ./.completion", STAND_IN, "bind 'set bell-style none'")
    yield shell
    shell.close()


@pytest.mark.parametrize(("line", "words"), LINES.values(), ids=LINES)
def test_bash_completes(bash: TypingShell, line: str, words: list[str]) -> None:
    assert bash.completed(line) == words


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_every_command_and_rule_is_in_the_script(shell: str, tmp_path: Path) -> None:
    words = set(
        run("completion", shell, cwd=tmp_path).out.replace('"', " ").replace("'", " ").replace(":", " ").split()
    )
    assert {each.name for each in COMMANDS} | set(ids()) <= {word.strip("()") for word in words}


def test_another_shell_is_named(tmp_path: Path) -> None:
    told = run("completion", "tcsh", cwd=tmp_path)
    assert (told.code, told.out) == (2, "")
    assert "tcsh" in told.err
