"""A container that crashes on a GPU which HAMi shares has a named cause.

What it wrote before it ended tells most of them: `CUDA out of memory` is a share that is too small for the model and
its batch, `CUBLAS_STATUS_NOT_INITIALIZED` mostly the same; `no CUDA-capable device` and `CUDA initialization failed`
are a container that was started without the nvidia runtime, or an image whose CUDA is too new for the driver. A
container that the kernel ended (`OOMKilled`) ran out of the node's memory, and `nvidia.com/gpumem` has no part in it.
Its words come from the end of the container's log, which is asked of the cluster or stands beside a dump
(`logs/<namespace>/<pod>/<container>.log`), and from its termination message; a crash of which nothing is known is
unknown, with its last line, or with the reason why its log was not had. One whose cause is another rule's is told
there.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable

from nodeworthy.facts.hami.crash import Crash, HamiCrashes
from nodeworthy.known.evidence import Evidence, all_evidence, in_text
from nodeworthy.rule import Rule
from nodeworthy.verdict import Draft, Findings, Severity, fail, unknown

_OUT_OF_MEMORY = "OOMKilled"

RULE = Rule(
    "hami-crash-explained",
    severity=Severity.ERROR,
    incident="C",
    title="A container that crashes on a shared GPU has a named cause",
    remedy="read its last log: kubectl logs --previous; `nodeworthy explain -` names what is known in it",
    reads_logs=True,
)


@RULE.check
def their_causes_are_known(found: HamiCrashes) -> Findings:
    yield from _by_cause(found.crashes)


def _by_cause(found: Iterable[Crash]) -> Findings:
    """The crashes whose cause this rule tells, or none."""
    together: dict[str, list[Crash]] = defaultdict(list)
    for each in found:
        cause = _cause(each)
        if cause is not None:
            together[cause].append(each)
    known = {each.id: each for each in all_evidence()}
    for cause, some in together.items():
        yield _draft_of_crash(known.get(cause), cause, some)


def _cause(crash: Crash) -> str | None:
    """The evidence that tells it, the reason that the kubelet gives; empty where nothing does."""
    of = {each.id: each.rule for each in all_evidence()}
    last = [each.evidence for each in in_text(crash.pod.last_words)]
    said = [*crash.evidence, *(each.id for each in last)]
    own = next((each for each in said if of.get(each) == RULE.id), None)
    if own is not None:
        return own
    if any(of.get(each) is not None for each in said):
        return None
    if _OUT_OF_MEMORY in (crash.ended, crash.pod.fault):
        return _OUT_OF_MEMORY
    # What no rule proves is its cause where it says so at its very end; that something failed is no cause.
    return next((each.id for each in last if not each.is_symptom), "")


def _draft_of_crash(evidence: Evidence | None, cause: str, some: list[Crash]) -> Draft:
    first = some[0]
    victims = tuple(each.pod.object for each in some)
    place = first.pod.place
    words = first.last_line or first.pod.last_words
    if evidence is not None:
        message = f"{_pods(some)} on a shared GPU: {evidence.says}"
        return fail(
            place,
            message,
            is_=evidence.text,
            should="a program that runs",
            cause=evidence.cause,
            remedy=evidence.remedy,
            victims=victims,
        )
    if cause:
        message = f"{_pods(some)} on a shared GPU: the kernel ended it, for the node's memory and not for the GPU's"
        why = (
            "the container used more memory than its limit of `memory` (OOMKilled): nvidia.com/gpumem has no part in it"
        )
        remedy = "raise resources.limits.memory of the container"
        should = "a limit that the program fits in"
        return fail(place, message, is_=cause, should=should, cause=why, remedy=remedy, victims=victims)
    named = f"{first.pod.namespace} {first.pod.name}"
    message = f"{_pods(some)} on a shared GPU, of which no cause is known"
    said = (
        f"its last line is: {words}" if words else f"no log of it was read{f': {first.no_log}' if first.no_log else ''}"
    )
    remedy = f"kubectl logs -n {named} --previous"
    return unknown(
        place, message, is_=first.pod.fault, should="a known cause", cause=said, remedy=remedy, victims=victims
    )


def _pods(some: list[Crash]) -> str:
    return f"{some[0].pod.namespace}/{some[0].pod.name} crashes" if len(some) == 1 else f"{len(some)} pods crash"
