"""The operator's toolkits on the nodes of a cluster, and nodes that none of them serves."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping
from dataclasses import replace
from functools import cached_property

from nodeworthy.collect.cluster.groups import RuntimeGroup, group_nodes, unseen_group
from nodeworthy.collect.cluster.kinds import CLUSTER_POLICIES, DAEMONSETS, EVENTS, NODES, PODS, RUNTIME_CLASSES
from nodeworthy.collect.cluster.not_seen import NotSeen
from nodeworthy.collect.cluster.seen import ClusterObjects, Key
from nodeworthy.documents.tree import Tree
from nodeworthy.facts.cluster.node import ClusterNode
from nodeworthy.facts.cluster.node_labels import POOL
from nodeworthy.facts.cluster.pending_kept_away import is_state
from nodeworthy.facts.cluster.pod import ClusterPod
from nodeworthy.facts.cluster.sandbox_failure import SandboxFailure, moment
from nodeworthy.facts.operator.toolkit_daemonset import OPT_OUT, ToolkitDaemonSet
from nodeworthy.facts.operator.toolkit_on_nodes import ToolkitOnNodes, UnservedFailures, victims_of
from nodeworthy.facts.operator.values import OperatorValues
from nodeworthy.fleet.model import Fleet
from nodeworthy.known.containerd import defaults
from nodeworthy.known.gpu_stack import TOOLKIT, waits_for
from nodeworthy.known.scaling import worker_of_taint
from nodeworthy.scene import Missing

# The node of an event that names none.
NOWHERE = ""


class Toolkits:
    def __init__(self, seen: ClusterObjects, fleet: Fleet | None, not_seen: NotSeen) -> None:
        self._seen = seen
        self._fleet = fleet
        self._unseen = not_seen

    @cached_property
    def served(self) -> list[ToolkitOnNodes]:
        return [each for daemonset in self._seen.toolkits.values() for each in self._of(daemonset)]

    @cached_property
    def unserved(self) -> list[UnservedFailures]:
        return list(self._without(self.served))

    @property
    def nodes_without_runtime(self) -> frozenset[str]:
        """The nodes on which no GPU's pod can start."""
        found = [name for each in self.served for name in each.nodes_without_runtime]
        return frozenset((*found, *(name for each in self.unserved for name in each.nodes)))

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
    def gpu_nodes(self) -> list[ClusterNode]:
        """Where a toolkit may run. Where nothing tells which nodes have GPUs, each may."""
        willing = [node for node in self._nodes if node.labels.get(OPT_OUT) != "false"]
        return [node for node in willing if node.is_gpu] or willing

    @cached_property
    def _namespaces(self) -> frozenset[str]:
        """The namespaces of which pods were seen."""
        return frozenset(namespace for namespace, _ in self._seen.pods)

    @property
    def _runtimes(self) -> Mapping[Key, Tree]:
        return self._seen.documents[RUNTIME_CLASSES]

    @cached_property
    def _handlers_of_classes(self) -> frozenset[str]:
        """The handlers that a RuntimeClass names and the toolkit does not write: the class's own rule judges them."""
        written = {name for each in self._seen.toolkits.values() for name in each.runtime_names}
        named = {each.get("handler").string for each in self._runtimes.values()}
        return frozenset(named - written if self._seen.toolkits else ())

    @cached_property
    def _failures_on(self) -> Mapping[str, list[SandboxFailure]]:
        found: dict[str, list[SandboxFailure]] = defaultdict(list)
        for failure in self._seen.failures.values():
            pod = self._seen.pods.get((failure.namespace, failure.pod))
            told = replace(failure, node=failure.node or (pod.node if pod else ""))
            if not self._is_history(told, pod):
                found[told.node].append(told)
        return found

    def _is_history(self, failure: SandboxFailure, pod: ClusterPod | None) -> bool:
        """Whether the failure is over: its pod has run since; or the pod is gone, and others have come up on its node
        with the same runtime."""
        if pod is not None and pod.phase != "Failed":
            return pod.ready or pod.phase == "Succeeded"
        return any(
            each.ready and self._handlers.get(each.runtime_class) == failure.runtime and _is_later(each.since, failure)
            for each in self._pods_on.get(failure.node, ())
        )

    @cached_property
    def _handlers(self) -> Mapping[str, str]:
        """What each RuntimeClass calls; the operator's own are called like theirs."""
        own = {name: name for each in self._seen.toolkits.values() for name in each.runtime_names}
        named = {name: each.get("handler").string for (_, name), each in self._runtimes.items()}
        return {defaults().runtime_class: defaults().runtime_class, **own, **named}

    @cached_property
    def _policy(self) -> OperatorValues | None:
        """The only one there is, as the operator wants it."""
        values = self._seen.read(OperatorValues, CLUSTER_POLICIES)
        return values[0] if len(values) == 1 else None

    def _of(self, daemonset: ToolkitDaemonSet) -> Iterator[ToolkitOnNodes]:
        pods = [pod for pod in self._seen.pods.values() if daemonset.owns(pod) and pod.node and not pod.is_over]
        groups = list(self._groups(daemonset, {pod.node for pod in pods}))
        alone = len(groups) == 1 and len(self._seen.toolkits) == 1
        found = [self._on_nodes(daemonset, group, pods, alone=alone) for group in groups]
        yield from (each.beside(found) for each in found)

    def _groups(self, daemonset: ToolkitDaemonSet, running_on: set[str]) -> Iterator[RuntimeGroup]:
        why = self._unseen.why(NODES)
        if why is not None and not self._seen.nodes:
            if running_on:
                yield unseen_group(sorted(running_on), why, silent=self._unseen.may_be_refused(NODES))
            return
        nodes = [node for node in self._nodes if node.name in running_on or self._may_come(daemonset, node)]
        alone = not daemonset.node_selector or len(self._seen.toolkits) == 1
        if not nodes and daemonset.runs_somewhere and alone:
            # It says that it runs, and its selector names labels that these nodes came without.
            nodes = self.gpu_nodes
        yield from group_nodes(nodes, self._fleet)

    def _may_come(self, daemonset: ToolkitDaemonSet, node: ClusterNode) -> bool:
        """Whether it chooses a node that has no taint which it does not tolerate: those are told for themselves."""
        of_stack = self._seen.stack.daemonsets.get((daemonset.namespace, daemonset.name))
        gpus = self._seen.capacity.nodes.get(node.name)
        if of_stack is None or gpus is None or not daemonset.chooses(node):
            return daemonset.chooses(node)
        away = of_stack.choice.kept_away(gpus)
        return not any(worker_of_taint(each.key) or (gpus.has_gpus and not is_state(each)) for each in away)

    def _on_nodes(
        self, daemonset: ToolkitDaemonSet, group: RuntimeGroup, pods: list[ClusterPod], *, alone: bool
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
        drivers = tuple(pod for name in sorted(names) for pod in self._pods_on.get(name, ()) if _is_drivers(pod))
        return ToolkitOnNodes(
            daemonset,
            group.nodes,
            group.runtime,
            silent=group.silent,
            pool=group.pool.title if group.pool else None,
            declared=group.declared,
            said=group.said,
            policy=self._policy,
            pods=own,
            words={pod.object: said for pod in (*own, *drivers) if (said := self._seen.words.get(pod.object))},
            failures=failures,
            victims=self._victims(names, failures, own, daemonset),
            proven_on=frozenset(name for name in names if self._has_run(name, daemonset.runtime_names)),
            drivers=drivers,
            now=self._seen.capacity.now,
            unseen=tuple(kind.plural for kind in (PODS, EVENTS) if not self._seen.has(kind)),
            cut=tuple(kind.plural for kind in (PODS, EVENTS) if self._seen.has(kind) and self._unseen.why(kind)),
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
        dark = {pod.node for pod in own if not pod.ready}
        held = [each.object for each in around or () if each.node in dark and waits_for(each.waits_in) == TOOLKIT]
        return tuple(dict.fromkeys((*waiting, *crashed, *held)))

    def _without(self, served: list[ToolkitOnNodes]) -> Iterator[UnservedFailures]:
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
            why = "the toolkit does not run there" if served else self.missing().why
            in_part = bool(self._seen.namespace) or any(self._unseen.why(kind) for kind in (DAEMONSETS, PODS, NODES))
            yield UnservedFailures(failures, victims, why, seen_in_part=in_part)

    def missing(self) -> Missing:
        if not self._seen.toolkits:
            where = f" in namespace {self._seen.namespace}" if self._seen.namespace else ""
            return self._unseen.missing(
                ToolkitOnNodes, f"no DaemonSet{where} is the operator's toolkit", DAEMONSETS, blind=True
            )
        return self._unseen.missing(ToolkitOnNodes, "the toolkit's DaemonSet runs on no node", NODES, blind=True)


def _is_its(failure: SandboxFailure, daemonset: ToolkitDaemonSet, handlers: Collection[str]) -> bool:
    """Or the fault of a RuntimeClass, which names a runtime that no toolkit was told to write."""
    if failure.runtime in daemonset.runtime_names:
        return True
    return failure.runtime.lower().startswith(defaults().runtime_class) and failure.runtime not in handlers


def _is_drivers(pod: ClusterPod) -> bool:
    return "driver" in pod.daemonset and "dra-driver" not in pod.daemonset and not pod.is_over


def _is_later(when: str, failure: SandboxFailure) -> bool:
    since = moment(when)
    return since is not None and failure.last is not None and since > failure.last
