"""The capacity of a cluster as facts: what kubelets refused, which pods wait, and why."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from functools import partial

from nodeworthy.collect.cluster.gpu_stack import starts_no_nodes
from nodeworthy.collect.cluster.kinds import (
    CLUSTER_QUEUES,
    DAEMONSETS,
    DEVICE_CLASSES,
    EVENTS,
    NODES,
    PODS,
    RESOURCE_SLICES,
)
from nodeworthy.collect.cluster.logs import missed_schedulers
from nodeworthy.collect.cluster.not_seen import NotSeen
from nodeworthy.collect.cluster.seen import ClusterObjects
from nodeworthy.facts.cluster.admission_causes import (
    Admissions,
    AdmissionWorld,
    refused_for_lost_devices,
    refused_on_nodes,
)
from nodeworthy.facts.cluster.asking_pod import AskingPod
from nodeworthy.facts.cluster.claimed_devices import ClaimFault
from nodeworthy.facts.cluster.claiming_pods import ClaimingPod, claiming_pods
from nodeworthy.facts.cluster.idle_holders import HeldGpus, held_gpus
from nodeworthy.facts.cluster.ledger import Ledger, ledger
from nodeworthy.facts.cluster.node_gpu_count import NodeGpuCount, node_gpu_counts
from nodeworthy.facts.cluster.node_gpus import NodeGpus, WatchedGpus, watched_gpus
from nodeworthy.facts.cluster.offered_gpus import OfferedGpus, UnofferedGpus, offered_gpus, unoffered_gpus
from nodeworthy.facts.cluster.pending_causes import Waiting, waiting
from nodeworthy.facts.cluster.pending_world import PendingWorld
from nodeworthy.facts.cluster.pod import ClusterPod
from nodeworthy.facts.cluster.sandbox_failure import moment
from nodeworthy.facts.cluster.scheduling_events import QuotaRefusal
from nodeworthy.facts.cluster.stack_daemonset import absent_everywhere, placeless_plugins, plugins_shut_out
from nodeworthy.facts.cluster.telling_words import telling_part
from nodeworthy.facts.fleet.node_size import sizes_of_nodes
from nodeworthy.facts.hami.shares import shared_devices
from nodeworthy.facts.hami.waiting import OfHami
from nodeworthy.facts.operator.daemonset_manifest import Part
from nodeworthy.facts.pod.containers import GPU
from nodeworthy.facts.verification.work import VerificationWork
from nodeworthy.fleet.model import Fleet
from nodeworthy.known.evidence import in_text
from nodeworthy.known.gpu_stack import DEVICE_PLUGIN, DRA_DRIVER, DRIVER, bringers, brings_gpus
from nodeworthy.scene import Fact, Missing, Scene, make_scene
from nodeworthy.verdict import Place, Verdict

_NOTHING_TELLS = "nothing tells what GPUs do: no answer of Prometheus, and no container that ended beside one that runs"


def capacity(
    seen: ClusterObjects,
    fleet: Fleet | None,
    works: list[VerificationWork],
    shared: OfHami,
    not_seen: NotSeen,
    *,
    blamed: frozenset[str],
    told: frozenset[str],
) -> Scene:
    """`blamed` are the nodes that have no runtime for GPUs, and `told` the pods that wait, of which another rule says
    why."""
    clustered = {node.name: node for node in seen.nodes.values()}
    world = _world(seen, works, shared, blamed)
    refused = refused_for_lost_devices(seen.capacity.refusals, _admission_world(seen))
    counts = list(
        node_gpu_counts(clustered, fleet, seen.capacity.waiting, world, refused, stopped=_stopped(seen.pods.values()))
    )
    watched = watched_gpus(seen.capacity.nodes.values(), {each.node.name: each.waiting for each in counts})
    return make_scene([*_facts(seen, works, world, told), *counts, *watched], dict(_missing(seen, not_seen)))


def _stopped(pods: Iterable[ClusterPod]) -> dict[str, ClusterPod]:
    """By node, what its GPUs are registered by and does not run: the driver before the plugin, which needs it."""
    found: dict[str, ClusterPod] = {}
    for pod in pods:
        stops = pod.part in (DRIVER, DEVICE_PLUGIN) and pod.fault and not pod.is_over and not pod.ready
        if stops and (pod.part == DRIVER or pod.node not in found):
            found[pod.node] = pod
    return found


def _facts(
    seen: ClusterObjects, works: list[VerificationWork], world: PendingWorld, told: frozenset[str]
) -> Iterator[Fact]:
    kept = seen.capacity
    if kept.refusals or (seen.has(PODS) and kept.has_gpus):
        yield _admissions(seen, works)
    held = held_gpus(kept.holders, kept.usage, kept.nodes)
    if held is not None:
        yield held
    if not _sees_all(seen):
        return
    quotas = [_with_those_in_vain(each, kept.waiting) for each in kept.quotas if not seen.outlives(each.maker)]
    absent = absent_everywhere(DRA_DRIVER, seen.stack.daemonsets.values(), kept.nodes.values())
    claims = [each for each in kept.claiming.values() if each.object not in told]
    claiming = tuple(claiming_pods(claims, kept.events, kept.now, absent, partial(_claim_fault, seen)))
    waits = replace(waiting(kept.waiting, world, {*world.hami.explained, *told}, quotas), claiming=claiming)
    if kept.has_gpus or kept.has_claims:
        yield waits
    if kept.has_gpus or world.unoffered.nodes:
        yield _offered(seen, world, waits)


def _with_those_in_vain(quota: QuotaRefusal, waiting: Sequence[AskingPod]) -> QuotaRefusal:
    """A quota counts pods that no node takes as well. One that is scoped may not; more than are counted do not."""
    some = [pod for pod in waiting if pod.namespace == quota.namespace and pod.amounts.get(quota.resource)]
    asked = sum(pod.amounts[quota.resource] for pod in some)
    if not quota.used.isdecimal() or asked > int(quota.used):
        return quota
    return replace(quota, taken_by=tuple(sorted(pod.object for pod in some)))


def _claim_fault(seen: ClusterObjects, pod: ClaimingPod) -> ClaimFault | None:
    return seen.claimed.fault(
        pod.namespace,
        (*pod.claims, *seen.claimed.made_for(pod.namespace, pod.beginnings)),
        knows_classes=seen.has_all(DEVICE_CLASSES),
        knows_slices=seen.has_all(RESOURCE_SLICES),
    )


def _sees_all(seen: ClusterObjects) -> bool:
    return seen.has_all(PODS) and seen.has_all(NODES) and not seen.namespace


def _offered(seen: ClusterObjects, world: PendingWorld, waits: Waiting) -> OfferedGpus:
    shut_out = plugins_shut_out(seen.stack.daemonsets.values(), world.unoffered.nodes.values())
    uncut = {name for name, node in world.unoffered.nodes.items() if node.is_not_cut}
    elsewhere = world.unoffered.nodes if waits.tells_of_no_offer else {*world.blamed, *shut_out, *uncut}
    return offered_gpus(world.unoffered, seen.gpu_daemonsets, elsewhere, waits.starved)


def _world(seen: ClusterObjects, works: list[VerificationWork], shared: OfHami, blamed: frozenset[str]) -> PendingWorld:
    kept, sizes = seen.capacity, sizes_of_nodes(seen.nodes.values())
    held = _by_verification(works)
    return PendingWorld(
        kept.nodes,
        kept.held,
        kept.events,
        sizes,
        kept.now,
        held,
        shared,
        _unoffered(seen, shared),
        seen.why_not_all(EVENTS),
        blamed,
        placeless_plugins((*seen.stack.daemonsets.values(), *seen.stack.sharing.values()), kept.nodes.values()),
        tuple(each for each in seen.stack.daemonsets.values() if not brings_gpus(each.part)),
        _said_by_bringers(seen),
        frozenset(kept.offered),
        _telling_plugin(seen),
        _said_of_labels(seen),
        starts_no_nodes(seen),
        seen.claimed.nodes_with_gpus,
        seen.starters_say,
        tuple(each for each in seen.stack.daemonsets.values() if each.part == DEVICE_PLUGIN),
        {pod.clears: _with_words(pod, seen) for pod in seen.pods.values() if _should_clear(pod, kept.nodes)},
        {name: _with_words(pod, seen) for name, pod in missed_schedulers(seen).items()},
        bool(seen.documents[CLUSTER_QUEUES]),
        seen.networks,
        seen.bound,
        seen.pods.values(),
    )


def _should_clear(pod: ClusterPod, nodes: Mapping[str, NodeGpus]) -> bool:
    """Whether its node has GPUs, and keeps the taint that goes by it alone."""
    node = nodes.get(pod.node) if pod.clears and not pod.ready and not pod.is_over else None
    return node is not None and node.has_gpus and any(each.key == pod.clears for each in node.taints)


def _with_words(pod: ClusterPod, seen: ClusterObjects) -> tuple[ClusterPod, str]:
    return pod, telling_part(pod.last_words or seen.words.get(pod.object, ""))


def _telling_plugin(seen: ClusterObjects) -> tuple[ClusterPod, str] | None:
    silent: ClusterPod | None = None
    for pod in seen.pods.values():
        plugin = seen.gpu_daemonsets.get((pod.namespace, pod.daemonset)) if pod.daemonset else None
        if plugin is not None and plugin.part is Part.DEVICE_PLUGIN and pod.node and not pod.is_over:
            said = seen.words_while_ready if pod.ready else seen.words
            words = pod.last_words or said.get(pod.object, "")
            if words and in_text(words):
                return pod, telling_part(words)
            silent = silent or pod
    return (silent, "") if silent is not None else None


def _said_by_bringers(seen: ClusterObjects) -> dict[str, str]:
    """What the plugins of devices that are no GPUs say while they run."""
    pods = [pod for pod in seen.pods.values() if pod.part in bringers() and pod.object in seen.words_while_ready]
    return {pod.part: seen.words_while_ready[pod.object] for pod in reversed(pods)}


def _said_of_labels(seen: ClusterObjects) -> str:
    """The words of feature discovery, NVIDIA's or the node's, whose newer images are the device plugin's."""
    pods = (pod for pod in seen.pods.values() if "feature-discovery" in pod.name)
    words = (seen.words_while_ready.get(pod.object) or seen.words.get(pod.object, "") for pod in pods)
    return next(filter(None, words), "")


