"""What a look at a host says of it as a whole: fit for work, not fit, or not seen well enough to say so."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from enum import Enum

from nodeworthy.engine import Judgement
from nodeworthy.records import dataclass
from nodeworthy.report.printable import on_one_line
from nodeworthy.report.report import Report
from nodeworthy.rule import Moment
from nodeworthy.verdict import Finding, Verdict

# An annotation may be longer, but nobody reads it there.
_LONGEST = 400
_BAD = (Verdict.FAIL,)
_UNCLEAR = (Verdict.ERROR, Verdict.UNKNOWN)


class Fitness(Enum):
    FIT = "passes"
    UNFIT = "fails"
    UNSEEN = "is not known to be fit"


# What a node of several hosts is, which are one machine.
WORST_FIRST = (Fitness.UNFIT, Fitness.UNSEEN, Fitness.FIT)


@dataclass(frozen=True)
class Standing:
    fitness: Fitness
    # The rule that speaks against it, and its sentence.
    rule: str = ""
    why: str = ""


_UNJUDGED = Standing(Fitness.UNSEEN, "looked-at", "nothing of it was judged")


def standing(host: str, judgements: Sequence[Judgement], *, strict: bool) -> Standing:
    """By what changes the exit code; what is unknown always speaks against a host."""
    own = [each for each in judgements if each.subject.place.host == host]
    # A rule that crashed elsewhere than on a host may have been about any.
    nobodys = [each for each in judgements if each.subject.place.host is None and each.verdict is Verdict.ERROR]
    every = [*own, *nobodys]
    report = Report(Moment.NODE, every)
    code = report.exit_code(strict=strict)
    if code == 0:
        return Standing(Fitness.FIT)
    fitness, wrong = (Fitness.UNFIT, _BAD) if code == 1 else (Fitness.UNSEEN, _UNCLEAR)
    found = _findings(report, wrong, strict=strict)
    return Standing(fitness, found[0].rule, _told(found)) if found else _UNJUDGED


def worst(some: Iterable[Standing]) -> Standing:
    return min(some, key=lambda each: WORST_FIRST.index(each.fitness))


def _findings(report: Report, wrong: Sequence[Verdict], *, strict: bool) -> list[Finding]:
    heavy = [each for each in report.findings if each.verdict in wrong and report.speaks(each, strict=strict)]
    return sorted(heavy, key=lambda each: (wrong.index(each.verdict), each.rule, each.message))


def _told(found: Sequence[Finding]) -> str:
    first = on_one_line(f"{found[0].rule}: {found[0].sentence()}")
    more = f" (and {len(found) - 1} more)" if len(found) > 1 else ""
    room = _LONGEST - len(more)
    return (first if len(first) <= room else f"{first[: room - 3]}...") + more
