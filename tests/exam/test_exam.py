"""The exam itself: what it counts as true, false, found and missed, on files made up here."""

from __future__ import annotations

import json
from itertools import combinations
from pathlib import Path
from typing import Any

import pytest

from bench.exam.__main__ import main
from bench.exam.lists import SETS, exam_of
from bench.exam.looking import look, read
from bench.exam.records import Exam, Fault, Judged, Label, Looked, Said
from bench.exam.scoring import Score, score

LISTS = ("first", "second", "third", "fourth", "fifth")
HALF_A_GPU = """\
apiVersion: v1
kind: Pod
metadata: {name: half}
spec:
  containers:
    - name: main
      image: a
      resources: {limits: {nvidia.com/gpu: 0.5}}
"""
A_GPU = HALF_A_GPU.replace("0.5", "1")
BROKEN = "kind: Pod\nspec: [a\n"


def said(rule: str = "r", line: int = 5, *, verdict: str = "fail", severity: str = "error", file: str = "f") -> Said:
    return Said(file, rule, line, verdict, severity, "so it is")


def scored(exam: Exam, *findings: Said, crash: str = "") -> Score:
    return score(exam, [Looked("f", findings, crash=crash)])


def labels(result: Score) -> list[Label]:
    return [one.label for one in result.labelled]


def exam(
    *faults: Fault, doubts: tuple[str, ...] = (), judged: dict[tuple[str, str, int], Judged] | None = None
) -> Exam:
    return Exam(("f",), faults, frozenset(("f", rule) for rule in doubts), judged or {})


FAULT = Fault("f", "r", 5, "why")


@pytest.mark.parametrize(("line", "label"), [(5, Label.TRUE), (8, Label.TRUE), (2, Label.TRUE), (9, Label.UNDECIDED)])
def test_a_finding_near_the_fault_is_true(line: int, label: Label) -> None:
    result = scored(exam(FAULT), said(line=line))
    assert labels(result) == [label]
    assert bool(result.found) is (label is Label.TRUE)


def test_a_fault_may_be_said_by_another_rule_and_on_any_line() -> None:
    fault = Fault("f", "r", 5, "why", anywhere=True, others=("s",))
    result = scored(exam(fault), said("s", 70))
    assert labels(result) == [Label.TRUE]
    assert result.missed == ()


def test_what_nobody_judged_is_undecided_and_not_true() -> None:
    result = scored(exam(FAULT), said(), said("other"))
    assert labels(result) == [Label.TRUE, Label.UNDECIDED]
    assert result.precision() == 0.5


def test_a_doubt_counts_neither_way() -> None:
    result = scored(exam(FAULT, doubts=("other",)), said(), said("other"))
    assert labels(result) == [Label.TRUE, Label.DOUBT]
    assert result.precision() == 1


@pytest.mark.parametrize("verdict", ["true", "false"])
def test_a_reader_judges_afterwards_and_that_is_kept_apart(verdict: str) -> None:
    judged = {("f", "other", 9): Judged(verdict, "read it")}
    result = scored(exam(judged=judged), said("other", 9))
    assert [(one.label, one.blind) for one in result.labelled] == [(verdict, False)]


def test_a_finding_of_another_place_can_be_the_fault() -> None:
    judged = {("f", "r", 40): Judged("true", "the same fault, told where it bites", finds=5)}
    assert scored(exam(FAULT, judged=judged), said(line=40)).recall == 1


def test_a_finding_near_a_fault_can_be_judged_false_and_finds_nothing() -> None:
    judged = {("f", "r", 6): Judged("false", "it speaks of something else")}
    result = scored(exam(FAULT, judged=judged), said(line=6))
    assert labels(result) == [Label.FALSE]
    assert result.recall == 0


def test_an_entry_of_the_truth_that_was_wrong_is_withdrawn() -> None:
    result = scored(exam(FAULT, judged={FAULT.key: Judged("no-fault", "read again")}))
    assert result.withdrawn == (FAULT,)
    assert (result.missed, result.recall) == ((), 1)


def test_errors_are_counted_by_themselves() -> None:
    result = scored(exam(FAULT), said(), said("w", severity="warning"))
    assert (result.precision("error"), result.precision("warning")) == (1, 0)


def test_unknowns_are_no_assertions() -> None:
    result = scored(exam(), said(verdict="unknown"))
    assert (result.labelled, result.unknowns_a_file) == ((), 1)


@pytest.mark.parametrize(
    "result",
    [
        scored(exam(FAULT)),
        scored(exam(), said()),
        scored(exam(), said(verdict="unknown")),
        scored(exam(), crash="Traceback"),
    ],
    ids=["missed", "undecided", "unknown", "crashed"],
)
def test_each_bar_can_be_missed(result: Score) -> None:
    assert not result.passes


def test_above_every_bar() -> None:
    assert scored(exam(FAULT), said()).passes


