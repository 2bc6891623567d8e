"""The logs beside a dump of what starts nodes: why Karpenter or the Cluster Autoscaler could start none, of which the
objects of the cluster say no more than that, or nothing."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial

from nodeworthy.collect.cluster.kinds import NODE_CLAIMS
from nodeworthy.collect.cluster.logs import Index, message, read_tail
from nodeworthy.collect.cluster.seen import ClusterObjects
from nodeworthy.facts.cluster.pod import ClusterPod
from nodeworthy.known.evidence import in_text

# As their charts label them; and what every name of their pods begins with.
_LABEL, _NAMES = "app.kubernetes.io/name", ("karpenter", "cluster-autoscaler", "aws-cluster-autoscaler")
# What a cloud says of machines; and what a log says when it starts one, before which nothing counts.
_LAYER, _STARTED = "cloud", ("launched nodeclaim", "launched node", "Scale-up: setting group")


def read(seen: ClusterObjects, index: Index) -> None:
    for _, claim in seen.documents[NODE_CLAIMS]:
        said = next(filter(None, _read_by(seen, index, partial(_of_one, claim))), "")
        if said:
            seen.words_of_starters[f"{NODE_CLAIMS.kind}/{claim}"] = said
    if seen.capacity.waiting:
        seen.starters_say = next(filter(None, _read_by(seen, index, _since_the_last)), "")


def _read_by(seen: ClusterObjects, index: Index, reader: Callable[[str], str]) -> Iterator[str]:
    for pod in filter(_starts_nodes, seen.pods.values()):
        for path in index.of(pod):
            yield read_tail(path, seen, reader) or ""


def _starts_nodes(pod: ClusterPod) -> bool:
    return pod.labels.get(_LABEL) in _NAMES or pod.name.startswith(tuple(f"{each}-" for each in _NAMES))


def _of_one(claim: str, log: str) -> str:
    """What it said last of this one, where that is known."""
    named = (line for line in reversed(log.splitlines()) if claim in line)
    return next(filter(None, map(_line_that_tells, named)), "")


def _since_the_last(log: str) -> str:
    lines = log.splitlines()
    started = (number for number, line in enumerate(lines, 1) if any(each in line for each in _STARTED))
    return next(filter(None, map(_line_that_tells, reversed(lines[max(started, default=0) :]))), "")


def _line_that_tells(line: str) -> str:
    told = (each for each in in_text(line) if each.evidence.layer == _LAYER and not each.evidence.is_symptom)
    return next((message(each.words, each.itself) for each in told), "")