def _unoffered(seen: ClusterObjects, shared: OfHami) -> UnofferedGpus:
    """GPUs that no node offers. GPUs that HAMi shares are for its own rules to tell, and a driver of dynamic resources
    offers its own otherwise."""
    elsewhere = shared.is_there or shared.is_missed or seen.claims_devices
    if elsewhere or not _sees_all(seen) or not seen.has_all(DAEMONSETS):
        return UnofferedGpus()
    kept = seen.capacity
    words = {**seen.stack.said, **seen.words, **seen.words_while_ready}
    return unoffered_gpus(
        seen.nodes.values(), kept.nodes, seen.pods.values(), seen.gpu_daemonsets, kept.now, words=words
    )


def _by_verification(works: list[VerificationWork]) -> dict[tuple[str, str], int]:
    """What verification holds that another rule finds fault with."""
    found: Counter[tuple[str, str]] = Counter()
    for work in works:
        if not work.yields:
            for pod in work.pods:
                found[pod.node, GPU] += work.gpus // len(work.pods)
    return found


def _admissions(seen: ClusterObjects, works: list[VerificationWork]) -> Admissions:
    elsewhere = {name for work in works if not work.yields for name in work.rejected}
    refusals, world = seen.capacity.refusals, _admission_world(seen)
    elsewhere.update(name for names in refused_for_lost_devices(refusals, world).values() for name in names)
    return Admissions(tuple(refused_on_nodes(refusals, world, elsewhere)))


