"""Training that is stopped and resumed ends as if it had never been stopped.

A checkpoint that is written after the grace period has gone, that can't be read, or from which work begins at step 0
is found out when it is needed: after the preemption. So a short training is stopped by the signal that the scheduler
sends, saves, is begun again from what was saved, and must end with the parameters of one that ran through; where other
GPUs or libraries resume it, with its loss, within 1e-3.
"""

from __future__ import annotations

from nodeworthy.facts.accept.right import CheckpointCycle
from nodeworthy.rule import Rule
from nodeworthy.verdict import Draft, Findings, Severity, fail, unknown

RULE = Rule(
    "checkpoint-resumes",
    severity=Severity.ERROR,
    title="Training that is stopped and resumed ends as if it had never been stopped",
    remedy="save optimizer, generators and step with the parameters, where all nodes see them, before the deadline",
)

_TOLERANCE = 1e-3
_CAUSE = "what was computed before the interruption is lost, or goes on as something else"


@RULE.check
def it_does(seen: CheckpointCycle) -> Findings:
    if seen.error is not None:
        yield fail(seen, "the checkpoint can't be read again", is_=seen.error.text, should="every shard", cause=_CAUSE)
        return
    stopped, resumed = (seen.numbers.get(each) for each in ("stopped_at", "resumed_from"))
    if stopped is None or resumed is None:
        yield unknown(seen, "whether work resumes is not known: it did not say where it stopped and where it went on")
        return
    if resumed != stopped:
        yield _elsewhere(seen, stopped, resumed)
    yield from _late(seen)
    yield from _result(seen)


def _elsewhere(seen: CheckpointCycle, stopped: float, resumed: float) -> Draft:
    return fail(
        seen,
        "work went on from another step than that at which it was stopped",
        is_=f"step {resumed:g}",
        should=f"step {stopped:g}",
        cause=_CAUSE,
    )


def _late(seen: CheckpointCycle) -> Findings:
    took, grace = (seen.numbers.get(each) for each in ("save_s", "grace_s"))
    if took is not None and grace is not None and took > grace:
        yield fail(
            seen,
            "the checkpoint takes longer than there is time",
            is_=f"{took:g} s",
            should=f"within {grace:g} s, from the signal to the kill",
            cause=_CAUSE,
        )


def _result(seen: CheckpointCycle) -> Findings:
    if {"whole", "resumed"} <= seen.results.keys() and seen.results["whole"] == seen.results["resumed"]:
        return
    if not {"whole", "resumed"} <= seen.losses.keys():
        yield unknown(seen, "whether resumed work ends as it would have is not known: a result is missing")
        return
    whole, resumed = seen.losses["whole"], seen.losses["resumed"]
    if abs(resumed - whole) > _TOLERANCE * max(abs(whole), 1e-12):
        yield fail(
            seen,
            "resumed work ends otherwise than work that was never stopped",
            is_=f"loss {resumed:g}",
            should=f"loss {whole:g}, within {_TOLERANCE:g} of it",
            cause=_CAUSE,
        )
