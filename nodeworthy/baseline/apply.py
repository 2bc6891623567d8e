"""Lays a baseline over what was judged: what stands in it no longer fails, and what no longer fails is told."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import replace
from pathlib import Path, PurePath

from nodeworthy.baseline.file import Baseline, BaselineEntry, entry_of, path_from
from nodeworthy.engine import Judgement, Nothing
from nodeworthy.rule import Rule
from nodeworthy.verdict import Finding, Place, Verdict, fail, worst


def count_open(judgements: Iterable[Judgement], folder: Path) -> Counter[BaselineEntry]:
    """Every failure and every unknown that nobody suppressed. What went wrong is in no baseline: nothing is known of
    it, not even what is unknown."""
    return Counter(entry_of(found, folder) for each in judgements for found in each.findings if _is_open(found))


def lay_over(judgements: Sequence[Judgement], baseline: Baseline) -> tuple[list[Judgement], Counter[BaselineEntry]]:
    """The judgements with the findings of the baseline suppressed, and the entries that were left over."""
    left = Counter(dict(baseline.entries))
    known: set[int] = set()
    still = [found for each in judgements for found in each.findings if _is_open(found)]
    # Of several alike, those further down are the new ones.
    for found in sorted(still, key=lambda each: (each.where.file, each.where.line or 0, each.where.column or 0)):
        entry = entry_of(found, baseline.folder)
        if left[entry] > 0:
            left[entry] -= 1
            known.add(id(found))
    return [_settled(each, known) for each in judgements], +left


def _is_open(found: Finding) -> bool:
    return found.verdict in (Verdict.FAIL, Verdict.UNKNOWN) and not found.suppressed


def _settled(judgement: Judgement, known: set[int]) -> Judgement:
    if not any(id(found) in known for found in judgement.findings):
        return judgement
    findings = tuple(
        replace(found, suppressed=True, baselined=True) if id(found) in known else found for found in judgement.findings
    )
    still_open = [found.verdict for found in findings if not found.suppressed]
    verdict = worst(still_open) if still_open else Verdict.PASS
    return replace(judgement, verdict=verdict, findings=findings, suppressed=not still_open)


REMEDY = "nodeworthy baseline --prune"
# Its failure at a file says that nothing else is known of that file.
UNREAD = "input-readable"
_UNDECIDED = (Verdict.SKIP, Verdict.UNKNOWN, Verdict.ERROR)


class Decided:
    """What a run decided: which rules, and in which files. An entry can only be said to apply no longer where the run
    decided it."""

    def __init__(self, judgements: Sequence[Judgement], ran: frozenset[str], folder: Path) -> None:
        self._ran = ran
        self._decided: set[tuple[str, str]] = set()
        self._undecided: set[tuple[str, str]] = set()
        for each in judgements:
            path = each.subject.place.path
            into = self._undecided if each.verdict in _UNDECIDED else self._decided
            into.add((each.crashed or each.rule.id, path_from(folder, path) if path else ""))
        self._unread = {path for rule, path in self._undecided if rule == UNREAD}
        self._open_somewhere = {rule for rule, _ in self._undecided}

    def has(self, entry: BaselineEntry) -> bool:
        key = (entry.rule, entry.path)
        if entry.rule not in self._ran or key in self._undecided or entry.path in self._unread:
            return False
        return key in self._decided or entry.rule not in self._open_somewhere


def is_whole(baseline: Baseline, looked_at: Iterable[str]) -> bool:
    """Whether a run looked at everything that the baseline is about."""
    looked = [PurePath(path_from(baseline.folder, path)) for path in looked_at]
    return all(any(PurePath(each).is_relative_to(path) for path in looked) for each in baseline.checked)


def stale(left: Iterable[BaselineEntry], decided: Decided, known: frozenset[str]) -> list[BaselineEntry]:
    """The left-over entries of which one can tell that they apply no longer."""
    return [each for each in left if each.rule not in known or decided.has(each)]


def stale_entry(entry: BaselineEntry, baseline: Baseline, unused: Rule) -> Judgement:
    place = Place(path=baseline.shown, line=baseline.lines.get(entry), subject=f"{entry.rule} {entry.place}")
    message = f"this entry of the baseline applies no longer: {entry.rule} does not find it at {entry.place}"
    found = Finding.of(fail(place, message, remedy=REMEDY), unused.id, severity=unused.severity)
    return Judgement(unused, Nothing(place), Verdict.FAIL, (found,))
