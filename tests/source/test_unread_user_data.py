"""User data of which nothing can be read: one rule tells it, the others do not repeat it, and none of them passes."""

from __future__ import annotations

import gzip
from collections import Counter
from pathlib import Path

from tests.run import Ran, run

CUT_OFF = gzip.compress(b"#!/bin/bash\nset -e\ndnf install -y nvidia-driver\nsystemctl enable --now kubelet\n")[:-12]


def check(folder: Path, data: bytes, *options: str) -> Ran:
    (folder / "user-data.gz").write_bytes(data)
    return run("check", "user-data.gz", "--format", "json", "--show-passed", *options, cwd=folder)


def test_one_cause_is_one_finding(tmp_path: Path) -> None:
    ran = check(tmp_path, CUT_OFF)
    verdicts = Counter(found["verdict"] for found in ran.report["findings"])
    assert ran.code == 1
    assert (verdicts["fail"], verdicts["unknown"], verdicts["pass"]) == (1, 0, 1)
    assert [found["rule"] for found in ran.report["findings"] if found["verdict"] == "pass"] == ["user-data-size"]
    (failed,) = (found for found in ran.report["findings"] if found["verdict"] == "fail")
    assert failed["message"] == "the gzip is cut off: cloud-init then runs nothing of it"


def test_in_a_folder_its_name_says_what_it_was(tmp_path: Path) -> None:
    (tmp_path / "user-data.gz").write_bytes(CUT_OFF)
    (tmp_path / "backup.gz").write_bytes(CUT_OFF)
    ran = run("check", ".", "--format", "json", cwd=tmp_path)
    assert ran.code == 1
    assert [found["where"]["path"] for found in ran.report["findings"]] == ["user-data.gz"]


def test_a_rule_that_is_asked_alone_says_it_itself(tmp_path: Path) -> None:
    ran = check(tmp_path, CUT_OFF, "--rule", "profiling-before-driver")
    assert ran.code == 3
    assert [found["verdict"] for found in ran.report["findings"]] == ["unknown"]
    assert check(tmp_path, CUT_OFF, "--skip-rule", "user-data-format").code == 3


def test_nothing_holds_no_secret(tmp_path: Path) -> None:
    (tmp_path / "user-data.sh").write_bytes(b"")
    ran = run("check", "user-data.sh", "--format", "json", cwd=tmp_path)
    assert [found["rule"] for found in ran.report["findings"]] == ["user-data-format"]
