"""A baseline as a file for git: TOML, sorted, a table for each measurement."""

from __future__ import annotations

import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Any

from nodeworthy.errors import InputError
from nodeworthy.facts.accept.baseline import Baseline, Key, Learnt
from nodeworthy.verdict import Place

SCHEMA = "nodeworthy/accept-baseline/v1"
_HEAD = """\
# What this fleet measured of itself when it was well. `nodeworthy accept --save-baseline` writes it; whoever is slower
# than this, by 7 % and more than its own spread, fails.
"""
_OF_KEY = ("gpu", "instance", "test", "series")
_TEXTS, _NUMBERS, _COUNTS = ("driver", "torch", "date", "unit", "image"), ("median", "mad"), ("samples", "nodes")


def read(path: str) -> Baseline:
    """Raises InputError."""
    try:
        data = tomllib.loads(Path(path).read_text(encoding="utf-8"))
    except OSError as problem:
        raise InputError(f"--baseline {path} can't be read: {problem.strerror}") from None
    except (ValueError, RecursionError) as problem:
        raise InputError(f"--baseline {path} is no TOML: {problem}") from None
    if data.get("schema") != SCHEMA:
        raise InputError(f"--baseline {path} is no baseline of measurements: its schema is not {SCHEMA}")
    rows = data.get("measure", [])
    if not isinstance(rows, list):
        raise InputError(f"--baseline {path}: measure is no list of tables")
    return Baseline(Place(path=path), dict(_row(path, number, row) for number, row in enumerate(rows, start=1)))


def _row(path: str, number: int, row: Any) -> tuple[Key, Learnt]:
    try:
        key = Key(*(_text(row, name) for name in _OF_KEY))
        numbers = {name: _number(row, name) for name in _NUMBERS}
        counts = {name: int(_number(row, name)) for name in _COUNTS}
        return key, Learnt(**{name: _text(row, name) for name in _TEXTS}, **numbers, **counts)  # type: ignore[arg-type]
    except (KeyError, TypeError) as problem:
        raise InputError(
            f"--baseline {path}: measurement {number} is malformed: {problem} is missing or wrong"
        ) from None


def _text(row: Mapping[str, Any], name: str) -> str:
    if not isinstance(row[name], str):
        raise TypeError(name)
    return str(row[name])


def _number(row: Mapping[str, Any], name: str) -> float:
    value = row[name]
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value < 1e18:
        raise TypeError(name)
    return float(value)


def as_text(rows: Mapping[Key, Learnt]) -> str:
    return _HEAD + f'schema = "{SCHEMA}"\n' + "".join(_table(key, row) for key, row in sorted(rows.items(), key=_order))


def _order(item: tuple[Key, Learnt]) -> tuple[str, ...]:
    key, _ = item
    return key.gpu, key.instance, key.test, key.series


def _table(key: Key, row: Learnt) -> str:
    return "\n[[measure]]\n" + "".join(f"{line}\n" for line in _lines({**asdict(key), **asdict(row)}))


def _lines(values: Mapping[str, Any]) -> Iterator[str]:
    for name, value in values.items():
        if isinstance(value, str):
            said = value.replace("\\", "\\\\").replace('"', '\\"')
            yield f'{name} = "{said}"'
        else:
            yield f"{name} = {value if isinstance(value, int) else f'{value:.6g}'}"
