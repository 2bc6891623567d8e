"""Lays what the simulated run could decide over what the plain one could not."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Any

from nodeworthy.engine import Judgement
from nodeworthy.verdict import Finding, Verdict, worst

Key = tuple[Any, ...]


def merge_runs(plain: Sequence[Judgement], simulated: Sequence[Judgement]) -> list[Judgement]:
    """Every pair of rule and subject once. A verdict that needed the second run says so; a failure that the
    plain run saw stays, whatever the other one sees."""
    second = _keyed(simulated)
    result = [_both(judgement, second.pop(key, None)) for key, judgement in _keyed(plain).items()]
    return result + [_only_simulated(judgement) for judgement in second.values()]


def _keyed(judgements: Iterable[Judgement]) -> dict[Key, Judgement]:
    """Judgements by rule and subject. Subjects that cannot be told apart are paired in their order."""
    seen: Counter[Key] = Counter()
    keyed: dict[Key, Judgement] = {}
    for each in judgements:
        key = (each.rule.id, type(each.subject).__name__, each.subject.place, each.crashed)
        keyed[(*key, seen[key])] = each
        seen[key] += 1
    return keyed


def _both(plain: Judgement, simulated: Judgement | None) -> Judgement:
    if simulated is None:
        return plain
    if simulated.verdict is Verdict.SKIP:
        # Everything known, the rule does not apply: then nothing is open any more.
        return _only_simulated(simulated) if plain.verdict is Verdict.UNKNOWN else plain
    if plain.verdict is Verdict.SKIP:
        return _only_simulated(simulated)
    known = [each for each in plain.findings if each.verdict is not Verdict.UNKNOWN]
    asked = {(each.where, each.rule) for each in plain.findings if each.verdict is Verdict.UNKNOWN}
    findings = known + [_marked(each, asked) for each in simulated.findings if not _is_told_already(each, known)]
    still_open = [each.verdict for each in findings if not each.suppressed]
    verdict = worst(still_open) if still_open else Verdict.PASS
    return replace(
        simulated,
        verdict=verdict,
        findings=tuple(findings),
        suppressed=bool(findings) and not still_open,
        simulated=verdict is not plain.verdict,
    )


def _only_simulated(judgement: Judgement) -> Judgement:
    findings = tuple(replace(each, simulated=True) for each in judgement.findings)
    return replace(judgement, findings=findings, simulated=True)


def _marked(found: Finding, asked: set[tuple[Any, str]]) -> Finding:
    """What was unknown in the plain run and still is did not need the second one."""
    needed = found.verdict is not Verdict.UNKNOWN or (found.where, found.rule) not in asked
    return replace(found, simulated=needed)


def _is_told_already(found: Finding, known: Sequence[Finding]) -> bool:
    return any(
        (each.where, each.message, each.verdict, each.is_) == (found.where, found.message, found.verdict, found.is_)
        for each in known
    )
