"""Every rule is seen failing, passing and not knowing, on files as people keep them.

A case is a folder `cases/<rule-id>/{bad,good,unknown}-<name>/`: what is looked at, an optional `cmd` (`check .` where
there is none), and `expected.json`, which `make goldens` writes. What the folder's name promises is asserted
whatever the golden says, so that an update can't turn a bad case into a good one.
"""

from __future__ import annotations

import json
import shlex
import shutil
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.run import run
from tests.warm import warm_python

CASES = Path(__file__).parent / "cases"
FOLDERS = sorted(path for path in CASES.glob("*/*") if path.is_dir())
_GROWING = ("subjects", "rules", "verdicts", "unrecognised")
EXIT = {"bad": 1, "good": 0, "unknown": 3}


def test_there_are_cases() -> None:
    assert len(FOLDERS) > 20


@pytest.fixture(scope="session")
def warm(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    with warm_python(tmp_path_factory.mktemp("warm")) as python:
        yield python


@pytest.fixture(autouse=True)
def programs_start_warm(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = request.node.callspec.params.get("folder") if hasattr(request.node, "callspec") else None
    if folder is not None and (folder / "Pulumi.yaml").exists() and sys.platform == "linux":
        python = request.getfixturevalue("warm")
        monkeypatch.setattr("nodeworthy.collect.plan.project._python", lambda root, virtualenv: python)


@pytest.mark.parametrize("folder", FOLDERS, ids=lambda path: f"{path.parent.name}/{path.name}")
def test_case(folder: Path, pytestconfig: pytest.Config, tmp_path: Path) -> None:
    kind = folder.name.split("-")[0]
    rule = folder.parent.name
    written = folder / "cmd"
    command = shlex.split(written.read_text(encoding="utf-8")) if written.exists() else ["check", "."]
    # Outside of this repository, whose own fleet would else be the one to judge by.
    alone = shutil.copytree(folder, tmp_path / folder.name)
    ran = run(*command, "--format", "json", "--show-passed", cwd=alone)
    assert ran.out, ran.err
    _promised(rule, kind, ran.code, ran.report)
    _as_before(folder / "expected.json", ran.code, ran.report, update=pytestconfig.getoption("update_goldens"))


def _promised(rule: str, kind: str, code: int, report: dict[str, Any]) -> None:
    own = {found["verdict"] for found in report["findings"] if found["rule"] == rule and not found["suppressed"]}
    assert code == EXIT[kind], report["findings"]
    if kind == "good":
        assert own == {"pass"}, report["findings"]
    else:
        assert {"bad": "fail", "unknown": "unknown"}[kind] in own
        assert "unknown" not in own or kind == "unknown" or "fail" in own


def _as_before(golden: Path, code: int, report: dict[str, Any], *, update: bool) -> None:
    told = [found for found in report["findings"] if found["verdict"] not in ("pass", "skip")]
    # What passes and what is skipped grows with every rule of the catalogue, which is no business of this case. The
    # golden itself lies in the folder, and is no kind of file that we know.
    looked_at = {name: count for name, count in report["evaluated"].items() if name not in _GROWING}
    summary = {name: count for name, count in report["summary"].items() if name not in ("pass", "skip")}
    now = {"exit": code, "looked_at": looked_at, "summary": summary, "findings": told}
    if update:
        golden.write_text(json.dumps(now, indent=2, ensure_ascii=False) + "\n", encoding="utf-8")
    assert json.loads(golden.read_text(encoding="utf-8")) == now