def test_a_rule_that_crashed_is_a_crash_and_no_assertion() -> None:
    finding = {"rule": "rule-crashed", "verdict": "error", "severity": "error", "message": "boom", "where": {}}
    report = {"findings": [{**finding, "suppressed": False}], "evaluated": {"unrecognised": 0}}
    looked = read("f", json.dumps(report), "")
    assert looked.crash == "boom"
    assert score(exam(), [looked]).labelled == ()


def test_no_report_at_all_is_a_crash() -> None:
    assert read("f", "", "Traceback (most recent call last)").crash


def written(tmp_path: Path, files: dict[str, str], truth: dict[str, Any]) -> tuple[str, ...]:
    """A list and its files. Its arguments follow."""
    folder = tmp_path / "fetched"
    for name, content in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(content)
    exams = tmp_path / "sets" / "second"
    exams.mkdir(parents=True)
    (exams / "files.json").write_text(json.dumps([{"file": file} for file in truth]))
    (exams / "truth.json").write_text(json.dumps(truth))
    return (str(folder), "--sets", str(tmp_path / "sets"))


HALF = {"true": [{"rule": "gpu-quantity", "line": 8, "why": "half a GPU"}], "doubt": []}
NOTHING: dict[str, Any] = {"true": [], "doubt": []}


def test_of_files(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    arguments = written(
        tmp_path,
        {"1-a/half.yaml": HALF_A_GPU, "2-b/one.yaml": A_GPU},
        {"1-a/half.yaml": HALF, "2-b/one.yaml": NOTHING, "3-c/gone.yaml": NOTHING},
    )
    assert main([*arguments, "--format", "json"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert told["files"] == {"looked_at": 2, "missing": ["3-c/gone.yaml"], "unrecognised": []}
    assert told["rules"]["gpu-quantity"]["true"] == 1
    assert told["recall"] == 1


def test_of_files_for_a_reader(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    arguments = written(tmp_path, {"1-a/half.yaml": HALF_A_GPU}, {"1-a/half.yaml": NOTHING, "3-c/gone.yaml": HALF})
    assert main(arguments) == 1
    told = capsys.readouterr().out
    assert "1-a/half.yaml:8 gpu-quantity (error): " in told
    assert "1 files, 0 of no known kind, 1 missing" in told
    assert told.rstrip().endswith("3-c/gone.yaml")


def test_no_file_is_there(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(written(tmp_path, {}, {"3-c/gone.yaml": HALF})) == 3
    assert "none of the 1 files" in capsys.readouterr().err


def test_a_file_is_looked_at_alone(tmp_path: Path) -> None:
    (tmp_path / "1-a").mkdir()
    (tmp_path / "1-a" / "half.yaml").write_text(HALF_A_GPU)
    (tmp_path / ".nodeworthy.yaml").write_text("no settings at all: [")
    assert [one.rule for one in look(tmp_path, "1-a/half.yaml").said] == ["gpu-quantity"]


def test_a_file_that_cannot_be_read_is_a_finding(tmp_path: Path) -> None:
    (tmp_path / "pod.yaml").write_text(BROKEN)
    assert [(one.rule, one.line, one.severity) for one in look(tmp_path, "pod.yaml").said] == [
        ("input-readable", 3, "error")
    ]


def test_a_file_of_no_known_kind_is_no_finding(tmp_path: Path) -> None:
    (tmp_path / "letter.txt").write_text("Dear all,\n")
    looked = look(tmp_path, "letter.txt")
    assert (looked.said, looked.recognised, looked.crash) == ((), False, "")


@pytest.mark.parametrize("name", LISTS)
def test_the_lists_agree_with_their_truth(name: str) -> None:
    entries = json.loads((SETS / name / "files.json").read_text())
    truth = json.loads((SETS / name / "truth.json").read_text())
    assert [entry["file"] for entry in entries] == list(truth)
    assert all(entry["file"].endswith(f"/{Path(entry['path']).name}") for entry in entries)
    assert all(len(entry["commit"]) == 40 for entry in entries)


def test_no_repository_is_in_two_lists_and_none_often() -> None:
    lists = [[entry["repo"] for entry in json.loads((SETS / name / "files.json").read_text())] for name in LISTS]
    for one, other in combinations(lists, 2):
        assert not set(one) & set(other)
    assert all(repos.count(each) <= 3 for repos in lists[1:] for each in set(repos))
    assert [len(repos) for repos in lists] == [90, 250, 126, 130, 132]


@pytest.mark.parametrize("name", LISTS)
def test_what_a_reader_judged_is_of_the_list(name: str) -> None:
    exam = exam_of(SETS / name)
    assert {file for file, _, _ in exam.judged} <= set(exam.files)
    assert {judged.verdict for judged in exam.judged.values()} <= {"true", "false", "no-fault"}
    assert all(judged.why for judged in exam.judged.values())
