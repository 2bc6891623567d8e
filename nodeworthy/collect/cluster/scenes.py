"""Turns what was seen of a cluster into the facts that rules are about."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from typing import Any

from nodeworthy.collect.cluster.capacity import capacity, kept_waiting, starved_of
from nodeworthy.collect.cluster.egress import egress
from nodeworthy.collect.cluster.gpu_parts import by_containerd, gpu_parts
from nodeworthy.collect.cluster.groups import Group, grouped, unseen
from nodeworthy.collect.cluster.hami import hami
from nodeworthy.collect.cluster.kinds import CLUSTER_POLICIES, DAEMONSETS, EVENTS, KINDS, NODES, PODS, Kind
from nodeworthy.collect.cluster.platform import platform
from nodeworthy.collect.cluster.pod_scenes import of_pods, of_verification, verification
from nodeworthy.collect.cluster.seen import Seen
from nodeworthy.collect.source.comments import annotated
from nodeworthy.documents.plain import text_at
from nodeworthy.documents.tree import plant
from nodeworthy.engine import Fact, Missing, Scene
from nodeworthy.facts.cluster.node import ClusterNode
from nodeworthy.facts.cluster.node_labels import POOL
from nodeworthy.facts.cluster.pod import ClusterPod
from nodeworthy.facts.cluster.sandbox_failure import SandboxFailure
from nodeworthy.facts.fleet.gpu_pool import GpuPool, gpu_pools
from nodeworthy.facts.hami.waiting import of_hami
from nodeworthy.facts.not_seen import NotLookedAt
from nodeworthy.facts.operator.recognition import of_cluster_policy
from nodeworthy.facts.operator.toolkit_daemonset import OPT_OUT, ToolkitDaemonSet
from nodeworthy.facts.operator.toolkit_on_nodes import ToolkitOnNodes, UnservedFailures, victims_of
from nodeworthy.facts.operator.values import OperatorValues
from nodeworthy.fleet.model import Fleet
from nodeworthy.known.containerd import defaults
from nodeworthy.suppression import Suppression
from nodeworthy.verdict import Located, Place, Verdict

# The rule that can be proven by ClusterPolicies alone.
NEEDS_POLICY = "toolkit-env-wellformed"
# And the one for which there is something better.
BY_MOUNTS = "containerd-paths"
# And the one that is judged by what runs.
BY_PODS = "dcgm-off-profiling-nodes"
# The node of an event that names none.
NOWHERE = ""


def scenes(seen: Seen, fleet: Fleet | None, asked: frozenset[str], rules: frozenset[str]) -> list[Scene]:
    return _Scenes(seen, fleet, asked, rules).all


class _Scenes:
    def __init__(self, seen: Seen, fleet: Fleet | None, asked: frozenset[str], rules: frozenset[str]) -> None:
        self._seen = seen
        self._fleet = fleet
        self._asked = asked
        self._rules = rules

    @property
    def all(self) -> list[Scene]:
        works = verification(self._seen, self._why_unseen)
        shared = hami(self._seen, self._fleet, self._asked, self._rules)
        held = capacity(
            self._seen, self._fleet, works, self._rules, of_hami(shared.facts), blamed=self._without_runtime
        )
        pods = of_pods(self._seen, self._why_unseen, self._asked, self._rules)
        verified = of_verification(works, kept_waiting(held))
        others = [pods, verified, held, platform(self._seen, self._fleet, self._rules), shared]
        return [
            self._toolkits(starved_of(held)),
            gpu_parts(self._seen, self._fleet, self._rules),
            *self._policies(),
            *others,
            egress(self._seen, self._fleet),
        ]

    def _toolkits(self, starved: Mapping[str, Sequence[str]]) -> Scene:
        served = [each.with_starved(starved) for each in self._all_served]
        unserved = [each.with_starved(starved) for each in self._all_unserved]
        facts: list[Fact] = [*self._seen.unreadable, *self._not_looked_at(), *served, *unserved]
        kept = [self._suppressions(each.data, each.place) for each in self._seen.toolkits.values()]
        return Scene(facts, {ToolkitOnNodes: self._no_toolkit()}, [each for some in kept for each in some])

    @cached_property
    def _all_served(self) -> list[ToolkitOnNodes]:
        return [each for daemonset in self._seen.toolkits.values() for each in self._served(daemonset)]

    @cached_property
    def _all_unserved(self) -> list[UnservedFailures]:
        return list(self._unserved(self._all_served))

    @property
    def _without_runtime(self) -> frozenset[str]:
        """The nodes on which no GPU's pod can start."""
        found = [name for each in self._all_served for name in each.nodes_without_runtime]
        return frozenset((*found, *(name for each in self._all_unserved for name in each.nodes)))

    # What could not be seen

    def _why_unseen(self, kind: Kind) -> str | None:
        if kind.plural in self._seen.refused:
            return f"the server refused to list {kind.full_name}: {self._seen.refused[kind.plural]}"
        if kind is NODES and not self._seen.nodes and any(self._pods_on):
            return "pods run on nodes, and none of these nodes is in what was read"
        return None if self._seen.has(kind) else f"no {kind.full_name} are in what was read"

    def _may_be_refused(self, kind: Kind) -> bool:
        """Who may look into one namespace only is rightly refused what belongs to none."""
        return bool(self._seen.namespace) and not kind.namespaced and kind.plural in self._seen.refused

    def _not_looked_at(self) -> Iterator[NotLookedAt]:
        for kind in KINDS:
            why = self._why_unseen(kind)
            if why is not None and kind.core and not self._may_be_refused(kind):
                yield NotLookedAt(Place(subject=kind.plural), why, remedy=_remedy(kind, self._seen))

    def _missing(self, kind: Kind, none: str) -> Missing:
        """Why there are no facts of a kind: not seen, or not there."""
        why = self._why_unseen(kind)
        if why is None:
            return Missing(none, place=Place(subject=kind.plural))
        skipped = self._may_be_refused(kind) or not (kind.core or kind.plural in self._seen.refused)
        return Missing(why, Verdict.SKIP if skipped else Verdict.UNKNOWN, Place(subject=kind.plural))

    def _no_toolkit(self) -> Missing:
        if not self._seen.toolkits:
            where = f" in namespace {self._seen.namespace}" if self._seen.namespace else ""
            return self._missing(DAEMONSETS, f"no DaemonSet{where} is the operator's toolkit")
        return self._missing(NODES, "the toolkit's DaemonSet runs on no node")

    # The toolkit on its nodes

    @cached_property
    def _pods_on(self) -> Mapping[str, list[ClusterPod]]:
        found: dict[str, list[ClusterPod]] = defaultdict(list)
        for pod in self._seen.pods.values():
            found[pod.node].append(pod)
        return found

    @cached_property
    def _nodes(self) -> list[ClusterNode]:
        """The nodes, with what others say of them: few dumps were written by a feature discovery."""
        pools = {pool.name for pool in self._fleet.gpu_pools} if self._fleet is not None else set()
        base = defaults().runtime_class
        used = {pod.node for pod in self._seen.pods.values() if pod.wants_gpus or pod.runtime_class.startswith(base)}
        used |= {
            name for name, some in self._failures_on.items() if any(each.runtime.startswith(base) for each in some)
        }
        return [
            replace(node, used_for_gpus=node.name in used or node.labels.get(POOL) in pools)
            for node in self._seen.nodes.values()
        ]

    @property
    def _gpu_nodes(self) -> list[ClusterNode]:
        """Where a toolkit may run. Where nothing tells which nodes have GPUs, each may."""
        willing = [node for node in self._nodes if node.labels.get(OPT_OUT) != "false"]
        return [node for node in willing if node.is_gpu] or willing

    @cached_property
    def _namespaces(self) -> frozenset[str]:
        """Those of which pods were seen."""
        return frozenset(namespace for namespace, _ in self._seen.pods)

    @cached_property
    def _handlers_of_classes(self) -> frozenset[str]:
        """Those that a RuntimeClass names and the toolkit does not write: the class's own rule tells of them."""
        written = {name for each in self._seen.toolkits.values() for name in each.runtime_names}
        named = {text_at(each, "handler") for each in self._seen.gpu_pods.runtimes.values()}
        return frozenset(named - written if self._seen.toolkits else ())

    @cached_property
    def _failures_on(self) -> Mapping[str, list[SandboxFailure]]:
        found: dict[str, list[SandboxFailure]] = defaultdict(list)
        for failure in self._seen.failures.values():
            pod = self._seen.pods.get((failure.namespace, failure.pod))
            node = failure.node or (pod.node if pod else "")
            found[node].append(replace(failure, node=node))
        return found

    @cached_property
    def _policy(self) -> OperatorValues | None:
        """The only one there is, as the operator wants it."""
        values = [_values(each) for each in self._seen.policies.values()]
        return values[0] if len(values) == 1 else None

    def _served(self, daemonset: ToolkitDaemonSet) -> Iterator[ToolkitOnNodes]:
        pods = [pod for pod in self._seen.pods.values() if daemonset.owns(pod) and pod.node and not pod.is_over]
        groups = list(self._groups(daemonset, {pod.node for pod in pods}))
        alone = len(groups) == 1 and len(self._seen.toolkits) == 1
        for group in groups:
            yield self._on_nodes(daemonset, group, pods, alone=alone)

    def _groups(self, daemonset: ToolkitDaemonSet, running_on: set[str]) -> Iterator[Group]:
        why = self._why_unseen(NODES)
        if why is not None:
            if running_on:
                yield unseen(sorted(running_on), why, silent=self._may_be_refused(NODES))
            return
        nodes = [node for node in self._nodes if node.name in running_on or daemonset.chooses(node)]
        alone = not daemonset.node_selector or len(self._seen.toolkits) == 1
        if not nodes and daemonset.runs_somewhere and alone:
            # It says that it runs, and its selector names labels that these nodes came without.
            nodes = self._gpu_nodes
        yield from grouped(nodes, self._fleet)

    def _on_nodes(
        self, daemonset: ToolkitDaemonSet, group: Group, pods: list[ClusterPod], *, alone: bool
    ) -> ToolkitOnNodes:
        names = {node.name for node in group.nodes}
        # An event may not say on which node it was; where there is only one kind of nodes, it was on one of them.
        names |= {NOWHERE} if alone else set()
        own = tuple(pod for pod in pods if pod.node in names)
        failures = tuple(
            each
            for name in names
            for each in self._failures_on.get(name, ())
            if _is_its(each, daemonset, self._handlers_of_classes)
        )
        return ToolkitOnNodes(
            daemonset,
            group.nodes,
            group.runtime,
            silent=group.silent,
            pool=group.pool.title if group.pool else None,
            says=group.says,
            policy=self._policy,
            pods=own,
            words={pod.object: said for pod in own if (said := self._seen.words.get(pod.object))},
            failures=failures,
            victims=self._victims(names, failures, own, daemonset),
            proven_on=frozenset(name for name in names if self._has_run(name, daemonset.runtime_names)),
            unseen=tuple(kind.plural for kind in (PODS, EVENTS) if self._why_unseen(kind)),
        )

    def _has_run(self, node: str, runtimes: frozenset[str]) -> bool:
        return any(pod.runtime_class in runtimes and pod.has_run for pod in self._pods_on.get(node, ()))

    def _victims(
        self,
        nodes: set[str],
        failures: tuple[SandboxFailure, ...],
        own: tuple[ClusterPod, ...],
        daemonset: ToolkitDaemonSet,
    ) -> tuple[str, ...]:
        around = [pod for name in nodes for pod in self._pods_on.get(name, ())] if self._seen.has(PODS) else None
        waiting = victims_of(failures, around, self._namespaces, daemonset.runtime_names)
        crashed = [pod.object for pod in own if pod.fault and not pod.ready]
        return tuple(dict.fromkeys((*waiting, *crashed)))

    def _unserved(self, served: list[ToolkitOnNodes]) -> Iterator[UnservedFailures]:
        """One finding for all of them: nobody brings these nodes the runtime, or it was not seen who does."""
        covered = {node.name for each in served for node in each.nodes}
        covered |= {failure.node for each in served for failure in each.failures}
        base = defaults().runtime_class
        failures = tuple(
            each
            for name, some in self._failures_on.items()
            if name not in covered
            for each in some
            if each.runtime.lower().startswith(base) and each.runtime not in self._handlers_of_classes
        )
        pods = [pod for name in {each.node for each in failures} for pod in self._pods_on.get(name, ())]
        victims = victims_of(failures, pods if self._seen.has(PODS) else None, self._namespaces, frozenset((base,)))
        if failures and victims:
            why = "the toolkit does not run there" if served else self._no_toolkit().why
            in_part = bool(self._seen.namespace) or any(self._why_unseen(kind) for kind in (DAEMONSETS, PODS, NODES))
            yield UnservedFailures(failures, victims, why, seen_in_part=in_part)

    # The operator's settings

    def _policies(self) -> Iterator[Scene]:
        """What the operator wants. Where its toolkit is there, that is judged by what it really mounts."""
        elsewhere = frozenset((BY_MOUNTS, BY_PODS) if self._seen.toolkits else (BY_PODS,))
        if not self._seen.policies:
            yield Scene([], {OperatorValues: self._no_policy()}, judged_elsewhere=elsewhere)
        for data in self._seen.policies.values():
            values = _values(data)
            kept = self._suppressions(data, values.place)
            yield Scene([values, *self._pools()], {GpuPool: self._no_pool()}, kept, elsewhere)

    def _no_policy(self) -> Missing:
        missing = self._missing(CLUSTER_POLICIES, "there is no ClusterPolicy in the cluster")
        unseen = self._why_unseen(CLUSTER_POLICIES) is not None
        if unseen and NEEDS_POLICY in self._asked and not self._may_be_refused(CLUSTER_POLICIES):
            return replace(missing, verdict=Verdict.UNKNOWN)
        return missing

    def _no_pool(self) -> Missing:
        if self._why_unseen(NODES):
            return self._missing(NODES, "")
        return Missing("no fleet and no GPU node say which containerd kubelet uses")

    def _pools(self) -> Iterator[GpuPool]:
        """What the operator will serve as soon as it runs."""
        found = False
        for group in grouped([node for node in self._gpu_nodes if node.is_gpu], self._fleet):
            if group.silent is None:
                found = True
                yield from by_containerd(group.pool or _pool_of_nodes(group, group.nodes[0]), group.nodes)
        if not found and self._fleet is not None:
            yield from gpu_pools(self._fleet)

    def _suppressions(self, data: Mapping[str, Any], place: Place) -> list[Suppression]:
        return list(annotated(plant(data, place), self._rules, None))


def _pool_of_nodes(group: Group, first: ClusterNode) -> GpuPool:
    distribution = " or ".join(first.sign.distributions) if first.sign else "a distribution that it does not name"
    return GpuPool(first.name, first.place, Located.known(distribution, first.place), group.runtime, noun="node")


def _is_its(failure: SandboxFailure, daemonset: ToolkitDaemonSet, handlers: Collection[str]) -> bool:
    """Or the fault of a RuntimeClass, which names a runtime that no toolkit was told to write."""
    if failure.runtime in daemonset.runtime_names:
        return True
    return failure.runtime.lower().startswith(defaults().runtime_class) and failure.runtime not in handlers


def _values(data: Mapping[str, Any]) -> OperatorValues:
    name = data.get("metadata", {}).get("name")
    return of_cluster_policy(plant(data, Place(object=f"ClusterPolicy/{name}")))


def _remedy(kind: Kind, seen: Seen) -> str:
    if kind.plural in seen.refused:
        return f"give the account that looks the right to list {kind.full_name}"
    everywhere = " -A" if kind.namespaced else ""
    return f"kubectl get {kind.full_name}{everywhere} -o json > {kind.plural}.json"
