"""What came of trying rules on their cases, for people and for programs."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from nodeworthy.own_rules.trial import RuleTried, Tried

SCHEMA = "nodeworthy/rules-test/v1"


def exit_code(rules: Sequence[RuleTried]) -> int:
    """0 every promise is kept, 1 one is not or a kind of case is missing, 3 something could not be tried."""
    cases = [each for rule in rules for each in rule.tried]
    if any(rule.missing or rule.problems for rule in rules) or any(each.problems for each in cases):
        return 1
    untried = any(rule.not_loaded for rule in rules) or any(each.not_run for each in cases)
    return 3 if untried or not cases else 0


def text(rules: Sequence[RuleTried]) -> str:
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


def as_data(rules: Sequence[RuleTried]) -> dict[str, Any]:
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
