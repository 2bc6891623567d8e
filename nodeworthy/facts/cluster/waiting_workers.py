"""Workers of a job over several nodes that wait, in an init container, for the pod that leads them.

They hold their GPUs meanwhile, and nobody says why: the init container asks again every few seconds, without an end.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from datetime import datetime, timedelta

from nodeworthy.facts.cluster.pod import ClusterPod
from nodeworthy.facts.cluster.sandbox_failure import moment
from nodeworthy.facts.cluster.stuck_objects import StuckObject
from nodeworthy.known.gpu_stack import Led, leader_for
from nodeworthy.records import dataclass
from nodeworthy.verdict import Place

# A head's image is large, and its program takes minutes to answer.
_TAKES = timedelta(minutes=15)
_LONGEST = 300

_Job = tuple[str, str, str]


def waiting_workers(
    pods: Iterable[ClusterPod], now: datetime | None, words: Mapping[str, str], told: Collection[str]
) -> Iterator[StuckObject]:
    """`words` is how the logs of pods end; of leaders that are `told` it is said otherwise why they don't run."""
    leaders: dict[_Job, list[ClusterPod]] = defaultdict(list)
    waiting: dict[_Job, list[ClusterPod]] = defaultdict(list)
    pods = list(pods)
    looked_for = {(led.job, led.role, led.leader): led for pod in pods if (led := leader_for(pod.waits_in)) is not None}
    for pod in pods:
        for led in looked_for.values():
            job = (led.job_is, pod.namespace, pod.labels.get(led.job, ""))
            if job[-1] and pod.labels.get(led.role, "").lower() == led.leader:
                leaders[job].append(pod)
            elif job[-1] and pod.wants_gpus and leader_for(pod.waits_in) == led and _lasts(pod.waits_since, now):
                waiting[job].append(pod)
    for job, some in waiting.items():
        found = [pod for pod in leaders[job] if not pod.is_over]
        is_over = bool(leaders[job]) and not found
        if not is_over and not any(pod.object in told or (pod.wants_gpus and not pod.node) for pod in found):
            yield from _of_job(job, some, _Leader(found[0] if found else None, words), now)


@dataclass(frozen=True)
class _Leader:
    pod: ClusterPod | None
    words: Mapping[str, str]

    def is_new(self, now: datetime | None) -> bool:
        return self.pod is not None and self.pod.ready and not _lasts(self.pod.since, now)

    def fares(self) -> str:
        pod = self.pod
        if pod is None or not pod.node:
            unplaced = " ".join(pod.unplaced.split())[:_LONGEST] if pod is not None else ""
            return f"is on no node: {unplaced or 'no scheduler has said why'}"
        said = " ".join((pod.last_words or self.words.get(pod.object, "")).split())[:_LONGEST]
        return f"is {pod.fault or 'not ready'}{f', and said: {said}' if said else ''}"


def _of_job(job: _Job, workers: Sequence[ClusterPod], leader: _Leader, now: datetime | None) -> Iterator[StuckObject]:
    first = min(workers, key=lambda each: each.name)
    led = leader_for(first.waits_in)
    if led is None or leader.is_new(now):
        return
    count = f"{len(workers)} workers wait" if len(workers) > 1 else "a worker waits"
    cause, remedy = _why(first, job[-1], leader, led)
    yield StuckObject(
        Place(object=first.object),
        f"{count} for the {led.leads} of {led.job_is} '{job[-1]}', GPUs in hand",
        f"init container {first.waits_in} runs since {first.waits_since}",
        f"an init container that ends within minutes of the {led.leads}'s start",
        remedy,
        tuple(pod.object for pod in workers),
        cause=cause,
    )


def _why(worker: ClusterPod, job: str, leader: _Leader, led: Led) -> tuple[str, str]:
    """Why the leader is not reached, and where to look."""
    pod = leader.pod
    if pod is None:
        made = f"kubectl describe {led.job_is.lower()} -n {worker.namespace} {job}"
        return f"there is no {led.leads} of {led.job_is} '{job}' among the pods", f"see why it is not made: {made}"
    if not pod.ready:
        look = f"look at it first: kubectl describe pod -n {pod.namespace} {pod.name}"
        return f"the {led.leads} ({pod.name}) {leader.fares()}", look
    cause = f"the {led.leads} ({pod.name}) is ready, and is not reached: a worker needs {led.reaches}"
    return cause, led.remedy.format(namespace=worker.namespace, worker=worker.name, container=worker.waits_in)


def _lasts(since: str, now: datetime | None) -> bool:
    when = moment(since)
    return now is not None and when is not None and now - when >= _TAKES
