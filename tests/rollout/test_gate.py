"""Only a clean exit lets a node through; what speaks against it is named by its rule."""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from nodeworthy.rollout import gate
from nodeworthy.rollout.gate import Commands, GateAnswer
from tests.run import run

PYTHON = sys.executable


@pytest.fixture
def nodeworthy(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    """What stands in for the command: it prints, ends with a code, and keeps what it was asked."""

    def says(out: str, code: int, told: str = "", seconds: float = 0.0) -> Path:
        program = tmp_path / "program"
        kept = tmp_path / "asked.json"
        program.write_text(
            f"#!{PYTHON}\n"
            "import json, sys, time\n"
            f"json.dump(sys.argv[1:], open({str(kept)!r}, 'w'))\n"
            f"time.sleep({seconds})\n"
            f"print({out!r})\nprint({told!r}, file=sys.stderr)\nsys.exit({code})\n"
        )
        program.chmod(0o755)
        monkeypatch.setattr(sys, "executable", str(program))
        return kept

    return says


def report(*found: tuple[str, str, str]) -> str:
    return json.dumps(
        {"findings": [{"verdict": verdict, "rule": rule, "message": told} for verdict, rule, told in found]}
    )


def asked(kept: Path) -> Sequence[str]:
    words: Sequence[str] = json.loads(kept.read_text())
    return words


FLEET = Commands("image:1", "torch:2", ("--context", "c"), ("--stack", "prod"))


def test_a_clean_exit_lets_it_through(nodeworthy: Any) -> None:
    kept = nodeworthy(report(), 0)
    assert FLEET.prove("n1", lambda: None) == GateAnswer()
    words = " ".join(asked(kept))
    assert words.startswith("-m nodeworthy node --in-cluster node://n1 --image image:1")
    assert "--context c --stack prod --yes" in words
    assert FLEET.accept("n1", "quick", lambda: None) == GateAnswer()
    words = " ".join(asked(kept))
    assert words.startswith("-m nodeworthy accept --on kubernetes n1 --level quick --image torch:2")
    assert "--allow-unknown" not in words


def test_the_worst_is_named_first(nodeworthy: Any) -> None:
    nodeworthy(report(("unknown", "clock-right", "no clock"), ("fail", "one-driver", "two drivers")), 1)
    found = FLEET.prove("n1", lambda: None)
    assert found.rule == "one-driver"
    assert found.why == "n1 fails one-driver of the node suite: two drivers (and 1 more)"
    assert not found.outcome.is_done


@pytest.mark.parametrize(("code", "told"), [(3, "nothing was evaluated"), (2, "no image"), (-9, "")])
def test_what_was_not_looked_at_is_no_pass(nodeworthy: Any, code: int, told: str) -> None:
    nodeworthy("no JSON", abs(code), told)
    found = FLEET.accept("n1", "full", lambda: None)
    assert found.rule == "looked-at"
    assert f"n1 was not looked at by accept (full): {told or 'it ended with 9'}" in found.why
    assert not found.outcome.is_done
    assert found.outcome.later is (code == 3)


def test_what_is_not_known_is_no_pass(nodeworthy: Any) -> None:
    nodeworthy(report(("unknown", "gpu-fast-enough", "no floor")), 3)
    assert FLEET.accept("n1", "quick", lambda: None).why == (
        "n1 is not known to pass gpu-fast-enough of accept (quick): no floor"
    )


def test_the_lease_is_renewed_while_it_works(nodeworthy: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(gate, "_BEAT_SECONDS", 0.05)
    nodeworthy(report(), 0, seconds=1.0)
    beats: list[int] = []
    FLEET.prove("n1", lambda: beats.append(1))
    assert len(beats) > 2


def test_whether_acceptance_could_be_asked_is_known_before(nodeworthy: Any) -> None:
    nodeworthy("", 2, "nodeworthy accept: nothing says in which image torch is")
    assert "nothing says in which image torch is" in FLEET.why_no_acceptance("n1", "quick")
    nodeworthy("", 0)
    assert FLEET.why_no_acceptance("n1", "quick") == ""


@pytest.mark.parametrize("who", ["the node suite", "accept"])
def test_the_commands_take_the_words(
    who: str, nodeworthy: Any, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """Without a cluster they come as far as looking for one: a word that they do not know ends with 2."""
    kept = nodeworthy(report(), 0)
    fleet = Commands("image:1", "torch:2", allows_unknown=True)
    if who == "accept":
        fleet.accept("n1", "quick", lambda: None)
    else:
        fleet.prove("n1", lambda: None)
    monkeypatch.setenv("KUBECONFIG", str(tmp_path / "nowhere"))
    ran = run(*asked(kept)[2:])
    assert ran.code == 3, ran.err
    assert "no kubeconfig was found" in ran.err
