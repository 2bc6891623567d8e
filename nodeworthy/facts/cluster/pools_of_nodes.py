"""The pools that a cluster's own nodes make: those of which the same is known are one."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence

from nodeworthy.facts.cluster.node import ClusterNode
from nodeworthy.facts.cluster.node_labels import POOL, PRODUCT
from nodeworthy.facts.fleet.gpu_pool import GpuPool
from nodeworthy.facts.fleet.machines import Machines
from nodeworthy.patterns import pattern
from nodeworthy.verdict import Located, Place

_MINOR = pattern(r"v?(1\.\d+)\.")
_CONTAINERD = pattern(r"containerd://(\d+\.\d+)\.")
# By which whoever made a group of nodes calls it, and the cluster that they are of.
_GROUPS = (
    POOL,
    "eks.amazonaws.com/nodegroup",
    "alpha.eksctl.io/nodegroup-name",
    "karpenter.sh/nodepool",
    "cloud.google.com/gke-nodepool",
    "kubernetes.azure.com/agentpool",
)
_CLUSTERS = ("alpha.eksctl.io/cluster-name", "kubernetes.azure.com/cluster")


def pools_of_nodes(nodes: Iterable[ClusterNode]) -> Iterator[GpuPool]:
    alike: dict[tuple[object, ...], list[ClusterNode]] = defaultdict(list)
    for node in sorted((each for each in nodes if each.is_gpu), key=lambda each: each.name):
        alike[(_group(node), node.says, node.instance_type, node.gpu, _count(node))].append(node)
    names: set[str] = set()
    for together in alike.values():
        yield _pool(together, names)


def _pool(nodes: Sequence[ClusterNode], names: set[str]) -> GpuPool:
    first = nodes[0]
    named = _group(first) or (first.gpu or "gpu").lower()
    name = next(each for each in (named, *(f"{named}-{at}" for at in range(2, 10_000))) if each not in names)
    names.add(name)
    return GpuPool(
        name,
        first.place,
        _distribution(first),
        first.containerd,
        noun="node group",
        containerd=_located_match(_CONTAINERD.match(first.runtime), first.place),
        kubernetes=_located_match(_MINOR.match(first.kubelet), first.place),
        cluster=_label(first, _CLUSTERS),
        machines=_machines(nodes),
        evidence=f"{first.title} says: {first.says}",
    )


def _distribution(node: ClusterNode) -> Located[str]:
    candidates = node.sign.distributions if node.sign is not None else ()
    if len(candidates) == 1:
        return Located.known(candidates[0], node.place)
    said = f"it may be {' or '.join(candidates)}" if candidates else "nothing that is known is said"
    return Located.unknown(f"of its distribution {said} ({node.says or 'no node information'})", node.place)


def _machines(nodes: Sequence[ClusterNode]) -> Machines:
    first, count = nodes[0], _count(nodes[0])
    types = (Located.known(first.instance_type, first.place),) if first.instance_type else ()
    said = first.place.about(PRODUCT)
    return Machines(
        types,
        gpu=Located.known(first.gpu, said) if first.gpu else None,
        gpus=Located.known(count, said) if count else None,
        wanted=Located.known(len(nodes), first.place),
    )


def _count(node: ClusterNode) -> int:
    return node.gpus_of_its_type or node.gpus


def _group(node: ClusterNode) -> str:
    return next((node.labels[each] for each in _GROUPS if node.labels.get(each)), "")


def _label(node: ClusterNode, names: Sequence[str]) -> Located[str] | None:
    name = next((each for each in names if node.labels.get(each)), None)
    return Located.known(node.labels[name], node.place.about(name)) if name is not None else None


def _located_match(found: re.Match[str] | None, place: Place) -> Located[str] | None:
    return Located.known(found[1], place) if found is not None else None
