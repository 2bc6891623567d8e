"""A cause for which pods wait, and what is only known from their scheduler's words."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from nodeworthy.facts.cluster.asking_pod import AskingPod
from nodeworthy.facts.cluster.pending_beside import NOT_AWAY, NOT_BESIDE, who_is_not_beside
from nodeworthy.facts.cluster.pending_cause import PendingCause
from nodeworthy.facts.cluster.pending_devices import INSUFFICIENT, not_brought, offered_by_none, said_by_its_plugin
from nodeworthy.facts.cluster.pending_volumes import ELSEWHERE, SEE_THE_CLAIM, UNBOUND, lies_elsewhere, unbound
from nodeworthy.facts.cluster.scheduling_events import reasons
from nodeworthy.facts.pod.containers import is_gpu_resource
from nodeworthy.known.evidence import Evidence, in_text
from nodeworthy.verdict import NOWHERE, Place, Related, fail, unknown

if TYPE_CHECKING:
    from nodeworthy.facts.cluster.pending_world import PendingWorld
    from nodeworthy.facts.cluster.pod import ClusterPod

# The scheduler's words for what is wrong with nodes, by how they begin; the remedy for each.
_REMEDIES = (
    ("Insufficient cpu", "ask for less CPU beside the GPUs, or move pods without GPUs away from GPU nodes"),
    ("Insufficient memory", "ask for less memory beside the GPUs, or move pods without GPUs away from GPU nodes"),
    ("Insufficient ephemeral-storage", "ask for less ephemeral-storage, or give the nodes larger disks"),
    ("Too many pods", "raise kubelet's maxPods, or move pods without GPUs away from GPU nodes"),
    *((each, "make the volume in the zone of the GPU nodes (WaitForFirstConsumer)") for each in ELSEWHERE),
    ("node(s) didn't match pod anti-affinity", "relax the pods' anti-affinity, or add nodes"),
    ("node(s) didn't match pod affinity", "relax the pods' affinity, or start first the pods that it names"),
    (
        "node(s) didn't match pod topology spread",
        "relax topologySpreadConstraints, or add nodes where they are missing",
    ),
    (UNBOUND, SEE_THE_CLAIM),
    ('persistentvolumeclaim "', "make the claim that the pod names, in its namespace: kubectl get pvc"),
    ("node(s) didn't find available persistent volumes", "make a volume that fits the claim on a node with GPUs"),
    ("node(s) exceed max volume count", "detach volumes, or spread the pods: a node takes only so many"),
    (
        "cannot allocate all claims",
        "see which devices its ResourceClaims ask for: kubectl get resourceclaims,resourceslices -A",
    ),
    ("node(s) didn't have free ports", "let the pods go without hostPort"),
)


def cause_in_events(pods: Sequence[AskingPod], words: str, world: PendingWorld) -> PendingCause:
    """The GPUs are there for them; what else keeps them, the scheduler alone knows, and events of their claims."""
    pod = pods[0]
    told = sorted(reasons(words), key=lambda each: -each[0])
    others = [(count, why) for count, why in told if not _is_about_gpus(why, world) and "taint" not in why]
    others = [(count, why) for count, why in others if "didn't match Pod's node affinity/selector" not in why]
    if others:
        count, why = others[0]
        of = {0: "", 1: " of one node"}.get(count, f" of {count} nodes")
        named = _by_the_objects(pods, words, why, world)
        if named is not None:
            return named
        own, by = said_by_its_plugin(why, world)
        known = own or _known_of_nodes(why)
        said = by or f"the scheduler says{of}: {why}"
        return PendingCause(
            ("said", pod.scheduler, why),
            fail(
                NOWHERE,
                f"the GPUs are free, and something else is not: {why}",
                is_=words,
                should="a node with enough of everything that the pod asks for",
                cause=f"{known.why}; {said}" if known is not None else said,
                remedy=known.mending if known is not None else remedy_for(why),
            ),
            more_nodes_help=why.startswith(INSUFFICIENT),
        )
    known = next((each.evidence for each in in_text(words) if not each.evidence.is_symptom), None)
    if known is not None and not told:
        return _cause_by_evidence(pod, words, known)
    why = f"GPUs enough are free on a node by what pods ask for, and {pod.scheduler} says: {words}"
    return _unknown(("unsaid", pod.scheduler, words), why, words)


def _by_the_objects(pods: Sequence[AskingPod], words: str, why: str, world: PendingWorld) -> PendingCause | None:
    """What the objects tell of it that the scheduler only counts."""
    if why.startswith(UNBOUND):
        return unbound(pods, words, why, world.events.claims)
    if why.startswith((NOT_BESIDE, NOT_AWAY)):
        return who_is_not_beside(pods[0], words, why, world)
    if why.startswith(ELSEWHERE):
        return lies_elsewhere(pods, world)
    if why.startswith(INSUFFICIENT):
        told, _ = said_by_its_plugin(why, world)
        return not_brought(pods[0], words, why, world) or (offered_by_none(words, why, world) if not told else None)
    return None


def _known_of_nodes(why: str) -> Evidence | None:
    """The known cause of a scheduler's own words, where this table has no remedy for them."""
    if _remedy_in_table(why) is not None or why.startswith(INSUFFICIENT):
        return None
    found = (each.evidence for each in in_text(f"0/1 nodes are available: 1 {why}."))
    return next((each for each in found if not each.is_symptom and not each.is_family), None)


