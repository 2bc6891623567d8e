"""The pods of a cluster as facts, with what they are judged by: the classes and the nodes that there are."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from nodeworthy.collect.cluster.kinds import DAEMONSETS, EVENTS, JOBS, NODES, RUNTIME_CLASSES
from nodeworthy.collect.cluster.not_seen import NotSeen
from nodeworthy.collect.cluster.seen import ClusterObjects
from nodeworthy.collect.source.comments import annotation_suppressions
from nodeworthy.facts.cluster.classes import ClusterClasses, RuntimeClass
from nodeworthy.facts.cluster.live_pod import live_template
from nodeworthy.facts.cluster.refused_pod import RefusedPods
from nodeworthy.facts.cluster.stack_daemonset import StackDaemonSet
from nodeworthy.facts.fleet.node_size import NodeSize, sizes_of_nodes
from nodeworthy.facts.pod.template import PodTemplate
from nodeworthy.facts.verification.work import VerificationWork, verification_works
from nodeworthy.known.verification import OPT_OUTS
from nodeworthy.scene import Fact, Missing, Scene, make_scene
from nodeworthy.suppression import Suppression
from nodeworthy.verdict import Place, Verdict


def verification(seen: ClusterObjects, not_seen: NotSeen) -> list[VerificationWork]:
    """The pods that verify nodes. They are judged by what they hold."""
    pods, unseen_jobs = seen.gpu_pods, not_seen.why(JOBS) is not None
    said = ((each.name, OPT_OUTS.items() & each.labels.items()) for each in seen.nodes.values())
    opted_out = {name: "=".join(min(labels)) for name, labels in said if labels}
    bounds = None if unseen_jobs else pods.bounds
    return list(verification_works(pods.groups(), pods.rejected, bounds, pods.now, opted_out))


def verification_scene(works: list[VerificationWork], waiting: tuple[str, ...]) -> Scene:
    """The scene of verifications. Pods that wait for what a verification holds are victims, as those are that a kubelet
    turned away."""
    told = [each if each.yields else replace(each, rejected=(*each.rejected, *waiting)) for each in works]
    return make_scene(told, {VerificationWork: "nothing here verifies"})


def pod_scene(
    seen: ClusterObjects,
    not_seen: NotSeen,
    rules: frozenset[str],
    elsewhere: frozenset[type[Any]],
) -> Scene:
    """The types of `elsewhere` other scenes tell of the same pods."""
    templates = [live_template(kept, pods) for kept, pods in seen.gpu_pods.groups()]
    runtimes = seen.read(RuntimeClass, RUNTIME_CLASSES)
    facts: list[Fact] = [*templates, *_refused(seen)]
    unseen = not_seen.why(RUNTIME_CLASSES)
    if unseen is None:
        facts += [*runtimes, _classes(seen, runtimes)]
    if not_seen.why(NODES) is None:
        facts += sizes_of_nodes(seen.nodes.values())
    kept = [each for pod in templates for each in _suppressions(pod, rules)]
    said = dict(_missing(seen, not_seen))
    return make_scene(facts, said, kept, elsewhere={VerificationWork, *elsewhere})


def _refused(seen: ClusterObjects) -> Iterator[RefusedPods]:
    """Events outlive what they tell of: a Job that is gone, a DaemonSet that names another class, or none."""
    for each in seen.gpu_pods.refused:
        maker = each.place.object or ""
        daemonset = _of_stack(seen, maker)
        if daemonset is None and not seen.outlives(maker):
            yield each
        elif daemonset is not None and each.runtime_class in (None, daemonset.runtime_class):
            yield replace(each, nodes=_chosen(seen, daemonset))


def _of_stack(seen: ClusterObjects, maker: str) -> StackDaemonSet | None:
    kind, namespace, name = (*maker.split("/"), "", "")[:3]
    return seen.stack.daemonsets.get((namespace, name)) if kind == DAEMONSETS.kind else None


def _chosen(seen: ClusterObjects, daemonset: StackDaemonSet) -> tuple[str, ...]:
    """Nodes with GPUs, which miss its pods."""
    nodes = (each for each in seen.capacity.nodes.values() if each.has_gpus)
    return tuple(each.name for each in nodes if daemonset.choice.takes(each.labels, each.name))


def _classes(seen: ClusterObjects, runtimes: list[RuntimeClass]) -> ClusterClasses:
    toolkits = list(seen.toolkits.values())
    handlers = sorted({name for each in toolkits for name in each.runtime_names})
    return ClusterClasses(
        Place(subject=RUNTIME_CLASSES.plural),
        tuple(runtimes),
        handlers=tuple(handlers) or None,
        maker=toolkits[0].place if toolkits else None,
        is_whole=True,
        pods_of=_by_class(seen),
    )


def _by_class(seen: ClusterObjects) -> dict[str, list[str]]:
    found: dict[str, list[str]] = defaultdict(list)
    for pod in seen.pods.values():
        if pod.runtime_class and not pod.ready and not pod.is_over:
            found[pod.runtime_class].append(pod.object)
    return {name: sorted(pods) for name, pods in found.items()}


def _missing(seen: ClusterObjects, not_seen: NotSeen) -> Iterator[tuple[type[Any], Missing]]:
    yield PodTemplate, Missing("no pod in what was read has to do with GPUs")
    yield RefusedPods, Missing(seen.why_not_all(EVENTS) or "no event says that a pod with GPUs was refused")
    yield NodeSize, Missing("no node in what was read has GPUs")
    classes = not_seen.missing(RuntimeClass, "the cluster has no RuntimeClass", RUNTIME_CLASSES)
    yield RuntimeClass, classes
    if not_seen.why(RUNTIME_CLASSES) is not None:
        yield ClusterClasses, replace(classes, verdict=Verdict.SKIP)


def _suppressions(pod: PodTemplate, rules: frozenset[str]) -> Iterator[Suppression]:
    """The suppressions in a pod's annotations. They hold for all pods that are made like it."""
    yield from annotation_suppressions(pod.document, rules, None)
