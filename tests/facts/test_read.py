"""Texts as people write them, and all that is read of each: every branch of a reader for the price of a line.

    tests/facts/as_read/<reader>.json    of each: what is `given` to the reader of this name in tests/facts/readers, and what is
                                      `read`, a line a fact; `otherwise` has what is `read` where something that is
                                      `written` there stands there `instead`

`make goldens` writes what is read anew; it is read like code. A text that is refused says why.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from _pytest.mark import ParameterSet

from nodeworthy.errors import InputError
from nodeworthy.verdict import DoesNotApply, NotKnown
from tests.facts.readers import OF_FILES, READERS
from tests.goldens import alone

TABLES = Path(__file__).with_name("as_read")
# Of the tables that lay out files a sixth at once; all of them by `make test-long`.
PARTS = 6


def test_every_table_has_its_reader() -> None:
    assert {each.stem for each in TABLES.glob("*.json")} == set(READERS)


def _parameters() -> Iterator[ParameterSet]:
    for name in READERS:
        parts = PARTS if name in OF_FILES else 1
        for part in range(parts):
            named = f"{name}-{part}" if parts > 1 else name
            yield pytest.param(name, part, parts, id=named, marks=pytest.mark.long if part else ())


@pytest.mark.parametrize(("name", "part", "parts"), [*_parameters()])
def test_what_is_read(name: str, part: int, parts: int, pytestconfig: pytest.Config) -> None:
    table = _table(name)
    now = [_as_read(name, each) for each in table[part::parts]]
    if pytestconfig.getoption("update_goldens"):
        with alone(TABLES):
            table = _table(name)
            table[part::parts] = now
            (TABLES / f"{name}.json").write_text(
                json.dumps(table, indent=1, ensure_ascii=False) + "\n", encoding="utf-8"
            )
    assert now == table[part::parts]


def _table(name: str) -> list[dict[str, Any]]:
    read: list[dict[str, Any]] = json.loads((TABLES / f"{name}.json").read_text(encoding="utf-8"))
    return read


def _as_read(name: str, row: dict[str, Any]) -> dict[str, Any]:
    now = {"given": row["given"], "read": _read(name, row["given"])}
    turned = [{**each, "read": _read(name, _turned(row["given"], each))} for each in row.get("otherwise", ())]
    return {**now, "otherwise": turned} if turned else now


def _turned(given: str, turn: dict[str, Any]) -> str:
    assert turn["written"] in given, f"no {turn['written']!r} stands there any more"
    return given.replace(turn["written"], turn["instead"])


def _read(name: str, given: str) -> list[str]:
    try:
        return list(READERS[name](given))
    except (ValueError, InputError, NotKnown, DoesNotApply) as why:
        return [f"{type(why).__name__}: {why}"]
