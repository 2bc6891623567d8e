"""A job gets the GPUs that it asked for, alone, and gives them back.

A scheduler that gives one GPU to two jobs, or another number than was asked for, or that keeps GPUs after a job has
ended, makes every number of a measurement worthless. Waiting is no fault; how long it took is recorded and not judged.
"""

from __future__ import annotations

from itertools import combinations

from nodeworthy.facts.accept.given import Allocation, Asking
from nodeworthy.rule import Rule
from nodeworthy.verdict import Draft, Findings, Severity, fail, unknown

RULE = Rule(
    "allocation-honoured",
    severity=Severity.ERROR,
    title="A job gets the GPUs that it asked for, alone, and gives them back",
    remedy="nodeworthy diagnose --ledger says who holds which GPUs; then the device plugin's, or slurmd's, log",
)

# From the end of a job until its GPUs are free.
FREED_SECONDS = 60.0


@RULE.check
def they_are(seen: Allocation) -> Findings:
    if not seen.askings:
        yield unknown(seen, "whether GPUs come as they are asked for is not known: nothing was asked for")
    for each in seen.askings:
        yield from _one(seen, each)
    yield from _at_once(seen)


def _at_once(seen: Allocation) -> Findings:
    """Two jobs that held parts of one node together."""
    meant = [each for each in seen.askings if each.span is not None]
    pairs = [(one, other) for one, other in combinations(meant, 2) if one.is_beside(other)]
    for one, other in pairs:
        both = sorted(set(one.uuids) & set(other.uuids))
        if both:
            yield fail(
                seen,
                "one GPU was given to two jobs at once",
                is_=f"{', '.join(both)} to {one.wanted} and to {other.wanted}",
                should="each GPU to one job",
                cause="two programs share its memory and its time, and each believes that it is alone",
            )
    if meant and not pairs:
        yield unknown(seen, "whether two jobs at once are given different GPUs is not known: they never were at once")


def _other_kind(seen: Allocation, asking: Asking) -> Draft:
    meant = f"a slice {asking.profile}" if asking.profile else "whole GPUs"
    return fail(
        seen,
        f"a job that asked for {asking.wanted} was given something else",
        is_=", ".join(asking.others),
        should=meant,
        cause="its memory and its speed are others, and whoever asked for them is next to wait",
    )


def _gave_way(seen: Allocation, asking: Asking) -> Findings:
    asked = f"the job that asked for {asking.wanted}"
    yield from _in_time(
        seen,
        asking,
        f"whether {asked} went when another had begun is not known",
        f"{asked} was still there when another had begun in its place",
        should=f"gone within {FREED_SECONDS:g} s",
        cause="whoever asks in several places for the same work holds GPUs twice, and others wait for nothing",
    )


def _in_time(seen: Allocation, asking: Asking, unseen: str, late: str, *, should: str, cause: str) -> Findings:
    """Whether its GPUs came back as soon as they had to."""
    if asking.freed is None:
        yield unknown(seen, unseen)
    elif asking.freed > FREED_SECONDS:
        yield fail(seen, late, is_=f"{asking.freed:g} s later", should=should, cause=cause)


def _one(seen: Allocation, asking: Asking) -> Findings:
    if asking.has_lost:
        yield from _gave_way(seen, asking)
        return
    if len(set(asking.uuids)) < len(asking.uuids):
        twice = sorted({each for each in asking.uuids if asking.uuids.count(each) > 1})
        yield fail(
            seen,
            f"one GPU was given twice to a job that asked for {asking.wanted}",
            is_=", ".join(twice),
            should="each GPU once",
            cause="two processes share its memory and its time, and each believes that it is alone",
        )
    elif len(asking.uuids) != asking.count:
        yield fail(
            seen,
            f"a job that asked for {asking.wanted} was given another number of GPUs",
            is_=f"{len(asking.uuids)}",
            should=f"{asking.count:g}",
            cause="programs that count on what they asked for end at once, or leave GPUs idle",
        )
    if asking.others:
        yield _other_kind(seen, asking)
    gpus = f"the GPUs of the job that asked for {asking.wanted}"
    yield from _in_time(
        seen,
        asking,
        f"whether {gpus} became free is not known",
        f"{gpus} were not free when it had ended",
        should=f"within {FREED_SECONDS:g} s",
        cause="whoever comes next waits for GPUs that nobody uses",
    )
