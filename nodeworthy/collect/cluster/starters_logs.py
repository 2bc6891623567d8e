"""The logs beside a dump of what starts nodes: why Karpenter or the Cluster Autoscaler could start none, of which the
objects of the cluster say no more than that, or nothing."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial

from nodeworthy.collect.cluster.kinds import NODE_CLAIMS
from nodeworthy.collect.cluster.logs import Index, message, read_tail
from nodeworthy.collect.cluster.seen import ClusterObjects
from nodeworthy.facts.cluster.pod import ClusterPod
from nodeworthy.known.evidence import in_text
from nodeworthy.patterns import pattern

# As their charts label them; and what every name of their pods begins with.
_LABEL, _NAMES = "app.kubernetes.io/name", ("karpenter", "cluster-autoscaler", "aws-cluster-autoscaler")
# What a cloud says of machines; and what a log says when it starts one, before which nothing counts.
_LAYER, _STARTED = "cloud", ("launched nodeclaim", "launched node", "Scale-up: setting group")
# What the Cluster Autoscaler says of the whole cluster; and what it does again in each round once that is over.
_STOPPED, _GOES_ON = "Cluster is not ready for autoscaling", "Calculating unneeded nodes"

# As objects are named.
_WORD = pattern(r"[a-z0-9](?:[a-z0-9.-]{0,251}[a-z0-9])?")


def read(seen: ClusterObjects, index: Index) -> None:
    """Each log is read once, however many nodes were asked for."""
    logs = [path for pod in seen.pods.values() if _starts_nodes(pod) for path in index.of(pod)]
    claims = frozenset(name for _, name in seen.documents[NODE_CLAIMS])
    for path in logs if claims else ():
        for claim, said in (read_tail(path, seen, partial(_of_each, claims)) or {}).items():
            seen.words_of_starters.setdefault(f"{NODE_CLAIMS.kind}/{claim}", said)
    if seen.capacity.waiting:
        told = (read_tail(path, seen, _since_the_last) or "" for path in logs)
        seen.starters_say = next(filter(None, told), "")


def _starts_nodes(pod: ClusterPod) -> bool:
    return pod.labels.get(_LABEL) in _NAMES or pod.name.startswith(tuple(f"{each}-" for each in _NAMES))


def _of_each(claims: frozenset[str], log: str) -> Mapping[str, str]:
    """What it said last of each of these, where that is known."""
    found: dict[str, str] = {}
    for line in reversed(log.splitlines()):
        named = claims.intersection(_WORD.findall(line)) - found.keys()
        if named and (said := _line_that_tells(line)):
            found.update(dict.fromkeys(named, said))
    return found


def _since_the_last(log: str) -> str:
    lines = log.splitlines()
    started = (number for number, line in enumerate(lines, 1) if any(each in line for each in _STARTED))
    later = lines[max(started, default=0) :]
    goes_on = max((number for number, line in enumerate(later) if _GOES_ON in line), default=-1)
    told = (line for number, line in enumerate(later) if number > goes_on or _STOPPED not in line)
    return next(filter(None, map(_line_that_tells, reversed(list(told)))), "")


def _line_that_tells(line: str) -> str:
    told = (each for each in in_text(line) if each.evidence.layer == _LAYER and not each.evidence.is_symptom)
    return next((message(each.words, each.itself) for each in told), "")
