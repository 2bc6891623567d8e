"""What we write passes what we demand of others: every rule that reads boot scripts, each pool by its own fleet."""

from __future__ import annotations

import shutil
from typing import Any

import pytest

from tests.run import run_json
from tests.userdata.families import FLEET, GOLDEN, POOLS

# Rules that every script of ours gives something to judge.
JUDGED = {
    "joins-its-cluster",
    "kubelet-survives-reboot",
    "registry-resolvable",
    "registry-trusted",
    "user-data-format",
    "user-data-size",
}


@pytest.fixture(scope="module")
def findings(tmp_path_factory: pytest.TempPathFactory) -> list[dict[str, Any]]:
    # Outside of this repository, all of which would be looked through for what they may be judged by.
    scripts = shutil.copytree(GOLDEN, tmp_path_factory.mktemp("scripts") / GOLDEN.name)
    checked = run_json("check", str(scripts), "--fleet", str(FLEET), "--show-passed", "--strict")
    assert checked.code == 0, [each for each in checked.findings if each["verdict"] not in ("pass", "skip")]
    assert checked.report["evaluated"]["unrecognised"] == 0
    return checked.findings


@pytest.mark.parametrize("pool", POOLS)
def test_every_rule_passes(findings: list[dict[str, Any]], pool: str) -> None:
    of_pool = [each for each in findings if each["where"]["path"].endswith(f"/{pool}.txt")]
    assert {each["verdict"] for each in of_pool} <= {"pass", "skip"}
    assert {each["rule"] for each in of_pool if each["verdict"] == "pass"} >= JUDGED


@pytest.mark.parametrize("pool", ["al2023-h100", "al2023-t4", "al2-a100", "al2-h100", "ubuntu22-t4", "ubuntu24-h100"])
def test_profiling_is_proven(findings: list[dict[str, Any]], pool: str) -> None:
    told = [each for each in findings if each["where"]["path"].endswith(f"/{pool}.txt")]
    assert "profiling-before-driver" in {each["rule"] for each in told if each["verdict"] == "pass"}
