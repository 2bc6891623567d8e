"""`--recheck REPORT.json`: the hosts and rules that were not well, and no others."""

from __future__ import annotations

import json
import platform
import shutil
from pathlib import Path
from typing import Any

import pytest

from nodeworthy.collect.node.recording import Recording, load
from tests.run import run, run_json

from .recordings import INCIDENT, MENDED

HOSTS = {"ssh://gpu-01": INCIDENT, "ssh://gpu-02": MENDED}


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Two hosts, the first with the incident's fault. Who was asked."""
    names: list[str] = []

    def observe(host: Any) -> Recording:
        name = host.backend.get_pytest_id()
        names.append(name)
        return Recording(name, load(HOSTS[name]).parts)

    monkeypatch.setattr("nodeworthy.collect.node.asked.observe", observe)
    return names


@pytest.fixture
def report(asked: list[str], tmp_path: Path) -> Path:
    path = tmp_path / "report.json"
    about = ("--rule", "containerd-paths", "--rule", "toolkit-reaches-containerd")
    assert run("node", *HOSTS, *about, "--format", "json", "--output", str(path)).code == 1
    asked.clear()
    return path


def pairs(found: list[dict[str, Any]]) -> set[tuple[str, str, str]]:
    return {(each["where"]["host"], each["rule"], each["verdict"]) for each in found}


def test_only_what_failed_is_asked_again(report: Path, asked: list[str]) -> None:
    ran = run_json("node", "--recheck", str(report), "--show-passed")
    assert asked == ["ssh://gpu-01"]
    assert pairs(ran.findings) == {("ssh://gpu-01", "containerd-paths", "fail")}
    assert ran.code == 1
    assert ran.report["evaluated"]["hosts"] == 1


def test_a_choice_of_hosts_does_not_go_with_it(report: Path, asked: list[str]) -> None:
    for choice in ("--selector", "--asg"):
        ran = run("node", "--recheck", str(report), choice, "a=b")
        assert (ran.code, asked) == (2, [])
        assert "--recheck names its hosts itself" in ran.err


@pytest.mark.parametrize(
    ("old", "new"),
    [('"host": "ssh://gpu-01"', '"host": 5'), ('"verdicts": 3', '"verdicts": 1e400')],
)
def test_a_report_of_absurd_values_is_malformed(report: Path, asked: list[str], old: str, new: str) -> None:
    text = report.read_text()
    assert old in text
    report.write_text(text.replace(old, new))
    ran = run("node", "--recheck", str(report))
    assert (ran.code, asked) == (2, [])
    assert "is a malformed report" in ran.err


def test_what_is_left_out_is_told(report: Path) -> None:
    told = f"{report}: 1 of 3 verdicts on 1 of 2 hosts were not well and are asked for again; the other 2 are left out"
    assert told in run_json("node", "--recheck", str(report)).err
    assert run_json("node", "--recheck", str(report), "--quiet").err == ""


def test_what_is_well_now_is_clean(report: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(HOSTS, "ssh://gpu-01", MENDED)
    ran = run_json("node", "--recheck", str(report), "--show-passed")
    assert ran.code == 0
    assert pairs(ran.findings) == {("ssh://gpu-01", "containerd-paths", "pass")}


def test_who_names_a_host_says_how_it_is_reached(report: Path, asked: list[str]) -> None:
    run("node", "ssh://root@gpu-01", "ssh://gpu-02", "--recheck", str(report))
    assert asked == ["ssh://gpu-01"]


def test_a_recording_is_judged_again_by_its_hosts_name(tmp_path: Path) -> None:
    kept = tmp_path / "kept"
    kept.mkdir()
    shutil.copy(INCIDENT, kept)
    (kept / "other.json").write_text(MENDED.read_text().replace("ssh://gpu-01", "ssh://gpu-02"))
    path = tmp_path / "report.json"
    run("node", f"replay:{kept}", "--rule", "containerd-paths", "--format", "json", "--output", str(path))
    ran = run_json("node", f"replay:{kept}", "--recheck", str(path), "--show-passed")
    assert pairs(ran.findings) == {("ssh://gpu-01", "containerd-paths", "fail")}
    assert ran.report["evaluated"]["hosts"] == 1


def test_a_host_that_was_not_seen_is_judged_whole(asked: list[str], tmp_path: Path) -> None:
    data = {
        "schema": "nodeworthy/report/v1",
        "moment": "node",
        "evaluated": {"verdicts": 1, "hosts": 1},
        "findings": [{"rule": "looked-at", "verdict": "error", "suppressed": False, "where": {"host": "ssh://gpu-01"}}],
    }
    path = tmp_path / "report.json"
    path.write_text(json.dumps(data))
    ran = run_json("node", "--recheck", str(path), "--show-passed")
    assert ("ssh://gpu-01", "containerd-paths", "fail") in pairs(ran.findings)
    assert len(pairs(ran.findings)) > 5


def change(path: Path, **changed: Any) -> None:
    path.write_text(json.dumps({**json.loads(path.read_text()), **changed}))


def test_nothing_failed_so_nothing_is_proven(report: Path, asked: list[str]) -> None:
    change(report, findings=[])
    ran = run_json("node", "--recheck", str(report))
    assert (ran.code, asked) == (3, [])
    assert "nothing was wrong in" in ran.findings[0]["message"]


def test_named_hosts_of_which_none_failed(report: Path, asked: list[str]) -> None:
    ran = run_json("node", "ssh://gpu-02", "--recheck", str(report))
    assert (ran.code, asked) == (3, [])
    assert "none of the hosts that are named" in ran.findings[0]["message"]


def test_another_machine_is_not_this_one(report: Path) -> None:
    found = json.loads(report.read_text())["findings"]
    found[0]["where"]["host"] = "local://somebody-else"
    change(report, findings=found)
    ran = run("node", "--recheck", str(report))
    assert ran.code == 2
    assert "of another machine, local://somebody-else" in ran.err


def test_this_machine_by_its_name(report: Path, asked: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    here = f"local://{platform.node()}"
    monkeypatch.setitem(HOSTS, "local", INCIDENT)
    report.write_text(report.read_text().replace("ssh://gpu-01", here))
    run("node", "--recheck", str(report))
    assert asked == ["local"]


@pytest.mark.parametrize(
    ("changed", "why"),
    [
        ({"schema": "nodeworthy/recording/v1"}, "no report"),
        ({"moment": "source"}, "a report of another moment, 'source'"),
        ({"findings": 7}, "malformed"),
        ({"findings": [{"rule": "gone", "verdict": "fail", "suppressed": False, "where": {}}]}, "no rule 'gone'"),
    ],
)
def test_what_is_no_report(report: Path, changed: dict[str, Any], why: str) -> None:
    change(report, **changed)
    ran = run("node", "--recheck", str(report))
    assert (ran.code, ran.out) == (2, "")
    assert why in ran.err


def test_a_file_that_is_not_there_or_no_json(tmp_path: Path) -> None:
    (tmp_path / "report.txt").write_text("all well")
    assert "is not JSON" in run("node", "--recheck", str(tmp_path / "report.txt")).err
    assert run("node", "--recheck", str(tmp_path / "gone.json")).code == 2


def test_no_host_at_all() -> None:
    ran = run("node")
    assert ran.code == 2
    assert "no host is named" in ran.err
