"""Numbers that no program takes, wherever one stands in what a node or a cluster answers: nothing crashes."""

from __future__ import annotations

import base64
import gzip
import json
import re
from pathlib import Path

import pytest

from nodeworthy.boot.unpack import unpack
from nodeworthy.collect.cluster.dump_text import text_of
from nodeworthy.collect.node.recording import load
from nodeworthy.limits import MOST_DIGITS, TOO_MANY_DIGITS, holds_long_number, without_long_numbers
from nodeworthy.verdict import Place
from tests.case_files import whole
from tests.run import run

LONG = "9" * (MOST_DIGITS + 700)
DUMP = whole("hami-components-healthy/bad-cluster-webhook-without-endpoints") / "dump"


def test_a_recording_holds_none(tmp_path: Path) -> None:
    said = json.loads((whole("kernel-log-clean/bad-node-out-of-memory") / "node.json").read_text())
    for part in said["parts"]:
        part["stdout"] = [re.sub(r"[0-9]+", LONG, line) for line in part["stdout"][:50]]
    (tmp_path / "node.json").write_text(json.dumps(said))
    assert not any(LONG in each.stdout for each in load(tmp_path / "node.json").parts)
    assert "rule-crashed" not in run("node", "replay:node.json", "--format", "json", cwd=tmp_path).out


@pytest.mark.parametrize("number", [LONG, "9" * 400, "1e400"])
def test_a_dump_in_which_quantities_have_no_end_is_judged(tmp_path: Path, number: str) -> None:
    (tmp_path / "dump").mkdir()
    for each in DUMP.rglob("*.json"):
        text = re.sub(r'(": )"[0-9]+"', rf'\1"{number}"', each.read_text())
        text = re.sub(r"(device-?memory-?scaling\W{1,3})[0-9.]+", rf"\g<1>{number}", text, flags=re.IGNORECASE)
        (tmp_path / "dump" / each.name).write_text(text)
    ran = run("diagnose", "--from", "dump", "--format", "json", cwd=tmp_path)
    assert (ran.code, ran.err) == (1, "")
    assert "rule-crashed" not in ran.out


def test_a_number_across_two_pieces_of_a_dump_is_one(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("nodeworthy.collect.cluster.dump_text.PIECE", 1_000)
    (tmp_path / "pods.json").write_text(f'{{"a": 12, "b": "{LONG}", "c": 3}}')
    assert "".join(text_of(tmp_path / "pods.json")) == f'{{"a": 12, "b": "({TOO_MANY_DIGITS})", "c": 3}}'


def test_what_is_packed_is_refused_with_why() -> None:
    packed = base64.b64encode(gzip.compress(f"#!/bin/bash\nset -e\nsleep {LONG}\n".encode()))
    read = unpack(packed, Place(path="user-data"))
    assert read.unread == f"it holds {TOO_MANY_DIGITS}, which no program takes"


@pytest.mark.parametrize("before", [0, 1, MOST_DIGITS - 1, MOST_DIGITS, MOST_DIGITS + 1, 3 * MOST_DIGITS])
@pytest.mark.parametrize("digits", [1, MOST_DIGITS, MOST_DIGITS + 1, 2 * MOST_DIGITS + 3])
def test_a_long_one_is_found_wherever_it_begins(before: int, digits: int) -> None:
    text = f"{'x' * before}{'7' * digits}, 42"
    kept = "7" * digits if digits <= MOST_DIGITS else f"({TOO_MANY_DIGITS})"
    assert without_long_numbers(text) == f"{'x' * before}{kept}, 42"
    assert holds_long_number(text.encode()) is (digits > MOST_DIGITS)
