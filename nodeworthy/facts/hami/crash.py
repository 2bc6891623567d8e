"""Containers that crash on a GPU that HAMi shares, together where one cause is known of them."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator
from typing import ClassVar

from nodeworthy.facts.cluster.pod import ClusterPod
from nodeworthy.known.evidence import Evidence, all_evidence, in_text
from nodeworthy.records import dataclass
from nodeworthy.verdict import Place

CRASHES = frozenset(("CrashLoopBackOff", "Error", "OOMKilled", "ContainerCannotRun", "StartError", "RunContainerError"))
_OUT_OF_MEMORY = "OOMKilled"


def is_crash(pod: ClusterPod) -> bool:
    return pod.fault in CRASHES


@dataclass(frozen=True)
class Crash:
    """One pod: how it ended, and what is known of its last words."""

    pod: ClusterPod
    # Why its container ended the last time.
    ended: str
    # Ids of evidence, the last line of its log; both empty where there is no log.
    evidence: tuple[str, ...] = ()
    last_line: str = ""
    # Why its log was not read, where that is known.
    no_log: str = ""


@dataclass(frozen=True)
class HamiCrash:
    place: Place
    message: str
    cause: str
    is_: str
    should: str
    remedy: str
    victims: tuple[str, ...]
    is_explained: bool


@dataclass(frozen=True)
class HamiCrashes:
    """All the crashes on shared GPUs of one cluster, by their causes."""

    called: ClassVar[str] = "a cluster whose GPUs are shared"

    place: Place
    crashes: tuple[Crash, ...]


def by_cause(found: Iterable[Crash], rule: str) -> Iterator[HamiCrash]:
    """Those whose cause this rule tells, or none."""
    together: dict[str, list[Crash]] = defaultdict(list)
    for each in found:
        cause = _cause(each, rule)
        if cause is not None:
            together[cause].append(each)
    known = {each.id: each for each in all_evidence()}
    for cause, some in together.items():
        yield _told(known.get(cause), cause, some)


def _cause(crash: Crash, rule: str) -> str | None:
    """The evidence that tells it, the reason that the kubelet gives; empty where nothing does."""
    of = {each.id: each.rule for each in all_evidence()}
    last = [each.evidence for each in in_text(crash.pod.last_words)]
    said = [*crash.evidence, *(each.id for each in last)]
    own = next((each for each in said if of.get(each) == rule), None)
    if own is not None:
        return own
    if any(of.get(each) is not None for each in said):
        return None
    if _OUT_OF_MEMORY in (crash.ended, crash.pod.fault):
        return _OUT_OF_MEMORY
    # What no rule proves is its cause where it says so at its very end; that something failed is no cause.
    return next((each.id for each in last if not each.is_symptom), "")


def _told(evidence: Evidence | None, cause: str, some: list[Crash]) -> HamiCrash:
    first = some[0]
    victims = tuple(each.pod.object for each in some)
    place = first.pod.place
    words = first.last_line or first.pod.last_words
    if evidence is not None:
        message = f"{_pods(some)} on a shared GPU: {evidence.says}"
        return HamiCrash(
            place, message, evidence.cause, evidence.text, "a program that runs", evidence.remedy, victims, True
        )
    if cause:
        message = f"{_pods(some)} on a shared GPU: the kernel ended it, for the node's memory and not for the GPU's"
        why = (
            "the container used more memory than its limit of `memory` (OOMKilled): nvidia.com/gpumem has no part in it"
        )
        remedy = "raise resources.limits.memory of the container"
        return HamiCrash(place, message, why, cause, "a limit that the program fits in", remedy, victims, True)
    named = f"{first.pod.namespace} {first.pod.name}"
    message = f"{_pods(some)} on a shared GPU, of which no cause is known"
    said = (
        f"its last line is: {words}" if words else f"no log of it was read{f': {first.no_log}' if first.no_log else ''}"
    )
    return HamiCrash(
        place, message, said, first.pod.fault, "a known cause", f"kubectl logs -n {named} --previous", victims, False
    )


def _pods(some: list[Crash]) -> str:
    return f"{some[0].pod.namespace}/{some[0].pod.name} crashes" if len(some) == 1 else f"{len(some)} pods crash"
