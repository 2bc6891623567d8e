"""Turns what was seen of a cluster into the facts that rules are about."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, cast

from nodeworthy.collect.cluster import hami, platform
from nodeworthy.collect.cluster.capacity import capacity, kept_waiting, starved_pods, stranded_pods
from nodeworthy.collect.cluster.gpu_stack import stack_of
from nodeworthy.collect.cluster.groups import RuntimeGroup, group_nodes
from nodeworthy.collect.cluster.kinds import CLUSTER_POLICIES, DAEMONSETS, NODE_POOLS, NODES, PODS
from nodeworthy.collect.cluster.not_seen import NotSeen
from nodeworthy.collect.cluster.pod_scenes import pod_scene, verification, verification_scene
from nodeworthy.collect.cluster.relations import relations_in, scene_of
from nodeworthy.collect.cluster.seen import ClusterObjects
from nodeworthy.collect.cluster.toolkits import Toolkits
from nodeworthy.collect.objects import facts_of
from nodeworthy.collect.source.comments import annotation_suppressions
from nodeworthy.documents.tree import plant
from nodeworthy.facts.cluster.node import ClusterNode
from nodeworthy.facts.cluster.plugins_on_nodes import PluginsOnNodes, plugins_on_nodes
from nodeworthy.facts.cluster.unanswered_pods import UnansweredPods, Words, dns_is_down, unanswered_pods
from nodeworthy.facts.fleet.gpu_pool import GpuPool, gpu_pools
from nodeworthy.facts.fleet.karpenter import KarpenterPool
from nodeworthy.facts.hami.waiting import waiting_for_hami
from nodeworthy.facts.operator.driver_daemonset import DriversOnNodes, drivers_on_nodes
from nodeworthy.facts.operator.fleet_operator import with_release_of
from nodeworthy.facts.operator.recognition import with_its_release
from nodeworthy.facts.operator.toolkit_on_nodes import ToolkitOnNodes
from nodeworthy.facts.operator.values import OperatorValues
from nodeworthy.facts.profiling.nodes import WatchedNode, is_dedicated, watched_nodes
from nodeworthy.facts.profiling.promise import ProfilingPromise, promises_of_cluster
from nodeworthy.fleet.model import Fleet
from nodeworthy.scene import Fact, Missing, Scene, make_scene
from nodeworthy.suppression import Suppression
from nodeworthy.verdict import Located


def scenes(
    seen: ClusterObjects, fleet: Fleet | None, asked: frozenset[type[Any]], rules: frozenset[str]
) -> list[Scene]:
    """`asked` are the types that rules judge which were asked for by name: why they are missing is told as unknown,
    where they could not be seen. `rules` are the ids of all rules that a suppression may name."""
    return _Scenes(seen, fleet, asked, rules).all


class _Scenes:
    def __init__(
        self, seen: ClusterObjects, fleet: Fleet | None, asked: frozenset[type[Any]], rules: frozenset[str]
    ) -> None:
        self._seen = seen
        if seen.networks.are_there:
            seen.capacity.leave_out(seen.networks.is_of_network)
        self._fleet = fleet
        self._asked = asked
        self._rules = rules
        self._unseen = NotSeen(seen, asked)
        self._toolkits = Toolkits(seen, fleet, self._unseen)

    @property
    def all(self) -> list[Scene]:
        works = verification(self._seen, self._unseen)
        shared = hami.hami(self._seen, self._fleet, self._asked, self._rules)
        related = relations_in(self._seen)
        held = capacity(
            self._seen,
            self._fleet,
            works,
            waiting_for_hami(shared.facts),
            self._unseen,
            blamed=self._toolkits.nodes_without_runtime,
            told=related.victims,
        )
        told_otherwise = hami.TOLD | platform.TOLD
        pods = pod_scene(self._seen, self._unseen, self._rules, told_otherwise)
        verified = verification_scene(works, kept_waiting(held))
        others = [pods, verified, held, platform.platform(self._seen, self._fleet, self._unseen, self._rules), shared]
        return [
            self._of_toolkits(starved_pods(held)),
            gpu_parts(self._seen, self._fleet, self._unseen, self._rules),
            *self._policies(),
            *others,
            egress(self._seen, self._fleet),
            scene_of(related, self._unseen),
            stack_of(self._seen, self._unseen, stranded_pods(held)),
        ]

    def _of_toolkits(self, starved: Mapping[str, Sequence[str]]) -> Scene:
        served = [each.with_starved(starved) for each in self._toolkits.served]
        unserved = [each.with_starved(starved) for each in self._toolkits.unserved]
        facts: list[Fact] = [*self._seen.unreadable, *self._unseen.not_looked_at(), *served, *unserved]
        kept = [annotation_suppressions(each.document, self._rules, None) for each in self._seen.toolkits.values()]
        return make_scene(facts, {ToolkitOnNodes: self._toolkits.missing()}, [each for some in kept for each in some])

    # The operator's settings

    def _policies(self) -> Iterator[Scene]:
        """What the operator wants. Where its toolkit is there, that is judged by what it really mounts."""
        mounts = (ToolkitOnNodes,) if self._seen.toolkits else ()
        elsewhere = frozenset((WatchedNode, *mounts))
        policies = self._seen.documents[CLUSTER_POLICIES].values()
        if not policies:
            yield make_scene([], {OperatorValues: self._no_policy()}, elsewhere=elsewhere)
        for policy in policies:
            read = [self._with_release(each) if isinstance(each, OperatorValues) else each for each in facts_of(policy)]
            kept = annotation_suppressions(policy, self._rules, None)
            yield make_scene([*read, *self._pools()], {GpuPool: self._no_pool()}, kept, elsewhere=elsewhere)

    def _with_release(self, values: OperatorValues) -> OperatorValues:
        """Where it says none itself: what the operator that runs says, what made its toolkit, what the fleet names."""
        toolkits = [(each.release, each.place) for each in self._seen.toolkits.values() if each.release]
        found = with_its_release(values, [*self._seen.releases, *toolkits])
        (told,) = with_release_of(self._fleet, [found])
        return cast("OperatorValues", told)

    def _no_policy(self) -> Missing:
        return self._unseen.missing(OperatorValues, "there is no ClusterPolicy in the cluster", CLUSTER_POLICIES)

    def _no_pool(self) -> Missing:
        none = "no fleet and no GPU node say which containerd kubelet uses"
        return self._unseen.missing(GpuPool, none, NODES, blind=True)

    def _pools(self) -> Iterator[GpuPool]:
        """What the operator will serve as soon as it runs."""
        found = False
        for group in group_nodes([node for node in self._toolkits.gpu_nodes if node.is_gpu], self._fleet):
            if group.silent is None:
                found = True
                yield from split_by_containerd(group.pool or _pool_of_nodes(group, group.nodes[0]), group.nodes)
        if not found and self._fleet is not None:
            yield from gpu_pools(self._fleet)


def _pool_of_nodes(group: RuntimeGroup, first: ClusterNode) -> GpuPool:
    distribution = " or ".join(first.sign.distributions) if first.sign else "a distribution that it does not name"
    return GpuPool(first.name, first.place, Located.known(distribution, first.place), group.runtime, noun="node")


# Whether pods reach a name server, as a fact: from what those say that do not run.


def egress(seen: ClusterObjects, fleet: Fleet | None) -> Scene:
    logs = {name: Words(said.evidence, said.last_line) for name, said in seen.hami.logs.items()}
    nodes = {node.name: node for node in seen.nodes.values()}
    why = "no log of a pod that does not run says that it reaches no name server"
    if not seen.has(PODS):
        why = "no pods are in what was read"
    elif dns_is_down(seen.pods.values()):
        why = "the cluster's DNS itself does not run, so that no pod is answered"
    return make_scene(unanswered_pods(seen.pods.values(), nodes, logs, fleet), {UnansweredPods: why})


# Who hands out GPUs in a cluster, and which of its nodes are for profiling, as facts.


CONTAINERD = "containerd://"
# What is told here, and in no other scene of the same cluster.
TOLD: frozenset[type[Fact]] = frozenset((DriversOnNodes, KarpenterPool, PluginsOnNodes, ProfilingPromise, WatchedNode))


def gpu_parts(seen: ClusterObjects, fleet: Fleet | None, not_seen: NotSeen, rules: frozenset[str]) -> Scene:
    pods, nodes = list(seen.pods.values()), list(seen.nodes.values())
    facts: list[Fact] = [*seen.read(KarpenterPool, NODE_POOLS)]
    if seen.has(PODS):
        facts += plugins_on_nodes(seen.gpu_daemonsets, pods, nodes)
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


def split_by_containerd(pool: GpuPool, nodes: tuple[ClusterNode, ...]) -> Iterator[GpuPool]:
    """The pool once for each containerd that its nodes run, which they say themselves."""
    said = {_version(node): node for node in nodes}
    for version, node in said.items():
        yield replace(pool, containerd=Located.known(version, node.place.about("its containerd"))) if version else pool


def _version(node: ClusterNode) -> str:
    return node.runtime.removeprefix(CONTAINERD) if node.runtime.startswith(CONTAINERD) else ""
