"""What the DRA driver of a node says in its log of claims that it can't take back from pods which were deleted."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator
from functools import partial

from nodeworthy.collect.cluster.logs import Index, message, read_tail
from nodeworthy.collect.cluster.seen import ClusterObjects
from nodeworthy.facts.cluster.lingering_pods import lingers
from nodeworthy.facts.cluster.pod import ClusterPod
from nodeworthy.known.evidence import in_text
from nodeworthy.known.gpu_stack import DRA_DRIVER


def read(seen: ClusterObjects, index: Index) -> None:
    drivers: dict[str, list[ClusterPod]] = defaultdict(list)
    for pod in seen.pods.values():
        if pod.part == DRA_DRIVER:
            drivers[pod.node].append(pod)
    for pod in seen.pods.values() if drivers else ():
        if pod.claimed and lingers(pod, seen.capacity.now):
            said = next(filter(None, _said_of(pod, drivers.get(pod.node, ()), seen, index)), "")
            if said:
                seen.words_of_lingering[pod.object] = said


def _said_of(pod: ClusterPod, drivers: Iterable[ClusterPod], seen: ClusterObjects, index: Index) -> Iterator[str]:
    for each in (one for one in drivers if one != pod):
        for path in index.of(each):
            yield read_tail(path, seen, partial(_of_claims, pod.claimed)) or ""


def _of_claims(claims: Collection[str], log: str) -> str:
    named = (line for line in reversed(log.splitlines()) if any(each in line for each in claims))
    return next(filter(None, map(_line_that_tells, named)), "")


def _line_that_tells(line: str) -> str:
    return next((message(each.words, each.itself) for each in in_text(line) if not each.evidence.is_symptom), "")
