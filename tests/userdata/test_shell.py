"""The shell is right before it runs: by bash itself and by shellcheck."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from tests.real.tools import Tools
from tests.userdata.families import POOLS, shells_of

BODIES = sorted((Path(__file__).parents[2] / "userdata" / "bodies").rglob("*.sh"))
LONGEST = 30


def judged(tools: Tools, shell: str) -> str:
    command = [str(tools.path("shellcheck")), "--shell=bash", "--severity=style", "--format=gcc", "-"]
    return subprocess.run(command, input=shell, capture_output=True, text=True, check=False).stdout


@pytest.mark.parametrize("body", BODIES, ids=lambda body: str(body.relative_to(BODIES[0].parents[1])))
def test_a_body_is_plain(tools: Tools, body: Path) -> None:
    text = body.read_text(encoding="utf-8")
    assert judged(tools, text) == ""
    assert len(text.splitlines()) <= LONGEST


@pytest.mark.parametrize("pool", POOLS)
def test_what_is_made_of_them_is_too(tools: Tools, pool: str) -> None:
    for shell in shells_of(pool):
        assert judged(tools, shell) == ""


@pytest.mark.parametrize("pool", POOLS)
def test_bash_can_read_it(pool: str) -> None:
    for shell in shells_of(pool):
        assert subprocess.run(["bash", "-n"], input=shell, text=True, capture_output=True, check=True).stderr == ""


def test_every_body_is_used() -> None:
    written = "".join(shell for pool in POOLS for shell in shells_of(pool))
    for body in BODIES:
        assert body.read_text(encoding="utf-8") in written, body.name
