"""A baseline that is none, of another version, or the work of somebody who means harm: a sentence, and exit 2."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from nodeworthy.baseline import file
from nodeworthy.baseline.file import LONGEST, NAME, SCHEMA, BaselineEntry, entry_of
from nodeworthy.verdict import Finding, Place, Verdict
from tests.baseline.texts import pod, values
from tests.run import run

ROW = {"path": "values.yaml", "rule": "gpu-quantity"}
HEAD = {"schema": SCHEMA, "checked": ["."]}

NONE_OF_OURS = {
    "empty": "",
    "half a file": '{"schema": "nodeworthy/baseline/v1", "failures": [',
    "a list": "[]",
    "of another version": json.dumps({**HEAD, "schema": "nodeworthy/baseline/v2", "failures": []}),
    "of another program": json.dumps({"version": "1.5.0", "results": {}}),
    "without failures": json.dumps(HEAD),
    "without what was checked": json.dumps({"schema": SCHEMA, "failures": []}),
    "failures that are none": json.dumps({**HEAD, "failures": ["gpu-quantity"]}),
    "a key too many": json.dumps({**HEAD, "failures": [{**ROW, "line": 3}]}),
    "a key too few": json.dumps({**HEAD, "failures": [{"rule": "gpu-quantity"}]}),
    "a count below one": json.dumps({**HEAD, "failures": [{**ROW, "count": 0}]}),
    "a count that is true": json.dumps({**HEAD, "failures": [{**ROW, "count": True}]}),
    "a path that is a number": json.dumps({**HEAD, "failures": [{**ROW, "path": 7}]}),
    "nested too deep": "[" * 200_000,
}


@pytest.mark.parametrize("text", NONE_OF_OURS.values(), ids=NONE_OF_OURS)
@pytest.mark.parametrize("command", [("check", "."), ("baseline",), ("baseline", "--prune")], ids=" ".join)
def test_it_is_refused_with_a_sentence(here: Path, text: str, command: tuple[str, ...]) -> None:
    values(here)
    (here / NAME).write_text(text)
    ran = run(*command)
    assert (ran.code, ran.out) == (2, "")
    assert NAME in ran.err
    assert len(ran.err.splitlines()) == 1
    assert (here / NAME).read_text() == text, "what is not ours is not written over"


def test_bytes_that_are_no_text(here: Path) -> None:
    values(here)
    (here / NAME).write_bytes(b"\xff\xfe{}")
    assert run("check", ".").code == 2


def test_a_huge_one_is_not_read(here: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    values(here)
    monkeypatch.setattr(file, "LIMIT", 1_000)
    (here / NAME).write_text(" " * 1_001)
    ran = run("check", ".")
    assert ran.code == 2
    assert "larger than a baseline may be" in ran.err


def test_a_pipe_is_not_waited_for(here: Path) -> None:
    values(here)
    os.mkfifo(here / "pipe")
    assert run("check", ".", "--baseline", "pipe").code == 2


def test_one_that_was_named_and_is_not_there(here: Path) -> None:
    values(here)
    ran = run("check", ".", "--baseline", "gone.json")
    assert ran.code == 2
    assert "`nodeworthy baseline` writes one" in ran.err
    assert run("baseline", "--prune").code == 2


def test_one_that_was_laid_out_anew_is_read(here: Path) -> None:
    pod(here)
    run("baseline")
    (here / NAME).write_text(json.dumps(json.loads((here / NAME).read_text()), indent=4))
    assert run("check", ".").code == 0
    pod(here, "1")
    assert "suppression-unused" in run("check", ".").out


def test_a_rule_that_is_gone_is_told(here: Path) -> None:
    pod(here, "1")
    rows = [{"path": "pod.yaml", "rule": "of-last-year"}]
    (here / NAME).write_text(json.dumps({**HEAD, "failures": rows}))
    assert "of-last-year" in run("check", ".").out


def test_names_of_any_bytes_and_endless_words(tmp_path: Path) -> None:
    path = os.fsdecode(b"\xff\n\x1b.yaml")
    place = Place(path=str(tmp_path / path), line=3, subject="a[7].b")
    found = Finding(Verdict.FAIL, "x" * 1_000_000, place, is_="\ud800]]>\x00")
    entry = entry_of(found, tmp_path)
    assert len(entry.says) < LONGEST + 20
    (tmp_path / NAME).write_text(file.baseline_text({entry: 2}, ["."]))
    assert file.read(tmp_path / NAME, NAME).entries == {entry: 2}
    assert entry.at == "a[].b"


def failed(message: str) -> Finding:
    return Finding(Verdict.FAIL, message, Place(path="a"))


def test_two_long_words_that_begin_alike_are_two(tmp_path: Path) -> None:
    first, second = (failed("x" * 400 + last) for last in "ab")
    assert entry_of(first, tmp_path) != entry_of(second, tmp_path)


@pytest.mark.parametrize(
    ("one", "other"),
    [("written on line 23", "written on line 7"), ("lines 3 and 9 differ", "lines 14 and 20 differ")],
)
def test_which_line_it_is_says_nothing(tmp_path: Path, one: str, other: str) -> None:
    assert entry_of(failed(one), tmp_path) == entry_of(failed(other), tmp_path)


def test_a_port_or_a_version_does(tmp_path: Path) -> None:
    one, other = (entry_of(failed(f"listens on {port}"), tmp_path) for port in (10250, 10255))
    assert one != other
    assert isinstance(one, BaselineEntry)
