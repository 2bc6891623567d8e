"""Tries the rules of a folder on their cases, each run as a user would, and tells what came of it."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

from nodeworthy.own_rules.cases import EXIT, GOLDEN, PROMISED, Case, broken_promises, cases_in, golden_of
from nodeworthy.own_rules.load import OwnRules
from nodeworthy.records import dataclass

CASES = "cases"
TIMEOUT = 120.0


@dataclass(frozen=True)
class Tried:
    """A case, what it promised and did not keep, and why it could not be run."""

    case: Case
    problems: tuple[str, ...] = ()
    not_run: str | None = None

    @property
    def holds(self) -> bool:
        return not self.problems and self.not_run is None


@dataclass(frozen=True)
class RuleTried:
    id: str
    tried: Sequence[Tried] = ()
    missing: Sequence[str] = ()
    problems: Sequence[str] = ()
    # Why the rule can't be loaded; then nothing of it was tried.
    not_loaded: str | None = None


def trial(own: OwnRules, *, update: bool = False, timeout: float = TIMEOUT) -> list[RuleTried]:
    every = cases_in(own.folder / CASES)
    loaded = {each.id for each in own.rules}
    runnable = [each for each in every if each.rule in loaded]
    with ThreadPoolExecutor(max_workers=os.cpu_count() or 1) as pool:
        results = list(pool.map(lambda case: _tried(case, own.folder, update, timeout), runnable))
    return list(_by_rule(own, every, results))


def _by_rule(own: OwnRules, every: Sequence[Case], results: Sequence[Tried]) -> Iterator[RuleTried]:
    for broken in own.broken:
        yield RuleTried(broken.id, not_loaded=f"{broken.place}: {broken.why}")
    for rule in own.rules:
        tried = [each for each in results if each.case.rule == rule.id]
        kinds = {each.case.kind for each in tried}
        needed = [kind for kind in PROMISED if kind != "unknown" or not rule.never_unknown]
        known = (
            ["it says never_unknown=, and has a case unknown-…"] if rule.never_unknown and "unknown" in kinds else []
        )
        yield RuleTried(rule.id, tried, [kind for kind in needed if kind not in kinds], known)
    for name in dict.fromkeys(each.rule for each in every if each.rule not in own.ids):
        yield RuleTried(name, problems=[f"{CASES}/{name} is of no rule here"])


def _tried(case: Case, rules: Path, update: bool, timeout: float) -> Tried:
    try:
        code, report = _run(case, rules, timeout)
    except NotRun as why:
        return Tried(case, not_run=str(why))
    return Tried(case, (*broken_promises(case, code, report), *_golden(case, golden_of(code, report), update)))


class NotRun(Exception):
    """Why a case says nothing."""


def _run(case: Case, rules: Path, timeout: float) -> tuple[int, Any]:
    """The rule alone is judged by, and a warning of it counts: what else is wrong in a case is not its business."""
    ours = ["--rules", str(rules.resolve()), "--rule", case.rule, "--strict", "--no-cache"]
    command = [sys.executable, "-m", "nodeworthy", *case.command, *ours, "--format", "json", "--show-passed"]
    with tempfile.TemporaryDirectory() as temporary:
        alone = case.lay_out(Path(temporary) / case.name)
        try:
            ran = subprocess.run(command, cwd=alone, capture_output=True, timeout=timeout, check=False)
        except subprocess.TimeoutExpired:
            raise NotRun(f"it did not end within {timeout:g} s") from None
    try:
        report = json.loads(ran.stdout)
    except ValueError:
        report = None
    if report is None or ran.returncode not in EXIT.values():
        raise NotRun(ran.stderr.decode(errors="replace").strip() or f"it ended with {ran.returncode}")
    return ran.returncode, report


def _golden(case: Case, now: dict[str, Any], update: bool) -> Iterator[str]:
    """Compares everything that is told with the golden, for cases that keep one."""
    if update:
        case.golden.write_text(json.dumps(now, indent=2, ensure_ascii=False) + "\n", encoding="utf-8")
    elif case.golden.exists() and _read_golden(case.golden) != now:
        yield f"{GOLDEN} says something else than what is told now; --update writes it anew"


def _read_golden(golden: Path) -> Any:
    try:
        return json.loads(golden.read_text(encoding="utf-8"))
    except ValueError:
        return None


SCHEMA = "nodeworthy/rules-test/v1"


def exit_code(rules: Sequence[RuleTried]) -> int:
    """0 every promise is kept, 1 one is not or a kind of case is missing, 3 something could not be tried."""
    cases = [each for rule in rules for each in rule.tried]
    if any(rule.missing or rule.problems for rule in rules) or any(each.problems for each in cases):
        return 1
    untried = any(rule.not_loaded for rule in rules) or any(each.not_run for each in cases)
    return 3 if untried or not cases else 0


def tried_text(rules: Sequence[RuleTried]) -> str:
    return "\n".join([*(line for rule in rules for line in _lines(rule)), _closing(rules)]) + "\n"


def _lines(rule: RuleTried) -> Iterator[str]:
    yield rule.id
    if rule.not_loaded:
        yield f"  can't be loaded: {rule.not_loaded}"
    yield from (f"  {each}" for each in rule.problems)
    for each in rule.tried:
        yield f"  {_word(each):<7} {each.case.name}"
        yield from (f"          {problem}" for problem in (*each.problems, *filter(None, [each.not_run])))
    for kind in rule.missing:
        or_else = ", or never_unknown= in the rule, which says why" if kind == "unknown" else ""
        yield f"  missing a case {kind}-…{or_else}"


def _word(each: Tried) -> str:
    return "holds" if each.holds else "not run" if each.not_run else "broken"


def _closing(rules: Sequence[RuleTried]) -> str:
    counts = _counts(rules)
    told = ", ".join(f"{count} {word.replace('_', ' ')}" for word, count in counts.items())
    return told if counts["cases"] else f"{told}; nothing was tried, so nothing is proven"


def _counts(rules: Sequence[RuleTried]) -> dict[str, int]:
    cases = [each for rule in rules for each in rule.tried]
    return {
        "rules": len(rules),
        "cases": len(cases),
        "hold": sum(each.holds for each in cases),
        "broken": sum(bool(each.problems) for each in cases) + sum(len(rule.problems) for rule in rules),
        "missing": sum(len(rule.missing) for rule in rules),
        "not_tried": sum(each.not_run is not None for each in cases) + sum(bool(rule.not_loaded) for rule in rules),
    }


def tried_as_data(rules: Sequence[RuleTried]) -> dict[str, Any]:
    return {"schema": SCHEMA, "summary": _counts(rules), "rules": [_rule_as_data(each) for each in rules]}


def _rule_as_data(rule: RuleTried) -> dict[str, Any]:
    cases = [
        {"name": each.case.name, "holds": each.holds, "problems": list(each.problems), "not_run": each.not_run}
        for each in rule.tried
    ]
    return {
        "id": rule.id,
        "not_loaded": rule.not_loaded,
        "problems": list(rule.problems),
        "missing": list(rule.missing),
        "cases": cases,
    }
