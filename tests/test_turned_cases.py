"""Cases with one thing written otherwise, and all that their rule then tells: every branch of a judgement beside the ones
that whole cases show, for the price of a line.

    tests/turned/<rule>.json    of each: the case, the file in it, what is `written` there, what stands there `instead`, and
                                what is `told`, a line a finding

`make goldens` writes what is told anew; it is read like code.
"""

from __future__ import annotations

import json
import random
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from _pytest.mark import ParameterSet

from nodeworthy.own_rules.cases import case_at
from tests.case_files import CASES
from tests.goldens import alone
from tests.run import run

TURNED = Path(__file__).with_name("turned")
IS_WELL = ("pass", "skip")
PARTS = ("is", "should", "cause", "remedy", "on")


def entries() -> list[tuple[Path, int]]:
    return [(file, at) for file in sorted(TURNED.glob("*.json")) for at in range(len(_read(file)))]


def _read(file: Path) -> list[dict[str, Any]]:
    read: list[dict[str, Any]] = json.loads(file.read_text(encoding="utf-8"))
    return read


def _parameters() -> Iterator[ParameterSet]:
    """A twelfth of them at once, drawn by a seed; of the others a quarter a day (tests/by_day.py)."""
    every = entries()
    now = {*random.Random(20261123).sample(range(len(every)), len(every) // 12)}
    for number, (file, at) in enumerate(every):
        yield pytest.param(file, at, id=f"{file.stem}/{at}", marks=() if number in now else pytest.mark.long)


@pytest.mark.parametrize(("file", "at"), [*_parameters()])
def test_what_is_told_of_a_turned_case(file: Path, at: int, pytestconfig: pytest.Config, tmp_path: Path) -> None:
    turned = _read(file)[at]
    now = told(f"{file.stem}/{turned['case']}", turned["file"], turned["written"], turned["instead"], tmp_path)
    if pytestconfig.getoption("update_goldens"):
        write(file, at, now)
    assert _read(file)[at]["told"] == now


def told(name: str, file: str, written: str, instead: str, folder: Path) -> list[str]:
    case = case_at(CASES / name)
    laid_out = case.lay_out(folder / "case")
    text = (laid_out / file).read_text(encoding="utf-8")
    assert written in text, f"{name} has no {written!r} any more"
    (laid_out / file).write_text(text.replace(written, instead), encoding="utf-8")
    ran = run(*case.command, "--format", "json", cwd=laid_out)
    return [_line(each) for each in ran.told_by(case.rule) if each["verdict"] not in IS_WELL]


def _line(finding: dict[str, Any]) -> str:
    related = [f"see {_spot(each)}: {each['says']}" for each in finding.get("related", ())]
    parts = [f"{each}: {finding[each]}" for each in PARTS if finding.get(each)]
    said = f"{_spot(finding['where'])}: {finding['severity']} {finding['verdict']}: {finding['message']}"
    return " | ".join([said, *parts, *related])


def _spot(place: dict[str, Any]) -> str:
    spot = ":".join(str(place[each]) for each in ("line", "column") if place.get(each))
    return spot or str(place.get("object") or place.get("path"))


def write(file: Path, at: int, now: list[str]) -> None:
    with alone(file.parent):
        every = _read(file)
        every[at]["told"] = now
        file.write_text(json.dumps(every, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