def _cause_by_evidence(pod: AskingPod, words: str, known: Evidence) -> PendingCause:
    """What a scheduler says of the pod itself, and not of nodes."""
    return PendingCause(
        ("said", pod.scheduler, known.id),
        fail(
            NOWHERE,
            f"{pod.scheduler} does not place them: {known.says}",
            is_=words,
            should="a pod that its scheduler places",
            cause=known.cause,
            remedy=known.mending,
        ),
    )


def remedy_for(why: str) -> str:
    known = _remedy_in_table(why)
    if known is None and why.startswith(INSUFFICIENT):
        resource = why.removeprefix(INSUFFICIENT)
        return f"see which nodes have {resource}, and who holds it: kubectl describe nodes | grep {resource}"
    return known or "kubectl describe pod, and the scheduler's log"


def _remedy_in_table(why: str) -> str | None:
    return next((remedy for words, remedy in _REMEDIES if why.startswith(words)), None)


def _is_about_gpus(why: str, world: PendingWorld) -> bool:
    resource = why.removeprefix(INSUFFICIENT)
    return resource != why and is_gpu_resource(resource) and not world.networks.is_of_network(resource)


def _unknown(key: tuple[str, ...], why: str, words: str) -> PendingCause:
    remedy = "kubectl describe pod, and the scheduler's log"
    return PendingCause(key, unknown(NOWHERE, why, is_=words, remedy=remedy))


def without_words(pod: AskingPod, world: PendingWorld) -> PendingCause:
    """The cause where nothing says why. Only where everything that could say it was read, nobody has said it."""
    silent = world.silent
    if pod.was_looked_at:
        why = f"{pod.scheduler} placed them nowhere, and why it did not is not in what was read"
        return _unknown(("unread", pod.scheduler), f"{why}: {silent or 'no event says it'}", "PodScheduled: False")
    if silent is not None:
        why = f"whether {pod.scheduler} has looked at them is not in what was read: {silent}"
        return _unknown(("unread", pod.scheduler), why, f"schedulerName: {pod.scheduler}")
    missed = world.schedulers.get(pod.scheduler)
    return _never_looked_at(pod) if missed is None else _is_not_there(pod, *missed)


def _is_not_there(pod: AskingPod, scheduler: ClusterPod, words: str) -> PendingCause:
    """The pods are looked at by nobody, for the only one who would does not run."""
    known = next((each.evidence for each in in_text(words) if not each.evidence.is_symptom), None)
    at = f"-n {scheduler.namespace} {scheduler.name}"
    why = f"{known.why}; " if known is not None else ""
    told = f"it said: {words}" if words else f"it is {scheduler.fault or 'not ready'}"
    return PendingCause(
        ("unseen", pod.scheduler),
        fail(
            NOWHERE,
            f"their scheduler, '{pod.scheduler}', does not run",
            is_=(scheduler.fault or "not ready")
            + (f" after {scheduler.restarts} restarts" if scheduler.restarts else ""),
            should="a scheduler of this name that runs",
            cause=f"{why}{told}; a pod waits for the scheduler that it names, and no other takes it",
            remedy=known.mending if known is not None else f"read why: kubectl logs {at} --all-containers --previous",
            related=(Related(Place(object=scheduler.object), "it is called after it"),),
        ),
    )


def _never_looked_at(pod: AskingPod) -> PendingCause:
    ours = pod.scheduler == "default-scheduler"
    return PendingCause(
        ("unseen", pod.scheduler),
        fail(
            NOWHERE,
            f"no scheduler has looked at them: they ask for '{pod.scheduler}'",
            is_=f"schedulerName: {pod.scheduler}, and no word of it (no PodScheduled condition, no event)",
            should="a scheduler of this name that runs",
            cause="a pod waits for the scheduler that it names, and no other takes it",
            remedy="look whether kube-scheduler runs and leads"
            if ours
            else f"run '{pod.scheduler}', or leave schedulerName out of the pods",
        ),
    )
