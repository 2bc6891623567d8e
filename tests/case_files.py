"""The cases of tests/cases for tests that read them beside test_cases.py: whole, whatever they share with others.

What a case's folder holds is not all of it (nodeworthy/own_rules/cases.py); nobody but that module knows why.
"""

from __future__ import annotations

import atexit
import os
import shlex
import shutil
import sys
import tempfile
from functools import cache
from pathlib import Path

from nodeworthy.own_rules.cases import Case, case_at, cases_in

CASES = Path(__file__).parent / "cases"


@cache
def every_case() -> list[Case]:
    return cases_in(CASES)


def cases_of(rule: str, kind: str = "") -> list[Case]:
    """Those of a rule whose names begin so."""
    return [each for each in every_case() if each.rule == rule and each.name.startswith(kind)]


@cache
def whole(case: str) -> Path:
    """The case `rule/name` in a folder of its own, which is there to be read: who writes, copies it."""
    return case_at(CASES / case).lay_out(_room() / case)


def command(case: str) -> list[str]:
    return case_at(CASES / case).command


@cache
def _room() -> Path:
    room, ours = tempfile.mkdtemp(prefix="nodeworthy-cases-"), os.getpid()
    # A child that was forked ends before its parent has read all.
    atexit.register(lambda: shutil.rmtree(room, ignore_errors=True) if os.getpid() == ours else None)
    return Path(room)


def _laid_out(case: str, into: Path) -> str:
    shutil.rmtree(into, ignore_errors=True)
    found = case_at(CASES / case)
    return f"cd {shlex.quote(str(found.lay_out(into)))} && nodeworthy {found.typed}"


if __name__ == "__main__":
    print(_laid_out(sys.argv[1], Path(sys.argv[2])))
