"""What does not go together is said before a cluster is asked."""

from __future__ import annotations

import json
import stat
from pathlib import Path

import pytest

from nodeworthy.errors import InputError
from nodeworthy.repair.change import Target
from nodeworthy.repair.edit import LABELS, Edit
from nodeworthy.repair.record import HelmRevision, Record, StateFile, new_state_path, read_state
from tests.run import run


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--yes"], "--yes is for --fix"),
        (["--wait", "3"], "--wait is for --fix"),
        (["--dry-run"], "--dry-run is for --fix or --undo"),
        (["--fix", "--undo", "x"], "one at a time"),
        (["--fix", "--from", "."], "--from looks at none"),
        (["--fix", "--yes", "--from", "."], "--from looks at none"),
        (["--undo", "x", "--from", "."], "--from looks at none"),
        (["--fix", "--yes", "--ledger"], "--ledger is for a diagnosis"),
        (["--fix", "--dry-run", "--format", "sarif"], "--format is for a diagnosis"),
        (["--fix", "--yes", "--print-role"], "--print-role is for a diagnosis"),
        (["--fix"], "there is no terminal"),
        (["--fix", "--wait", "0"], "no number of seconds"),
        (["--undo", "missing.json"], "missing.json: it can't be read"),
    ],
)
def test_a_usage_that_makes_no_sense(arguments: list[str], said: str, tmp_path: Path) -> None:
    ran = run("diagnose", *arguments, cwd=tmp_path)
    assert (ran.code, ran.out) == (2, ""), ran.out
    assert said in ran.err


RECORD = Record(
    Target("Node", "a"),
    "uid-1",
    (Edit(LABELS, "x", None, "1"), Edit(LABELS, "y", "2", None)),
    release=HelmRevision("gpu", "ops", 3, 4),
    was={"metadata": {"name": "a", "managedFields": [{}]}, "env": [{"name": "TOKEN", "value": "hunter2hunter2"}]},
)


def test_what_was_kept_is_read_as_it_was(tmp_path: Path) -> None:
    path = tmp_path / "kept.json"
    StateFile(path, "https://x", [RECORD]).write("applied")
    state, (read,) = read_state(path)
    assert (state, read.target, read.uid, read.edits, read.release) == (
        "applied",
        RECORD.target,
        RECORD.uid,
        RECORD.edits,
        RECORD.release,
    )
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert [each.name for each in tmp_path.iterdir()] == ["kept.json"]
    assert "hunter2" not in path.read_text()
    assert "managedFields" not in path.read_text()


def change(path: Path, name: str, value: object) -> None:
    data = json.loads(path.read_text())
    data["changes"][0][name] = value
    path.write_text(json.dumps(data))


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("object", {"kind": "Pod", "name": "a"}),
        ("object", {"kind": "Node", "name": "../secrets"}),
        ("object", "Node/a"),
        ("object", {"kind": "Node", "name": ".."}),
        ("object", {"kind": "Node", "name": "a?dryRun=None"}),
        ("edits", []),
        ("edits", [RECORD.edits[0].as_data(), "x"]),
        ("edits", [{"within": ["spec", "unschedulable"], "name": "x", "before": None, "after": "1"}]),
        ("edits", [{"within": ["metadata", "labels"], "name": "x", "before": 1, "after": "1"}]),
        ("edits", [{"within": "labels", "name": "x"}]),
        ("madeLists", [["spec"]]),
        ("madeLists", "all"),
        ("madeLists", 5),
        ("release", {"name": "--post-renderer=./x", "namespace": "ops", "before": 1}),
        ("release", {"name": "gpu"}),
    ],
)
def test_a_file_that_was_meddled_with_is_refused(tmp_path: Path, name: str, value: object) -> None:
    path = tmp_path / "kept.json"
    StateFile(path, "https://x", [RECORD]).write("applied")
    change(path, name, value)
    ran = run("diagnose", "--undo", str(path))
    assert (ran.code, ran.out) == (2, "")
    assert "an entry" in ran.err


@pytest.mark.parametrize("changes", [None, [], {}, ["x"], [RECORD.as_data(), "x"]])
def test_a_file_without_all_of_its_changes_is_refused(tmp_path: Path, changes: object) -> None:
    path = tmp_path / "kept.json"
    path.write_text(json.dumps({"apiVersion": "nodeworthy/v1", "kind": "Repair", "changes": changes}))
    with pytest.raises(InputError, match=r"kept\.json: an entry of what was changed is missing"):
        read_state(path)


@pytest.mark.parametrize("text", ["", "{", "[]", "{}", '{"kind": "Repair"}', "\udcff"])
def test_another_file_is_refused(tmp_path: Path, text: str) -> None:
    (tmp_path / "x").write_bytes(text.encode("utf-8", "surrogateescape"))
    ran = run("diagnose", "--undo", "x", cwd=tmp_path)
    assert (ran.code, ran.out) == (2, "")
    assert "no file that --fix has kept" in ran.err


def test_two_files_of_one_second_have_two_names(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    first = new_state_path()
    first.write_text("")
    assert new_state_path() != first
