"""Files that are read by all cores come to what they come to where one process reads them all, in the same order."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from nodeworthy import backstop, workers
from nodeworthy.backstop import TookTooLong, watch_time
from nodeworthy.collect.source import collector, read_ahead
from nodeworthy.collect.source.collector import Looked, look
from nodeworthy.collect.source.files import Source
from nodeworthy.collect.source.fleets import Fleets
from nodeworthy.collect.source.one_file import whats_in
from nodeworthy.collect.source.parsing import FileContents
from nodeworthy.errors import CouldNotLook
from nodeworthy.rules import ids
from tests.run import run_json

CASES = Path(__file__).parent.parent / "cases"
# A case of each tenth rule, and what belongs to nobody.
A_RULE_OF = 10
NOTHING = {
    "notes.md": "# how it is built\n",
    "main.go": "package main\n",
    "other.yaml": "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: x}\n",
    "settings.json": '{"a": [1, 2]}\n',
    "torn.yaml": "a: [1, 2\n  b: {\n",
    "values.yaml": "toolkit:\n  env: [\n",
}


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    for rule in sorted(each for each in CASES.iterdir() if each.is_dir())[::A_RULE_OF]:
        for case in sorted(each for each in rule.iterdir() if each.is_dir())[:2]:
            shutil.copytree(case, tmp_path / rule.name / case.name)
    for number in range(20):
        folder = tmp_path / f"other-{number}"
        folder.mkdir()
        for name, text in NOTHING.items():
            (folder / name).write_text(text, encoding="utf-8")
        (folder / "picture.txt").write_bytes(b"\x00\xff\xfe" * 50)
    return tmp_path


@pytest.fixture
def reads(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[str]]:
    """By three processes; what this one has read."""
    read: list[str] = []

    def noted(source: Source, rules: frozenset[str]) -> FileContents | None:
        read.append(source.shown)
        return whats_in(source, rules)

    monkeypatch.setattr(read_ahead, "whats_in", noted)
    monkeypatch.setattr(read_ahead, "LEAST", 1)
    monkeypatch.setattr(collector, "_MANY", 2)
    monkeypatch.setattr(workers, "cores", lambda: 3)
    return iter([read])


def _look(tree: Path) -> Looked:
    return look([str(tree)], Fleets(None, None), frozenset(ids()), named=False)


def _told(looked: Looked) -> Any:
    facts = [[(type(fact).__name__, str(fact.place)) for fact in scene.facts] for scene in looked.scenes]
    seen = (sorted({*map(str, looked.asked_for)}), looked.scopes.incomplete)
    return facts, looked.counts, looked.nothing, looked.refused, looked.out_of_the_tree, seen


def test_the_same_is_found(tree: Path, reads: Iterator[list[str]], monkeypatch: pytest.MonkeyPatch) -> None:
    divided, read = _told(_look(tree)), next(reads)
    assert 0 < len(read) < len(divided[2])
    monkeypatch.setattr(workers, "cores", lambda: 1)
    assert divided == _told(_look(tree))
    assert divided[0]


@pytest.mark.usefixtures("reads")
def test_the_same_is_said(tree: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tree)
    divided = run_json("check", ".", "--no-cache").findings
    monkeypatch.setattr(workers, "cores", lambda: 1)
    assert divided == run_json("check", ".", "--no-cache").findings
    torn = {each["where"]["path"] for each in divided if str(each["where"]["path"]).startswith("other-")}
    assert len(torn) >= 20


def test_few_files_are_read_here(tree: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def nobody() -> int:
        raise AssertionError

    monkeypatch.setattr(workers, "cores", lambda: 3)
    monkeypatch.setattr(os, "fork", nobody)
    assert _look(tree / "other-1").nothing


@pytest.mark.usefixtures("reads")
def test_what_was_given_up_elsewhere_is_told_once(tree: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def gives_up(source: Source, rules: frozenset[str]) -> FileContents | None:
        if source.path.name == "main.go":
            raise TookTooLong(7)
        return whats_in(source, rules)

    monkeypatch.setattr(read_ahead, "whats_in", gives_up)
    with watch_time():
        before = backstop.count_stops()
        looked = _look(tree)
        assert backstop.count_stops() - before == 20
    told = [str(fact) for scene in looked.scenes for fact in scene.facts if "longer than 7 s" in str(fact)]
    assert len(told) == 20


@pytest.mark.usefixtures("reads")
def test_a_fault_of_ours_is_raised_here(tree: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def fails(source: Source, rules: frozenset[str]) -> FileContents | None:
        raise ZeroDivisionError(source.shown, rules)

    monkeypatch.setattr(read_ahead, "whats_in", fails)
    with pytest.raises(ZeroDivisionError):
        _look(tree)


@pytest.mark.usefixtures("reads")
def test_a_reader_that_is_killed_ends_the_run(tree: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    here = os.getpid()

    def dies(source: Source, rules: frozenset[str]) -> FileContents | None:
        if os.getpid() != here:
            os.kill(os.getpid(), 9)
        return whats_in(source, rules)

    monkeypatch.setattr(read_ahead, "whats_in", dies)
    with pytest.raises(CouldNotLook, match="SIGKILL"):
        _look(tree)


@pytest.mark.usefixtures("reads")
def test_where_no_more_may_be_started_all_is_read_here(tree: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse() -> int:
        raise BlockingIOError

    divided = _told(_look(tree))
    monkeypatch.setattr(os, "fork", refuse)
    assert _told(_look(tree)) == divided
