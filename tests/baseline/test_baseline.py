"""A repository that has findings today: only what is new fails, and what is mended is told."""

from __future__ import annotations

from pathlib import Path

import pytest

from nodeworthy.baseline.file import NAME
from tests.baseline.texts import entries, pod, values
from tests.run import run, run_json
from tests.source.texts import STOCK, fleet
from tests.source.texts import values as other_values

OLD = {"toolkit-env-wellformed", "gpu-quantity"}


def test_what_was_there_no_longer_fails(adopted: Path) -> None:
    ran = run_json("check", ".")
    assert ran.code == 0
    assert {found["rule"] for found in ran.findings} == OLD
    assert all(found["suppressed"] and found["baselined"] for found in ran.findings)
    assert ran.report["summary"] | {"fail": 0, "suppressed": 2, "baselined": 2} == ran.report["summary"]


def test_what_is_new_does(adopted: Path) -> None:
    values(adopted / "more")
    ran = run_json("check", ".")
    assert ran.code == 1
    assert [found["where"]["path"] for found in ran.findings if not found["suppressed"]] == ["more/values.yaml"]


def test_one_more_of_the_same_in_the_same_file_does(adopted: Path) -> None:
    text = (adopted / "pod.yaml").read_text()
    (adopted / "pod.yaml").write_text(f"{text}---\n{text}")
    ran = run_json("check", ".")
    assert ran.code == 1
    assert [found["where"]["line"] for found in ran.findings if not found["suppressed"]] == [17]


def test_another_wrong_value_in_its_place_does(adopted: Path) -> None:
    values(adopted / "team", "another.sock")
    assert run("check", ".").code == 1


def test_lines_and_positions_may_move(adopted: Path) -> None:
    values(adopted / "team", above="# three lines\n# of comment\ndriver: {enabled: false}\n")
    text = (adopted / "pod.yaml").read_text()
    sidecar = "    - name: sidecar\n      image: busybox\n"
    (adopted / "pod.yaml").write_text(text.replace("  containers:\n", f"  containers:\n{sidecar}"))
    assert run("check", ".").code == 0


def test_it_holds_from_a_folder_below(adopted: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(adopted / "team")
    assert run("check", ".").code == 0
    assert run("check", "values.yaml").code == 0
    assert run("check", "--changed", "values.yaml").code == 0


def test_what_suppressions_ignored_means_is_said_of_it_too(adopted: Path) -> None:
    assert run("check", ".", "--ignore-suppressions").code == 1


def test_the_cache_knows_nothing_of_it(adopted: Path, tmp_path_factory: pytest.TempPathFactory) -> None:
    first = run("check", ".")
    (adopted / NAME).unlink()
    assert (first.code, run("check", ".").code) == (0, 1)


UNKNOWN = "toolkit:\n  env:\n    - {{name: CONTAINERD_SOCKET, value: !vault {0}}}\n"


def test_what_is_unknown_is_in_it_and_no_longer_changes_the_exit_code(here: Path) -> None:
    (here / "values.yaml").write_text(UNKNOWN.format("socket"))
    assert run("check", ".").code == 3
    assert "unknown" in run("baseline").out
    assert {entry["verdict"] for entry in entries(here)} == {"unknown"}
    ran = run_json("check", ".")
    assert (ran.code, ran.report["summary"]["unknown"]) == (0, 0)
    assert ran.report["summary"]["baselined"] > 0
    (here / "values.yaml").write_text(UNKNOWN.format("socket").replace("!vault socket", "relative.sock"))
    assert run("check", ".").code == 1


def test_an_unknown_for_another_reason_is_new(here: Path) -> None:
    (here / "values.yaml").write_text(UNKNOWN.format("socket"))
    assert run("baseline").code == 0
    (here / "values.yaml").write_text(UNKNOWN.format("socket").replace("!vault", "!ours"))
    assert run("check", ".").code == 3


def test_what_could_not_be_read_is_in_none(here: Path) -> None:
    pod(here)
    (here / "broken.yaml").write_text("toolkit: {env: [\n")
    ran = run("baseline")
    assert ran.code == 0
    assert "in no baseline, for nothing was read there: 1 error" in ran.out
    assert [entry["rule"] for entry in entries(here)] == ["gpu-quantity"]
    assert run("check", ".").code == 3


def test_they_are_folded_into_one_line(adopted: Path) -> None:
    folded = [line for line in run("check", ".").out.splitlines() if "in the baseline" in line]
    assert folded[0].startswith("in the baseline .nodeworthy-baseline.json: 1 gpu-quantity, 1 toolkit-env-wellformed")
    assert "pod.yaml" not in run("check", ".").out
    assert "pod.yaml" in run("check", ".", "--show-passed").out


def test_a_warning_is_in_it_too(here: Path) -> None:
    """Who adds --strict later is not stopped by what was there before."""
    ran = run("check", ".")
    (here / "values.yaml").write_text(
        "toolkit:\n  env: []  # nodeworthy: ignore toolkit-env-wellformed for no reason\n"
    )
    assert run("check", ".", "--strict").code == 1
    assert run("baseline").code == 0, ran.out
    assert run("check", ".", "--strict").code == 0


def test_it_is_sorted_and_a_line_each(adopted: Path) -> None:
    first = (adopted / NAME).read_text()
    assert run("baseline").code == 0
    assert (adopted / NAME).read_text() == first
    rows = [line for line in first.splitlines() if line.strip().startswith('{"path"')]
    assert len(rows) == 2
    assert rows == sorted(rows)


def test_a_secret_is_not_in_it(here: Path) -> None:
    secret = "hunter2-of-the-cluster"
    (here / "user-data.yaml").write_text(f"#cloud-config\nhostname: gpu\nchpasswd:\n  list: |\n    ubuntu:{secret}\n")
    run("baseline")
    assert any(entry["rule"] == "no-secret-in-plain-sight" for entry in entries(here))
    assert secret not in (here / NAME).read_text()


def test_what_depends_on_the_fleet(here: Path) -> None:
    (here / "Pulumi.edge.yaml").write_text(fleet())
    (here / "values.yaml").write_text(other_values(STOCK.socket))
    assert run("check", ".").code == 1
    assert run("baseline").code == 0
    assert run("check", ".").code == 0
    (here / "Pulumi.more.yaml").write_text(fleet("kubeadm"))
    ran = run_json("check", ".", "--strict")
    assert "suppression-unused" not in {found["rule"] for found in ran.findings}, "which fleet it is, nobody said"
