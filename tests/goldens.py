"""What our cases told when somebody last read it: `expected.json` in the case, or a line in its rule's `quiet.json`.

Where nothing was found, a golden says no more than what was looked at, and hundreds would be one file many times.
"""

from __future__ import annotations

import fcntl
import json
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from nodeworthy.own_rules.cases import Case, cases_of

NOTHING = {"fail": 0, "unknown": 0, "error": 0, "warnings": 0, "suppressed": 0}


def golden(case: Case) -> Any:
    looked_at = _quiet(case.folder.parent).get(case.name)
    if case.golden.exists():
        assert looked_at is None, f"{case.id} has two goldens: make goldens RULE={case.rule}"
        return json.loads(case.golden.read_text(encoding="utf-8"))
    assert looked_at is not None, f"{case.id} has no golden: make goldens RULE={case.rule}"
    return _of_nothing(looked_at)


def write(case: Case, now: dict[str, Any]) -> None:
    """Where it belongs, and nowhere else."""
    rule, tells = case.folder.parent, now != _of_nothing(now["looked_at"])
    if tells:
        case.folder.mkdir(exist_ok=True)
        case.golden.write_text(_text(now), encoding="utf-8")
    else:
        case.golden.unlink(missing_ok=True)
    with alone(rule):
        quiet, names = _quiet(rule), {each.name for each in cases_of(rule)}
        known = {name: value for name, value in quiet.items() if name != case.name and name in names}
        lines = known if tells else {**known, case.name: now["looked_at"]}
        if lines != quiet:
            _file(rule).write_text(_lines(lines), encoding="utf-8")
        if not lines:
            _file(rule).unlink(missing_ok=True)


def _of_nothing(looked_at: Any) -> dict[str, Any]:
    return {"exit": 0, "looked_at": looked_at, "summary": NOTHING, "findings": []}


def _file(rule: Path) -> Path:
    return rule / "quiet.json"


def _quiet(rule: Path) -> dict[str, Any]:
    file = _file(rule)
    found: dict[str, Any] = json.loads(file.read_text(encoding="utf-8")) if file.exists() else {}
    return found


def _text(told: Any) -> str:
    return json.dumps(told, indent=2, ensure_ascii=False) + "\n"


def _lines(quiet: dict[str, Any]) -> str:
    """A line a case."""
    lines = [f"  {json.dumps(name)}: {json.dumps(looked_at)}" for name, looked_at in sorted(quiet.items())]
    return "{\n" + ",\n".join(lines) + "\n}\n"


@contextmanager
def alone(rule: Path) -> Iterator[None]:
    """What is told of one rule is written by two at a time."""
    folder = os.open(rule, os.O_RDONLY)
    try:
        fcntl.flock(folder, fcntl.LOCK_EX)
        yield
    finally:
        os.close(folder)
