"""`--selector`: the cluster's nodes by a label."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from tests.run import run, run_json

KUBECTL = """\
#!/bin/sh
echo "$*" | head -n 1 >>FOLDER/asked
case "$*" in
*get\\ nodes*pool=gpu*) printf 'node/gpu-2\\nnode/gpu-1\\n' ;;
*get\\ nodes*pool=none*) ;;
*get\\ nodes*) echo 'Unable to connect to the server: dial tcp: no such host' >&2; exit 1 ;;
*) echo 'Error from server (Forbidden): not here' >&2; exit 1 ;;
esac
"""


@pytest.fixture(autouse=True)
def asked(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    program = tmp_path / "kubectl"
    program.write_text(KUBECTL.replace("FOLDER", str(tmp_path)))
    program.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:{os.environ['PATH']}")
    return tmp_path / "asked"


def test_each_of_them_is_a_host(asked: Path) -> None:
    ran = run_json("node", "--selector", "pool=gpu", "--context", "staging", "--rule", "clock-right")
    assert {each["where"]["host"] for each in ran.findings} == {"node://gpu-1", "node://gpu-2"}
    assert "2 nodes have the label pool=gpu" in ran.err
    assert asked.read_text().splitlines()[0] == "--context=staging get nodes --selector=pool=gpu -o name"


def test_beside_those_that_are_named() -> None:
    ran = run_json("node", "node://gpu-3", "--selector", "pool=gpu", "--rule", "clock-right")
    assert ran.report["evaluated"]["hosts"] == 3


def test_none_proves_nothing_and_is_told() -> None:
    ran = run_json("node", "--selector", "pool=none")
    assert ran.code == 3
    assert ran.findings[0]["message"] == "0 nodes have the label pool=none"


def test_a_cluster_that_does_not_answer() -> None:
    ran = run("node", "--selector", "zone=a")
    assert ran.code == 3
    assert "Unable to connect to the server: dial tcp: no such host" in ran.err


@pytest.mark.parametrize("option", ["--selector", "--asg"])
@pytest.mark.parametrize("nothing", ["", " "])
def test_one_that_says_nothing_is_not_all_of_them(option: str, nothing: str) -> None:
    ran = run("node", option, nothing)
    assert ran.code == 2
    assert f"{option} says nothing" in ran.err


@pytest.mark.parametrize(
    "spec",
    ["ssh://[x", "ssh://h:99999", "ssh://h:0", "ssh://h:ssh", "node://a/b", "node://GPU", "nsenter://0"],
)
def test_a_host_that_can_not_be_is_no_spec(spec: str) -> None:
    ran = run("node", spec)
    assert ran.code == 2
    assert f"{spec!r} is no host spec" in ran.err


@pytest.mark.parametrize(
    "options",
    [["--wait", ""], ["--wait", "9" * 400], ["--deadline", "9" * 400], ["--max-workers", "9" * 5000]],
)
def test_a_number_that_is_none_is_refused(options: list[str]) -> None:
    ran = run("node", "local://", *options)
    assert ran.code == 2
    assert "is no " in ran.err
