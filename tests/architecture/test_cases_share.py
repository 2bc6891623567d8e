"""What cases share is written once (nodeworthy/own_rules/cases.py says how)."""

from __future__ import annotations

from collections import defaultdict
from pathlib import Path

from tests.case_files import CASES

# Some are the same by chance, as two scripts of one line are.
MOST = 100


def test_few_files_of_cases_are_copies_of_one_another() -> None:
    same: dict[bytes, list[Path]] = defaultdict(list)
    for path in sorted(path for path in CASES.rglob("*") if path.is_file()):
        same[path.read_bytes()].append(path.relative_to(CASES))
    copies = [[*map(str, paths)] for paths in same.values() if len(paths) > 1]
    told = "\n".join(f"{len(paths)} times: {', '.join(paths[:4])}" for paths in sorted(copies, key=len, reverse=True))
    how = "\ncases/<rule>/cases.toml names bases and commands; `make goldens` folds goldens of which nothing is told"
    assert sum(len(paths) - 1 for paths in copies) < MOST, told + how


def test_every_base_is_laid_under_a_case() -> None:
    tables = "".join(path.read_text(encoding="utf-8") for path in CASES.glob("*/cases.toml"))
    bases = [path.relative_to(CASES).as_posix() for path in (*CASES.glob("_*/*"), *CASES.glob("[!_]*/_*"))]
    assert [base for base in bases if f'"{base}"' not in tables] == []