def _admission_world(seen: ClusterObjects) -> AdmissionWorld:
    kept = seen.capacity
    return AdmissionWorld(kept.nodes, kept.held, kept.events, _plugins(seen))


def _plugins(seen: ClusterObjects) -> dict[str, datetime]:
    """When the device plugin's pod on a node became ready."""
    found = {}
    for pod in seen.pods.values():
        plugin = seen.gpu_daemonsets.get((pod.namespace, pod.daemonset)) if pod.daemonset else None
        when = moment(pod.since) if plugin is not None and plugin.part is not Part.DCGM_EXPORTER else None
        if when is not None and pod.ready:
            found[pod.node] = when
    return found


def _missing(seen: ClusterObjects, not_seen: NotSeen) -> Iterator[tuple[type[Fact], Missing]]:
    no_gpus, missing = "no node has GPUs and no pod asks for any", not_seen.missing
    yield Admissions, missing(Admissions, no_gpus, PODS, EVENTS)
    measured = _unmeasured(seen) if seen.has_all(PODS) else None
    yield HeldGpus, measured or missing(HeldGpus, _NOTHING_TELLS, PODS)
    yield NodeGpuCount, missing(NodeGpuCount, "no node offers GPUs", NODES)
    yield WatchedGpus, missing(WatchedGpus, "no condition of a node tells how its GPUs are: nobody watches them", NODES)
    yield Waiting, _only_one(seen) or missing(Waiting, no_gpus, PODS, NODES)


def _unmeasured(seen: ClusterObjects) -> Missing | None:
    """The missing usage, told to everybody who named a Prometheus."""
    why = seen.capacity.usage.unseen
    return Missing(f"what GPUs do is not known: {why}", Verdict.UNKNOWN, Place(subject="prometheus")) if why else None


def _only_one(seen: ClusterObjects) -> Missing | None:
    if not seen.namespace:
        return None
    return Missing(f"only namespace {seen.namespace} was looked at, and others hold GPUs, too")


def ledger_of(seen: ClusterObjects) -> Ledger:
    kept = seen.capacity
    one, nodes, pods = _only_one(seen), seen.why_not_all(NODES), seen.why_not_all(PODS)
    in_part = one.why if one is not None else nodes or pods
    counted = ledger(kept.nodes, kept.held, kept.waiting, kept.usage, in_part)
    devices = shared_devices(seen.nodes.values(), seen.hami.shares.values())
    dark = _unoffered(seen, OfHami())
    return replace(
        counted,
        devices=devices,
        unoffered={name: dark.count(name) for name in sorted(dark.nodes)},
        nodes_in_part=nodes is not None,
        pods_in_part=bool(one or pods),
        pods_unseen=not seen.has(PODS),
    )


def starved_pods(scene: Scene) -> Mapping[str, Sequence[str]]:
    """The pods that wait for the GPUs of a node which nobody offers, by its name."""
    return next((fact.starved for fact in scene.facts if isinstance(fact, Waiting)), {})


def stranded_pods(scene: Scene) -> tuple[str, ...]:
    """The pods that wait for a node of Karpenter's, whose own objects say why none comes."""
    return next((fact.stranded for fact in scene.facts if isinstance(fact, Waiting)), ())


def kept_waiting(scene: Scene) -> tuple[str, ...]:
    """The pods that wait for what verification holds."""
    return tuple(name for fact in scene.facts if isinstance(fact, Waiting) for name in fact.verified)
