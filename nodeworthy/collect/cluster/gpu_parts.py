"""Who hands out GPUs in a cluster, and which of its nodes are for profiling, as facts."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from nodeworthy.collect.cluster.kinds import DAEMONSETS, NODE_POOLS, NODES, PODS
from nodeworthy.collect.cluster.not_seen import NotSeen
from nodeworthy.collect.cluster.seen import ClusterObjects
from nodeworthy.collect.source.comments import annotation_suppressions
from nodeworthy.documents.tree import plant
from nodeworthy.facts.cluster.node import ClusterNode
from nodeworthy.facts.cluster.plugins_on_nodes import PluginsOnNodes, plugins_on_nodes
from nodeworthy.facts.fleet.gpu_pool import GpuPool
from nodeworthy.facts.fleet.karpenter import KarpenterPool
from nodeworthy.facts.operator.driver_daemonset import DriversOnNodes, drivers_on_nodes
from nodeworthy.facts.profiling.nodes import WatchedNode, is_dedicated, watched_nodes
from nodeworthy.facts.profiling.promise import ProfilingPromise, promises_of_cluster
from nodeworthy.fleet.model import Fleet
from nodeworthy.scene import Fact, Missing, Scene, make_scene
from nodeworthy.suppression import Suppression
from nodeworthy.verdict import Located

CONTAINERD = "containerd://"
# What is told here, and in no other scene of the same cluster.
TOLD: frozenset[type[Fact]] = frozenset((DriversOnNodes, KarpenterPool, PluginsOnNodes, ProfilingPromise, WatchedNode))


def gpu_parts(seen: ClusterObjects, fleet: Fleet | None, not_seen: NotSeen, rules: frozenset[str]) -> Scene:
    pods, nodes = list(seen.pods.values()), list(seen.nodes.values())
    facts: list[Fact] = [*seen.read(KarpenterPool, NODE_POOLS)]
    if seen.has(PODS):
        facts += plugins_on_nodes(seen.gpu_daemonsets, pods)
        facts += drivers_on_nodes(seen.drivers, pods)
        facts += watched_nodes(nodes, pods)
    if fleet is not None and seen.has(NODES):
        facts += promises_of_cluster(nodes, fleet)
    return make_scene(facts, dict(_missing(not_seen, fleet)), _suppressions(seen, rules), about=TOLD)


def _suppressions(seen: ClusterObjects, rules: frozenset[str]) -> Iterator[Suppression]:
    """What the objects that are judged here say themselves; what they say of other rules is heard elsewhere."""
    said = [(seen.gpu_daemonsets[key].place, each) for key, each in seen.gpu_annotations.items()]
    said += [(node.place, node.annotations) for node in seen.nodes.values() if is_dedicated(node.labels)]
    for place, written in said:
        yield from annotation_suppressions(plant({"metadata": {"annotations": written}}, place), rules, None)


def _missing(not_seen: NotSeen, fleet: Fleet | None) -> Iterator[tuple[type[Fact], Missing]]:
    missing = not_seen.missing
    yield PluginsOnNodes, missing(PluginsOnNodes, "no device plugin that we know runs in the cluster", DAEMONSETS, PODS)
    none = "no NodePool of Karpenter's with GPUs is in what was read"
    yield KarpenterPool, missing(KarpenterPool, none, NODE_POOLS)
    yield WatchedNode, missing(WatchedNode, "no node is dedicated to profiling", NODES, PODS)
    why = "no fleet was given" if fleet is None else "the fleet promises no nodes for profiling"
    promised = fleet is not None and any(pool.profiling_dedicated for pool in fleet.gpu_pools)
    yield ProfilingPromise, missing(ProfilingPromise, why, *([NODES] if promised else ()))


def by_containerd(pool: GpuPool, nodes: tuple[ClusterNode, ...]) -> Iterator[GpuPool]:
    """The pool once for each containerd that its nodes run, which they say themselves."""
    said = {_version(node): node for node in nodes}
    for version, node in said.items():
        yield replace(pool, containerd=Located.known(version, node.place.about("its containerd"))) if version else pool


def _version(node: ClusterNode) -> str:
    return node.runtime.removeprefix(CONTAINERD) if node.runtime.startswith(CONTAINERD) else ""
