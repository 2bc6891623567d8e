"""Entries of a baseline that no longer apply: somebody has mended it, and said nothing."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from pathlib import Path, PurePath

from nodeworthy.baseline.entry import Entry, path_from
from nodeworthy.baseline.file import Baseline
from nodeworthy.engine import Judgement, Nothing
from nodeworthy.rule import Rule
from nodeworthy.verdict import Place, Verdict, finding

REMEDY = "nodeworthy baseline --prune"
# Its failure at a file says that nothing else is known of that file.
UNREAD = "input-readable"
_UNDECIDED = (Verdict.SKIP, Verdict.UNKNOWN, Verdict.ERROR)


class Decided:
    """What a run decided, of which rule and which file; only where it did, an entry can be said to apply no longer."""

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

    def has(self, entry: Entry) -> bool:
        key = (entry.rule, entry.path)
        if entry.rule not in self._ran or key in self._undecided or entry.path in self._unread:
            return False
        return key in self._decided or entry.rule not in self._open_somewhere


def is_whole(baseline: Baseline, looked_at: Iterable[str]) -> bool:
    """Whether a run looked at everything that the baseline is about."""
    looked = [PurePath(path_from(baseline.folder, path)) for path in looked_at]
    return all(any(PurePath(each).is_relative_to(path) for path in looked) for each in baseline.checked)


def stale(left: Iterable[Entry], decided: Decided, known: frozenset[str]) -> list[Entry]:
    """Of the entries that were left over, those that can be told to apply no longer."""
    return [each for each in left if each.rule not in known or decided.has(each)]


def told(entry: Entry, baseline: Baseline, unused: Rule) -> Judgement:
    place = Place(path=baseline.shown, line=baseline.lines.get(entry), subject=f"{entry.rule} {entry.place}")
    message = f"this entry of the baseline applies no longer: {entry.rule} does not find it at {entry.place}"
    found = replace(finding(Verdict.FAIL, place, message, remedy=REMEDY), rule=unused.id, severity=unused.severity)
    return Judgement(unused, Nothing(place), Verdict.FAIL, (found,))
