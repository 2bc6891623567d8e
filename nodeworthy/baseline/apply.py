"""Lays a baseline over what was judged: what stands in it no longer fails, and what no longer fails is told."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import replace
from pathlib import Path

from nodeworthy.baseline.entry import Entry, entry_of
from nodeworthy.baseline.file import Baseline
from nodeworthy.engine import Judgement
from nodeworthy.verdict import Finding, Verdict, worst


def counted(judgements: Iterable[Judgement], folder: Path) -> Counter[Entry]:
    """Every failure that nobody suppressed. What is unknown or went wrong is in no baseline: nobody has seen it."""
    return Counter(entry_of(found, folder) for each in judgements for found in each.findings if _fails(found))


def laid_over(judgements: Sequence[Judgement], baseline: Baseline) -> tuple[list[Judgement], Counter[Entry]]:
    """The judgements with the failures of the baseline suppressed, and the entries that were left over."""
    left = Counter(dict(baseline.entries))
    known: set[int] = set()
    failed = [found for each in judgements for found in each.findings if _fails(found)]
    # Of several alike, those further down are the new ones.
    for found in sorted(failed, key=lambda each: (each.where.path or "", each.where.line or 0, each.where.column or 0)):
        entry = entry_of(found, baseline.folder)
        if left[entry] > 0:
            left[entry] -= 1
            known.add(id(found))
    return [_settled(each, known) for each in judgements], +left


def _fails(found: Finding) -> bool:
    return found.verdict is Verdict.FAIL and not found.suppressed


def _settled(judgement: Judgement, known: set[int]) -> Judgement:
    if not any(id(found) in known for found in judgement.findings):
        return judgement
    findings = tuple(
        replace(found, suppressed=True, baselined=True) if id(found) in known else found for found in judgement.findings
    )
    still_open = [found.verdict for found in findings if not found.suppressed]
    verdict = worst(still_open) if still_open else Verdict.PASS
    return replace(judgement, verdict=verdict, findings=findings, suppressed=not still_open)
