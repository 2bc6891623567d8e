"""`check --fix` that is killed: the next run finishes the set, or takes back what it had begun, and says so."""

from __future__ import annotations

import os
import signal
from collections.abc import Callable
from pathlib import Path

import pytest

from nodeworthy.fixes import journal, write
from nodeworthy.fixes.left_behind import is_staged, journals, staged_name
from tests.fix.folder import fix
from tests.run import run

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="nothing is killed without fork")
WRONG = "toolkit:\n  env:\n    - name: CONTAINERD_SOCKET\n      value: unix:///run/x.sock\n"
NAMES = ("a.yaml", "b.yaml", "c.yaml")


@pytest.fixture
def tree(tmp_path: Path, tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path_factory.mktemp("state")))
    (tmp_path / ".git").mkdir()
    for name in NAMES:
        (tmp_path / name).write_text(WRONG)
    return tmp_path


def killed(tree: Path, module: object, name: str, at: int, *, behind: bool = False) -> None:
    """A run that is killed at this call of the function, or as soon as it has been made."""
    child = os.fork()
    if child == 0:
        try:
            _killing(module, name, at, behind=behind)
            fix(tree)
        finally:
            os._exit(0)
    _, status = os.waitpid(child, 0)
    assert os.WIFSIGNALED(status), "it came to its end"


def _killing(module: object, name: str, at: int, *, behind: bool) -> None:
    function: Callable[..., object] = getattr(module, name)
    calls = 0

    def counted(*arguments: object, **named: object) -> object:
        nonlocal calls
        calls += 1
        if calls == at and not behind:
            os.kill(os.getpid(), signal.SIGKILL)
        made = function(*arguments, **named)
        if calls == at:
            os.kill(os.getpid(), signal.SIGKILL)
        return made

    setattr(module, name, counted)


def mended(tree: Path) -> list[bool]:
    return ["unix://" not in (tree / name).read_text() for name in NAMES]


def left(tree: Path) -> list[str]:
    return sorted(each.name for each in tree.iterdir() if each.is_file() and each.name not in NAMES)


@pytest.mark.parametrize("at", [1, 2, 3])
@pytest.mark.parametrize("behind", [False, True])
def test_at_every_rename_the_next_one_finishes_the_set(tree: Path, at: int, behind: bool) -> None:
    killed(tree, os, "replace", at, behind=behind)
    written = at if behind else at - 1
    assert mended(tree) == [number < written for number in range(3)]
    assert len(left(tree)) == 3 - written
    said = f"nodeworthy check: an earlier --fix was broken off with {written} of 3 files written: "
    told = run("check", ".", cwd=tree)
    assert f"{said}--fix writes the others\n" in told.err
    assert mended(tree) == [number < written for number in range(3)]
    dry = run("check", ".", "--fix", "--dry-run", cwd=tree)
    assert f"{said}--fix writes the others\n" in dry.err
    assert len(left(tree)) == 3 - written
    ran = fix(tree)
    assert f"{said}{3 - written} more written now\n" in ran.err
    assert (ran.code, mended(tree), left(tree), journals()) == (0, [True] * 3, [], [])
    assert "broken off" not in fix(tree).err


@pytest.mark.parametrize(("module", "name", "at"), [(write, "_fill", 1), (write, "_fill", 3), (os, "fsync", 3)])
def test_before_all_of_them_are_there_it_is_taken_back(tree: Path, module: object, name: str, at: int) -> None:
    killed(tree, module, name, at)
    assert mended(tree) == [False] * 3
    assert left(tree)
    told = run("check", ".", cwd=tree)
    assert "broken off with 0 of 3 files written: --fix removes what it left beside them\n" in told.err
    assert f"not looked at: {left(tree)[0]}" in told.err
    ran = fix(tree)
    assert "broken off with 0 of 3 files written: what it left beside them is removed\n" in ran.err
    assert "3 of 3 files written" in ran.err
    assert (ran.code, mended(tree), left(tree), journals()) == (0, [True] * 3, [], [])


def test_whoever_names_one_of_them_finishes_all(tree: Path) -> None:
    killed(tree, os, "replace", 2)
    assert "2 more written now" in fix(tree, "b.yaml").err
    assert (mended(tree), left(tree)) == ([True] * 3, [])


def test_another_repositorys_is_its_own_affair(tree: Path, tmp_path_factory: pytest.TempPathFactory) -> None:
    killed(tree, os, "replace", 2)
    other = tmp_path_factory.mktemp("other")
    (other / ".git").mkdir()
    (other / "a.yaml").write_text(WRONG)
    assert "broken off" not in fix(other).err
    assert mended(tree) == [True, False, False]


def test_what_was_changed_meanwhile_stays(tree: Path) -> None:
    killed(tree, os, "replace", 2)
    mine = f"# mine\n{WRONG}"
    (tree / "b.yaml").write_text(mine)
    dry = run("check", "c.yaml", cwd=tree)
    assert "1 of 3 files written" in dry.err
    ran = fix(tree, "c.yaml")
    assert "1 more written now" in ran.err
    assert f"not written: {tree / 'b.yaml'}: it has changed since" in ran.err
    assert (tree / "b.yaml").read_text() == mine
    assert (mended(tree), left(tree)) == ([True, False, True], [])


def test_a_run_that_goes_on_is_let_alone(tree: Path) -> None:
    entry = journal.JournalEntry.of(tree / "a.yaml", WRONG.encode(), b"")
    going_on = journal.Journal("0123abcd", [entry])
    staged = tree / staged_name("a.yaml", "0123abcd")
    staged.write_bytes(b"")
    going_on.ready()
    ran = run("check", ".", "--fix", "--dry-run", cwd=tree)
    assert "an earlier --fix" not in ran.err
    assert staged.exists()
    assert "broken off or goes on, and not looked at" in ran.err
    going_on.end()
    assert journals() == []


def test_ctrl_c_between_two_renames_leaves_it_to_the_next(tree: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    replace, calls = os.replace, []

    def interrupted(*arguments: str) -> None:
        calls.append(arguments)
        if len(calls) == 2:
            raise KeyboardInterrupt
        replace(*arguments)

    with monkeypatch.context() as patched:
        patched.setattr(os, "replace", interrupted)
        ran = fix(tree)
    assert (ran.code, mended(tree)) == (130, [True, False, False])
    assert "nodeworthy check: 1 of 3 files written: the next --fix writes the others\n" in ran.err
    assert "2 more written now" in fix(tree).err
    assert (mended(tree), left(tree), journals()) == ([True] * 3, [], [])


@pytest.mark.parametrize("text", ["", "{", '{"schema": "nodeworthy/fix/v1", "files": [{"path": "a.yaml"}]}', "[]"])
def test_a_journal_that_says_nothing_is_removed(tree: Path, text: str) -> None:
    below = Path(os.environ["XDG_STATE_HOME"]) / "nodeworthy"
    below.mkdir()
    (below / "fix-0123abcd.json").write_text(text)
    assert "broken off" not in fix(tree).err
    assert (mended(tree), journals()) == ([True] * 3, [])


def test_without_a_folder_for_it_it_is_written_all_the_same(tree: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", os.devnull)
    ran = fix(tree)
    assert (ran.code, mended(tree), left(tree)) == (0, [True] * 3, [])


def test_by_its_name_it_is_known() -> None:
    assert is_staged(staged_name("a.yaml", journal.new_token()))
    assert not is_staged("a.nodeworthy-fix-notes")
