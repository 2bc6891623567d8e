"""What `accept --on slurm --dry-run` prints, run by a real Slurm: it is taken, it measures, and it leaves nothing."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from nodeworthy.collect.workload.lines import begin_mark
from nodeworthy.patterns import pattern
from tests.run import run, run_json

from .slurm_cluster import SlurmCluster
from .tools import Tools


@pytest.fixture(scope="module")
def slurm(tools: Tools) -> Iterator[SlurmCluster]:
    with SlurmCluster.of(tools) as cluster:
        yield cluster


def test_it_is_taken_measures_and_leaves_nothing(slurm: SlurmCluster, tmp_path: Path) -> None:
    scratch = tmp_path / "scratch"
    scratch.mkdir()
    where = ("--python", sys.executable, "--scratch", str(scratch), "--partition", "gpu")
    asked = ("--gpus", "a100:2", "--level", "quick", "--test", "disk-and-network")
    ran = run("accept", "--on", "slurm", *asked, *where, "--dry-run", "--record", str(tmp_path / "run"), cwd=tmp_path)
    assert ran.code == 0, ran.err
    number = slurm.submit(tmp_path / "run" / "node-any.sbatch", "--mem=1000", "--export=ALL,NODEWORTHY_MIB=8")
    said = slurm.ended(number)
    nonce = (pattern(r"NODEWORTHY_NONCE=(\w+)").search(ran.out) or [""])[1]
    assert begin_mark(nonce) in said, said
    node = slurm.job(number)["NodeList"]
    job = {"name": "j", "nodes": [node], "tests": ["disk-and-network"], "state": "ran", "logs": ["j.log"], "gpus": 2}
    head = {"schema": "nodeworthy/accept/v1", "moment": "workload", "nonce": nonce, "level": "quick", "on": "slurm"}
    plan = {**head, "nodes": [{"name": node, "gpu": "A100", "count": 2}], "jobs": [job], "not_run": []}
    (tmp_path / "run" / "run.json").write_text(json.dumps(plan))
    (tmp_path / "run" / "j.log").write_text(said)
    report = run_json("accept", "--from", str(tmp_path / "run"), cwd=tmp_path).report
    assert [each["rule"] for each in report["findings"]] == ["storage-fast-enough"]
    assert {each["name"] for each in report["runs"][0]["measures"]} == {"write_gbps", "read_gbps"}
    assert list(scratch.iterdir()) == []
