"""Pods that were deleted, and have not gone: their node still runs them, or can't give back what they hold."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from datetime import datetime, timedelta

from nodeworthy.facts.cluster.elapsed import has_lasted
from nodeworthy.facts.cluster.node_gpus import NodeGpus
from nodeworthy.facts.cluster.pod import ClusterPod
from nodeworthy.facts.cluster.sandbox_failure import moment
from nodeworthy.facts.cluster.unsettled_pods import UnsettledPods

LINGERS = "in Terminating"
# Beyond the time that it was given to end: volumes and devices take a while.
_TAKES = timedelta(minutes=15)


def lingers(pod: ClusterPod, now: datetime | None) -> bool:
    return bool(pod.leaves and pod.node) and not pod.is_over and has_lasted(moment(pod.leaves), now, _TAKES)


def lingering_pods(
    pods: Iterable[ClusterPod], words: Mapping[str, str], nodes: Mapping[str, NodeGpus], now: datetime | None
) -> Iterator[UnsettledPods]:
    """Of a node that does not answer nothing else can be expected, and that is told by itself."""
    alike: dict[tuple[str, str], list[ClusterPod]] = defaultdict(list)
    for pod in pods:
        node = nodes.get(pod.node)
        if (pod.part or pod.wants_gpus) and lingers(pod, now) and (node is None or node.is_ready):
            alike[pod.namespace, pod.daemonset or pod.name].append(pod)
    for some in alike.values():
        some.sort(key=lambda each: each.name)
        said = next(filter(None, (words.get(each.object) for each in some)), "")
        yield UnsettledPods(tuple(some), LINGERS, said)
