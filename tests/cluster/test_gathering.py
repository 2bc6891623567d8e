"""`diagnose --print-collect` prints a command that makes what `diagnose --from` reads, run here by the shell."""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path

import pytest

from nodeworthy.collect.cluster.kinds import ASKED_FOR
from tests.cluster.dumps import FLEET, dumped, the_incident
from tests.run import run, run_json

# Answers as kubectl does from the files of a dump, and refuses whatever is not there.
KUBECTL = """#!/bin/bash
echo "$*" >> asked
test "$1" = get || exit 9
name="${2%%.*}"
test -e "dump/$name.json" && exec cat "dump/$name.json"
echo "error: the server doesn't have a resource type \\"$2\\"" >&2
exit 1
"""


@pytest.fixture(autouse=True)
def _here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def test_what_it_makes_is_diagnosed() -> None:
    answers = {path.stem.split(".")[0]: json.loads(path.read_text()) for path in dumped().rglob("*.json")}
    for name, answer in answers.items():
        (Path("dump") / f"{name}.json").write_text(json.dumps(answer))
    folder = Path("bin")
    folder.mkdir()
    (folder / "kubectl").write_text(KUBECTL)
    (folder / "kubectl").chmod(0o755)
    printed = run("diagnose", "--print-collect")
    assert (printed.code, printed.err) == (0, "")
    path = f"{folder.resolve()}:{os.environ['PATH']}"
    subprocess.run(["sh", "-c", printed.out], env={"PATH": path}, check=False, capture_output=True)
    asked = [line.split()[1] for line in Path("asked").read_text().splitlines()]
    assert sorted(asked) == sorted(each.full_name for each in ASKED_FOR)
    assert all(each.stat().st_size for each in Path("nodeworthy-dump").iterdir())
    the_incident(run_json("diagnose", "--from", "nodeworthy-dump", *FLEET))


def test_of_one_namespace_and_another_context() -> None:
    printed = run("diagnose", "--print-collect", "--namespace", "team a", "--context", "prod").out
    assert "kubectl --context prod get" in printed
    assert "-n 'team a'" in printed
    assert " nodes " not in printed
