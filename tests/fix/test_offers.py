"""What `check --fix` would change, as programs read it of a report: letter by letter, and no secret in it."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest

from tests.fix.folder import K3S, SOCKET, laid
from tests.fix.test_mending import FIRST, MENDED, WELLFORMED, env
from tests.run import run, run_json

Spot = tuple[tuple[int, int], tuple[int, int], str]
TOKEN = "ghp_0123456789abcdefghijABCDEFGHIJ012345"


def of_json(fix: dict[str, Any]) -> list[Spot]:
    def at(place: dict[str, int]) -> tuple[int, int]:
        return place["line"], place["column"]

    return [(at(each["start"]), at(each["end"]), each["should"]) for each in fix["changes"]]


def of_sarif(fix: dict[str, Any]) -> list[Spot]:
    spots = []
    for each in fix["artifactChanges"][0]["replacements"]:
        region, new = each["deletedRegion"], each.get("insertedContent", {}).get("text", "")
        start, end = (region["startLine"], region["startColumn"]), (region["endLine"], region["endColumn"])
        spots.append((start, end, new))
    return spots


def made(text: str, spots: list[Spot]) -> str:
    lines = text.split("\n")

    def offset(at: tuple[int, int]) -> int:
        return sum(len(line) + 1 for line in lines[: at[0] - 1]) + at[1] - 1

    for start, end, new in sorted(spots, reverse=True):
        text = text[: offset(start)] + new + text[offset(end) :]
    return text


@pytest.mark.parametrize(("before", "after"), [*MENDED.values(), *WELLFORMED.values()], ids=[*MENDED, *WELLFORMED])
def test_the_changes_are_those_of_check_fix(tmp_path: Path, before: str, after: str) -> None:
    laid(tmp_path, {"values.yaml": before, "Pulumi.dev.yaml": K3S})
    rule = "containerd-paths" if before in [each for each, _ in MENDED.values()] else "toolkit-env-wellformed"
    sarif = tmp_path / "report.sarif"
    ran = run_json("check", "values.yaml", "--rule", rule, "--also", f"sarif={sarif}", cwd=tmp_path)
    found = results(sarif)
    spots = {spot for each in ran.findings for spot in of_json(each["fix"])}
    assert spots == {spot for each in found for fix in each["fixes"] for spot in of_sarif(fix)}
    assert made(before.removeprefix("\ufeff"), list(spots)) == after.removeprefix("\ufeff")


def results(path: Path) -> list[dict[str, Any]]:
    told: list[dict[str, Any]] = json.loads(path.read_text(encoding="utf-8"))["runs"][0]["results"]
    return told


def fixes(folder: Path, text: str, *arguments: str) -> list[Any]:
    laid(folder, {"values.yaml": text})
    found = run_json("check", "values.yaml", "--rule", "toolkit-env-wellformed", *arguments, cwd=folder).findings
    assert found
    return [each.get("fix") for each in found]


def test_a_secret_is_in_none(tmp_path: Path) -> None:
    entry = f"    - name: TOKEN\n      value: {TOKEN}\n"
    ran = run("check", ".", "--format", "json", cwd=laid(tmp_path, {"values.yaml": env(FIRST, entry, entry)}))
    assert "stands twice" in ran.out
    assert TOKEN not in ran.out
    assert fixes(tmp_path, env(FIRST, entry, entry)) == [None]


def test_what_was_decided_has_none(tmp_path: Path) -> None:
    why = " # nodeworthy: ignore toolkit-env-wellformed the chart quotes it"
    assert fixes(tmp_path, env(f"    - name: A\n      value: true{why}\n")) == [None]


def test_two_for_one_place_are_none(tmp_path: Path) -> None:
    laid(tmp_path, {"Pulumi.dev.yaml": K3S})
    text = env(FIRST.replace(SOCKET, "unix:///run/other.sock"))
    laid(tmp_path, {"values.yaml": text})
    found = run_json("check", "values.yaml", cwd=tmp_path).findings
    assert {each["rule"] for each in found} >= {"containerd-paths", "toolkit-env-wellformed"}
    assert [each.get("fix") for each in found if each["where"].get("line") == 5] == [None, None]


def test_a_file_that_has_changed_since_has_none(tmp_path: Path) -> None:
    path = laid(tmp_path, {"values.yaml": env("    - {name: A, value: on}\n")}) / "values.yaml"
    later = path.stat().st_mtime + 1_000
    os.utime(path, (later, later))
    assert "fix" not in run_json("check", "values.yaml", "--rule", "toolkit-env-wellformed", cwd=tmp_path).findings[0]


def test_what_would_change_all_of_a_file_is_left_to_the_command(tmp_path: Path) -> None:
    laid(tmp_path, {"user-data.sh": "#!/bin/sh\r\nset -eu\r\nsystemctl enable kubelet\r\n"})
    (found,) = run_json("check", "user-data.sh", "--rule", "user-data-format", cwd=tmp_path).findings
    assert "Windows line ends" in found["message"]
    assert "fix" not in found


def test_a_run_that_is_answered_from_memory_has_them_too(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.setattr("nodeworthy.collect.source.cache_stamps.COARSEST_NS", -(10**12))
    folder = laid(tmp_path / "repository", {"values.yaml": env("    - {name: A, value: on}\n")})
    first, second = (run_json("check", ".", cwd=folder) for _ in range(2))
    assert first.findings == second.findings
    assert [each["fix"]["title"] for each in second.findings if "fix" in each] == ["Quote the value"]
    assert list((tmp_path / "cache").rglob("*"))
