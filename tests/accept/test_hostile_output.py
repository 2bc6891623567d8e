"""What a program printed is believed only where it is whole, ours and possible; all else is an error and passes nothing."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.accept.recordings import NONCE, between_marks, end, gpu, job, line, write
from tests.run import run_json

TEST = "checkpoint-restart"
GOOD = [
    line(TEST, "stopped_at", 37),
    line(TEST, "resumed_from", 37),
    line(TEST, "loss_final", 1.84, at={"how": "whole"}),
    line(TEST, "loss_final", 1.84, at={"how": "resumed"}),
    end(TEST),
]
FORGED = "0000000000000000"


def judged(folder: Path, log: str, **plan: str) -> tuple[int, list[tuple[str, str]], list[str]]:
    ran = run_json("accept", "--from", str(write(folder, [job(TEST, **plan)], {"gpu-1.log": log})), cwd=folder)
    found = [(each["rule"], each["verdict"]) for each in ran.findings]
    return ran.code, found, [each["state"] for each in ran.report["runs"]]


def test_a_good_one_passes(tmp_path: Path) -> None:
    assert judged(tmp_path, f"chatter\n{between_marks(GOOD)}chatter") == (0, [], ["pass"])


@pytest.mark.parametrize(
    "log",
    [
        "",
        "\n".join(GOOD),
        between_marks(GOOD).partition("==== nodeworthy 5f0c9a7e41d28b63 ends")[0],
        between_marks(GOOD) + between_marks(GOOD),
        between_marks(GOOD, nonce=FORGED),
        between_marks([each.replace(NONCE, FORGED) for each in GOOD]),
        between_marks([*GOOD[:1], GOOD[1].replace(NONCE, FORGED), *GOOD[2:]]),
        between_marks(["x" * (1 << 20), *GOOD]),
        between_marks([*GOOD, '{"v": 1, "nonce"']),
        between_marks([*GOOD, "{" * 5000]),
        between_marks([line(TEST, "loss_final", float("nan")), *GOOD]),
        between_marks([line(TEST, "loss_final", float("inf")), *GOOD]),
        between_marks([line(TEST, "save_s", -1.0), *GOOD]),
        between_marks([line(TEST, "save_s", True), *GOOD]),
        between_marks([line(TEST, "save_s", 10**400), *GOOD]),
        between_marks([line(TEST, "save_s", None), *GOOD]),
        between_marks([line(TEST, "gemm_tflops", 1286.0, "TFLOPS", gpu=gpu(1), at={"dtype": "bf16"}), *GOOD]),
        between_marks([line("no-such-test", "x", 1), *GOOD]),
        between_marks([line(TEST, "x", 1, host="gpu-2"), *GOOD]),
        between_marks([line(TEST, "x", 1, rank=1), *GOOD]),
        between_marks([line(TEST, "x", "\x1b[2J"), *GOOD]),
        between_marks([line(TEST, "x", 1).replace('"v": 1', '"v": 2'), *GOOD]),
        between_marks(GOOD[:-1]),
        between_marks([*GOOD[:-1], end(TEST).replace("true}", '"maybe"}')]),
        between_marks([*GOOD[:-1], end(TEST, error={"kind": "cuda", "text": "CUDA error: an illegal memory access"})]),
    ],
    ids=lambda log: f"{len(log)} bytes",
)
def test_what_is_not_ours_is_an_error(log: str, tmp_path: Path) -> None:
    assert judged(tmp_path, log) == (3, [("looked-at", "error")], ["error"])


def test_what_just_can_be_is_believed(tmp_path: Path) -> None:
    """1.3 times the limit of 989 is 1285.7."""
    possible = line(TEST, "gemm_tflops", 1285.6, "TFLOPS", gpu=gpu(1), at={"dtype": "bf16"})
    assert judged(tmp_path, between_marks([possible, *GOOD])) == (0, [], ["pass"])


def test_a_secret_in_an_error_is_told_to_nobody(tmp_path: Path) -> None:
    token = "ghp_" + "a1B2" * 9
    log = between_marks([*GOOD[:-1], end(TEST, error={"kind": "cuda", "text": f"GITHUB_TOKEN={token}"})])
    ran = run_json(
        "accept", "--from", str(write(tmp_path, [job(TEST)], {"gpu-1.log": log})), "--show-passed", cwd=tmp_path
    )
    assert (ran.code, token in ran.out + ran.err) == (3, False)


@pytest.mark.parametrize(
    ("state", "verdict", "shown", "code"),
    [
        ("preempted", "unknown", "not run", 3),
        ("in-use", "unknown", "not run", 3),
        ("window", "unknown", "not run", 3),
        ("opted-out", "unknown", "not run", 3),
        ("quota", "unknown", "not run", 3),
        ("deadline", "unknown", "not run", 3),
        ("not-heard", "unknown", "not run", 3),
        ("no-right", "error", "error", 3),
        ("image", "error", "error", 3),
        ("no-torch", "error", "error", 3),
        ("no-partition", "error", "error", 3),
        ("dns", "error", "error", 3),
        ("node-gone", "error", "error", 3),
    ],
)
def test_who_was_stopped_is_told_by_why(state: str, verdict: str, shown: str, code: int, tmp_path: Path) -> None:
    """Even where it had printed half of what passes."""
    cut = between_marks(GOOD).partition("==== nodeworthy 5f0c9a7e41d28b63 ends")[0]
    assert judged(tmp_path, cut, state=state, why="so") == (code, [("looked-at", verdict)], [shown])


@pytest.mark.parametrize("reason", ["one-node", "no-hardware", "skipped", "level", "after-failure", "no-image"])
def test_what_was_left_out_alone_is_no_pass(reason: str, tmp_path: Path) -> None:
    left = [{"test": "multi-node", "nodes": ["gpu-1"], "reason": reason, "why": "needs 2 nodes, 1 is there"}]
    ran = run_json("accept", "--from", str(write(tmp_path, [], {}, not_run=left)), cwd=tmp_path)
    assert (ran.code, ran.findings, [each["state"] for each in ran.report["runs"]]) == (3, [], ["not run"])


def test_what_was_left_out_beside_a_pass_does_not_hinder_it(tmp_path: Path) -> None:
    left = [{"test": "multi-node", "nodes": ["gpu-1"], "reason": "one-node", "why": "needs 2 nodes, 1 is there"}]
    folder = write(tmp_path, [job(TEST)], {"gpu-1.log": between_marks(GOOD)}, not_run=left)
    ran = run_json("accept", "--from", str(folder), cwd=tmp_path)
    assert (ran.code, [each["state"] for each in ran.report["runs"]]) == (0, ["not run", "pass"])


def test_a_test_of_several_nodes_does_not_pass_on_one(tmp_path: Path) -> None:
    said = [line("multi-node", "sum_right", 1, at={"op": "all_reduce"}), end("multi-node")]
    ran = run_json(
        "accept", "--from", str(write(tmp_path, [job("multi-node")], {"gpu-1.log": between_marks(said)})), cwd=tmp_path
    )
    assert (ran.code, [each["state"] for each in ran.report["runs"]]) == (3, ["not run"])


def test_an_empty_run_passes_nothing(tmp_path: Path) -> None:
    assert run_json("accept", "--from", str(write(tmp_path, [], {})), cwd=tmp_path).code == 3
