"""What starts nodes says in its log why it could start none: the newest word counts, and only what is known."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from tests.case_files import whole
from tests.run import run

CASE = whole("pending-explained/bad-cluster-log-of-what-starts-nodes")
OWNER = "karpenter-6d5c9f7d4b-mzq8w"
REFUSED = (
    "ERROR failed launching nodeclaim, with fleet error(s), VcpuLimitExceeded: You have requested more vCPU capacity"
)


def cause_of(log: str, tmp_path: Path, pod: str = OWNER) -> str:
    shutil.copytree(CASE / "dump", tmp_path / "dump")
    shutil.rmtree(tmp_path / "dump/logs")
    path = tmp_path / f"dump/logs/karpenter/{pod}/controller.log"
    path.parent.mkdir(parents=True)
    path.write_text(f"{log}\n", encoding="utf-8")
    found = run("diagnose", "--from", "dump", "--format", "json", cwd=tmp_path).report["findings"]
    return next(str(each["cause"]) for each in found if each["rule"] == "pending-explained")


def test_a_refusal_is_told(tmp_path: Path) -> None:
    assert "the account's quota" in cause_of(REFUSED, tmp_path)


@pytest.mark.parametrize(
    ("log", "pod"),
    [
        # A node was started since.
        (f"{REFUSED}\nINFO launched nodeclaim cpu-2xw9k", OWNER),
        # It says nothing that is known.
        ("ERROR the moon is in the wrong house", OWNER),
        # Somebody else says it.
        (REFUSED, "exporter-0"),
    ],
)
def test_nothing_else_is(log: str, pod: str, tmp_path: Path) -> None:
    assert "in its log" not in cause_of(log, tmp_path, pod)
