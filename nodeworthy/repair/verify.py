"""Looks again with the same rules until they ask for nothing more, or until the time is over."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Sequence

from nodeworthy.engine import Judgement
from nodeworthy.errors import CouldNotLook
from nodeworthy.records import dataclass
from nodeworthy.repair.change import Change
from nodeworthy.verdict import Finding, Verdict

_BAD = (Verdict.FAIL, Verdict.UNKNOWN, Verdict.ERROR)
_FIRST_PAUSE, _LONGEST_PAUSE = 1.0, 10.0

Key = tuple[str, str | None, str]


@dataclass(frozen=True)
class Waited:
    seconds: float
    # What was still complained of at the end.
    still: str = ""


def complaints(before: Sequence[Judgement], now: Sequence[Judgement], changes: Sequence[Change]) -> list[Finding]:
    """The causes that are still there, and what rules that watch the changes find anew."""
    known = {_key(each) for each in _bad(before)}
    causes = [cause for change in changes for cause in change.causes]
    watched = {rule for change in changes for rule in change.watched}
    return [
        each
        for each in _bad(now)
        if any(_is_same(each, cause) for cause in causes) or (each.rule in watched and _key(each) not in known)
    ]


def _bad(judgements: Sequence[Judgement]) -> list[Finding]:
    found = (each for judgement in judgements for each in judgement.findings)
    return [each for each in found if each.verdict in _BAD and not each.suppressed]


def _key(finding: Finding) -> Key:
    return finding.rule, finding.where.object, finding.message


def _is_same(found: Finding, cause: Finding) -> bool:
    """A message may count pods, which come and go."""
    same_place = (found.rule, found.where.object) == (cause.rule, cause.where.object)
    return same_place and (found.message == cause.message or found.remedy == cause.remedy)


def wait(complained: Callable[[], str], seconds: float) -> Waited:
    """`complained` looks, and says what is wrong; nothing if all is well."""
    begun, pause, said = time.monotonic(), _FIRST_PAUSE, ""
    while True:
        still = _heard(complained)
        waited = time.monotonic() - begun
        if not still:
            return Waited(waited)
        if waited + pause > seconds:
            return Waited(waited, still)
        if still != said or sys.stderr.isatty():
            sys.stderr.write(f"waiting ({waited:.0f} of {seconds:.0f} s): {still}\n")
            sys.stderr.flush()
        said = still
        time.sleep(pause)
        pause = min(pause * 1.5, _LONGEST_PAUSE)


def _heard(complained: Callable[[], str]) -> str:
    try:
        return complained()
    except CouldNotLook as problem:
        return str(problem)
