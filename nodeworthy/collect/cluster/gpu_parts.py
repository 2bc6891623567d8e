"""Who hands out GPUs in a cluster, and which of its nodes are for profiling, as facts."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from nodeworthy.collect.cluster.kinds import DAEMONSETS, NODES, PODS, Kind
from nodeworthy.collect.cluster.seen import Seen
from nodeworthy.collect.source.comments import annotated
from nodeworthy.documents.tree import plant
from nodeworthy.engine import Fact, Missing, Scene
from nodeworthy.facts.cluster.node import ClusterNode
from nodeworthy.facts.cluster.plugins_on_nodes import PluginsOnNodes, plugins_on_nodes
from nodeworthy.facts.fleet.gpu_pool import GpuPool
from nodeworthy.facts.operator.driver_daemonset import drivers_on_nodes
from nodeworthy.facts.profiling.nodes import is_dedicated
from nodeworthy.facts.profiling.promise import ProfilingPromise, promises_of_cluster
from nodeworthy.facts.profiling.watched_node import WatchedNode, watched_nodes
from nodeworthy.fleet.model import Fleet
from nodeworthy.suppression import Suppression
from nodeworthy.verdict import Located, Place, Verdict

CONTAINERD = "containerd://"
JUDGED_HERE = ("dcgm-off-profiling-nodes", "one-device-plugin")


def gpu_parts(seen: Seen, fleet: Fleet | None, rules: frozenset[str]) -> Scene:
    pods, nodes = list(seen.pods.values()), list(seen.nodes.values())
    facts: list[Fact] = []
    if seen.has(PODS):
        facts += plugins_on_nodes(seen.gpu_daemonsets, pods)
        facts += drivers_on_nodes(seen.drivers, pods)
        facts += watched_nodes(nodes, pods)
    if fleet is not None and seen.has(NODES):
        facts += promises_of_cluster(nodes, fleet)
    return Scene(facts, dict(_missing(seen, fleet)), list(_suppressions(seen, rules)))


def _suppressions(seen: Seen, rules: frozenset[str]) -> Iterator[Suppression]:
    """What the objects that are judged here say themselves; what they say of other rules is heard elsewhere."""
    said = [(seen.gpu_daemonsets[key].place, each) for key, each in seen.gpu_annotations.items()]
    said += [(node.place, node.annotations) for node in seen.nodes.values() if is_dedicated(node.labels)]
    for place, written in said:
        own = annotated(plant({"metadata": {"annotations": written}}, place), rules, None)
        yield from (each for each in own if each.rule in JUDGED_HERE)


def _missing(seen: Seen, fleet: Fleet | None) -> Iterator[tuple[type[Fact], Missing]]:
    unseen_pods = _unseen(seen, DAEMONSETS) or _unseen(seen, PODS)
    yield PluginsOnNodes, unseen_pods or Missing("no device plugin that we know runs in the cluster")
    yield WatchedNode, _unseen(seen, NODES) or _unseen(seen, PODS) or Missing("no node is dedicated to profiling")
    why = "no fleet was given" if fleet is None else "the fleet promises no nodes for profiling"
    promised = fleet is not None and any(pool.profiling_dedicated for pool in fleet.gpu_pools)
    yield ProfilingPromise, (_unseen(seen, NODES) if promised else None) or Missing(why)


def _unseen(seen: Seen, kind: Kind) -> Missing | None:
    """Of a core kind that is not there, another rule says that the diagnosis is blind. Who may look into one namespace
    only is rightly refused what belongs to none."""
    why = seen.why_not_all(kind)
    if why is None:
        return None
    if not seen.was_kept_away(kind):
        return Missing(why)
    skipped = bool(seen.namespace) and not kind.namespaced
    return Missing(why, Verdict.SKIP if skipped else Verdict.UNKNOWN, Place(subject=kind.plural))


def by_containerd(pool: GpuPool, nodes: tuple[ClusterNode, ...]) -> Iterator[GpuPool]:
    """The pool once for each containerd that its nodes run, which they say themselves."""
    said = {_version(node): node for node in nodes}
    for version, node in said.items():
        yield replace(pool, containerd=Located.known(version, node.place.about("its containerd"))) if version else pool


def _version(node: ClusterNode) -> str:
    return node.runtime.removeprefix(CONTAINERD) if node.runtime.startswith(CONTAINERD) else ""
