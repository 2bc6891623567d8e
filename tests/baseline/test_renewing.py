"""What no longer applies is told, taken out by --prune, and nothing is lost by the way."""

from __future__ import annotations

from pathlib import Path

import pytest

from nodeworthy.baseline.file import NAME
from tests.baseline.texts import entries, pod, values
from tests.run import run, run_json

UNUSED = "suppression-unused"


def told(*options: str) -> list[str]:
    found = run_json("check", *options).findings
    return [each["where"]["subject"] for each in found if each["rule"] == UNUSED]


def test_what_is_mended_is_told_with_its_line(adopted: Path) -> None:
    pod(adopted, "1")
    ran = run_json("check", ".")
    assert ran.code == 0
    (found,) = (each for each in ran.findings if each["rule"] == UNUSED)
    assert "gpu-quantity" in found["message"]
    assert "pod.yaml" in found["message"]
    line = (adopted / NAME).read_text().splitlines()[found["where"]["line"] - 1]
    assert '"gpu-quantity"' in line
    assert "--prune" in found["remedy"]
    assert run("check", ".", "--strict").code == 1


def test_a_file_that_is_gone_is_mended(adopted: Path) -> None:
    (adopted / "pod.yaml").unlink()
    assert len(told(".")) == 1


@pytest.mark.parametrize(
    "options",
    [
        ("team",),
        ("--changed", "pod.yaml"),
        (".", "--rule", "toolkit-env-wellformed"),
        (".", "--skip-rule", "gpu-quantity"),
    ],
    ids=" ".join,
)
def test_it_is_not_told_by_who_did_not_look(adopted: Path, options: tuple[str, ...]) -> None:
    pod(adopted, "1")
    assert told(*options) == []


def test_nor_where_it_could_not_be_read(adopted: Path) -> None:
    (adopted / "pod.yaml").write_text("spec: [\n")
    assert told(".") == []
    assert run("baseline", "--prune").code == 0
    assert len(entries(adopted)) == 2


def test_prune_takes_it_out_and_adds_nothing(adopted: Path) -> None:
    pod(adopted, "1")
    values(adopted / "more")
    ran = run("baseline", "--prune")
    assert ran.code == 0
    assert "0 more than before, 1 less" in ran.out
    assert [entry["path"] for entry in entries(adopted)] == ["team/values.yaml"]
    assert run("check", ".").code == 1


def test_renewed_it_holds_all_that_fails_now(adopted: Path) -> None:
    pod(adopted, "1")
    values(adopted / "more")
    assert "1 more than before, 1 less" in run("baseline").out
    assert [entry["path"] for entry in entries(adopted)] == ["more/values.yaml", "team/values.yaml"]
    assert run("check", ".", "--strict").code == 0


def test_a_dry_run_writes_nothing(here: Path) -> None:
    pod(here)
    ran = run("baseline", "--dry-run")
    assert (ran.code, (here / NAME).exists()) == (0, False)
    assert "would hold 1 failure of 1 rule in 1 file" in ran.out


def test_it_is_not_renewed_by_less_than_it_is_about(adopted: Path) -> None:
    ran = run("baseline", "team")
    assert ran.code == 2
    assert "is about ., and that is more" in ran.err
    assert len(entries(adopted)) == 2
    assert run("baseline", "team", "--baseline", "team.json").code == 0
    assert run("check", "team", "--baseline", "team.json").code == 0


def test_from_a_folder_below_it_is_renewed_whole(adopted: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    before = (adopted / NAME).read_text()
    monkeypatch.chdir(adopted / "team")
    assert run("baseline").code == 0
    assert (adopted / NAME).read_text() == before
    assert not (adopted / "team" / NAME).exists()


def test_of_nothing_none_is_written(here: Path) -> None:
    (here / "notes.md").write_text("nothing of ours\n")
    ran = run("baseline")
    assert (ran.code, (here / NAME).exists()) == (3, False)
    assert "nothing was evaluated" in ran.err


def test_a_named_file_that_is_not_there_writes_none(adopted: Path) -> None:
    before = (adopted / NAME).read_text()
    assert run("baseline", ".", "gone.yaml").code == 2
    assert (adopted / NAME).read_text() == before
