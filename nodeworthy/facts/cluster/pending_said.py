"""A cause for which pods wait, and what is only known from their scheduler's words."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from nodeworthy.facts.cluster.asking_pod import AskingPod
from nodeworthy.facts.cluster.scheduling_events import reasons
from nodeworthy.facts.pod.containers import is_gpu_resource
from nodeworthy.known.evidence import Evidence, in_text
from nodeworthy.known.gpu_stack import bringer_of
from nodeworthy.patterns import pattern
from nodeworthy.records import dataclass
from nodeworthy.verdict import NOWHERE, Draft, Place, Related, fail, unknown

if TYPE_CHECKING:
    from nodeworthy.facts.cluster.pending_world import PendingWorld
    from nodeworthy.facts.cluster.pod import ClusterPod

_INSUFFICIENT = "Insufficient "
_UNBOUND = "pod has unbound immediate PersistentVolumeClaims"
_SHOWN = 3
# As the provisioner and the controller of claims write it.
_CLASS = pattern(r'storageclass(?:\.storage\.k8s\.io)? "(?P<name>[^"]{1,253})" not found')
# The scheduler's words for what is wrong with nodes, by how they begin; the remedy for each.
_REMEDIES = (
    ("Insufficient cpu", "ask for less CPU beside the GPUs, or move pods without GPUs away from GPU nodes"),
    ("Insufficient memory", "ask for less memory beside the GPUs, or move pods without GPUs away from GPU nodes"),
    ("Insufficient ephemeral-storage", "ask for less ephemeral-storage, or give the nodes larger disks"),
    ("Too many pods", "raise kubelet's maxPods, or move pods without GPUs away from GPU nodes"),
    (
        "node(s) had volume node affinity conflict",
        "make the volume in the zone of the GPU nodes (WaitForFirstConsumer)",
    ),
    ("node(s) didn't match pod anti-affinity", "relax the pods' anti-affinity, or add nodes"),
    ("node(s) didn't match pod affinity", "relax the pods' affinity, or start first the pods that it names"),
    (
        "node(s) didn't match pod topology spread",
        "relax topologySpreadConstraints, or add nodes where they are missing",
    ),
    (
        _UNBOUND,
        "see why its claim has no volume: kubectl get pvc, and describe the one that is Pending (its StorageClass)",
    ),
    ('persistentvolumeclaim "', "make the claim that the pod names, in its namespace: kubectl get pvc"),
    ("node(s) didn't find available persistent volumes", "make a volume that fits the claim on a node with GPUs"),
    ("node(s) exceed max volume count", "detach volumes, or spread the pods: a node takes only so many"),
    (
        "cannot allocate all claims",
        "see which devices its ResourceClaims ask for: kubectl get resourceclaims,resourceslices -A",
    ),
    ("node(s) didn't have free ports", "let the pods go without hostPort"),
)


@dataclass(frozen=True)
class PendingCause:
    # What makes two pods wait for the same.
    key: tuple[str, ...]
    # Unknown where it is none that can be named.
    draft: Draft
    # One more node like those that there are would take them.
    more_nodes_help: bool = False


# What events say of a claim on a volume, by its namespace and name: when, and what.
Claims = Mapping[tuple[str, str], tuple[str, str]]


def cause_in_events(pods: Sequence[AskingPod], words: str, world: PendingWorld) -> PendingCause:
    """The GPUs are there for them; what else keeps them, the scheduler alone knows, and events of their claims."""
    pod = pods[0]
    told = sorted(reasons(words), key=lambda each: -each[0])
    others = [(count, why) for count, why in told if not _is_about_gpus(why) and "taint" not in why]
    others = [(count, why) for count, why in others if "didn't match Pod's node affinity/selector" not in why]
    if others:
        count, why = others[0]
        of = {0: "", 1: " of one node"}.get(count, f" of {count} nodes")
        if why.startswith(_UNBOUND):
            return _unbound(pods, words, why, world.events.claims)
        unbrought = _not_brought(pod, words, why, world) if why.startswith(_INSUFFICIENT) else None
        if unbrought is not None:
            return unbrought
        own, by = _said_by_its_plugin(why, world)
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
            more_nodes_help=why.startswith(_INSUFFICIENT),
        )
    known = next((each.evidence for each in in_text(words) if not each.evidence.is_symptom), None)
    if known is not None and not told:
        return _cause_by_evidence(pod, words, known)
    why = f"GPUs enough are free on a node by what pods ask for, and {pod.scheduler} says: {words}"
    return _unknown(("unsaid", pod.scheduler, words), why, words)


def _known_of_nodes(why: str) -> Evidence | None:
    """The known cause of a scheduler's own words, where this table has no remedy for them."""
    if _remedy_in_table(why) is not None or why.startswith(_INSUFFICIENT):
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


def _not_brought(pod: AskingPod, words: str, why: str, world: PendingWorld) -> PendingCause | None:
    """A device that is no GPU, and whose plugin chooses none of the nodes that have the GPUs: nobody can offer it."""
    resource = why.removeprefix(_INSUFFICIENT)
    part = bringer_of(resource)
    plugins = [each for each in world.bringers if each.part == part] if part else []
    nodes = [node for node in world.nodes.values() if node.has_gpus and pod.choice.takes(node.labels, node.name)]
    if not plugins or not nodes or any(each.may_come(node) for each in plugins for node in nodes):
        return None
    plugin, node = plugins[0], nodes[0]
    barred = list(plugin.barred(node))
    return PendingCause(
        ("not brought", resource),
        fail(
            NOWHERE,
            f"the GPUs are free, and no node with them offers {resource}: {part} comes to none of them",
            is_=words,
            should=f"{plugin.namespace}/{plugin.name} on the nodes whose {resource} pods ask for",
            cause=f"its DaemonSet {plugin.namespace}/{plugin.name} leaves {node.title} out: "
            + "; ".join(barred[:_SHOWN]),
            remedy=f"let it choose these nodes (a newer release of its chart may know them, else nodeAffinity and "
            f"tolerations in its values); then kubectl describe node {node.name} | grep {resource}",
            related=[Related(plugin.place, each) for each in barred[:_SHOWN]],
            nodes=[each.name for each in nodes],
        ),
    )


def _said_by_its_plugin(why: str, world: PendingWorld) -> tuple[Evidence | None, str]:
    """The cause that the plugin of a device which is no GPU tells in its log, and its words; where a node offers it all
    the same, it is held by others, and what the plugin leaves out is another card."""
    resource = why.removeprefix(_INSUFFICIENT)
    words = "" if resource in world.brought else world.bringers_say.get(bringer_of(resource), "")
    known = next((each.evidence for each in in_text(words) if not each.evidence.is_symptom), None) if words else None
    return known, f"{bringer_of(resource)} says: {words}" if known is not None else ""


def _unbound(pods: Sequence[AskingPod], words: str, why: str, claims: Claims) -> PendingCause:
    """Which claim it is, and what the provisioner says of it."""
    every = dict.fromkeys((each.namespace, name) for each in pods for name in each.claims)
    failed = {key: claims[key][1] for key in every if key in claims}
    of = list(failed or every)
    named = ", ".join(f"'{name}'" for _, name in of[:_SHOWN]) + (" …" if len(of) > _SHOWN else "")
    because = "".join(f"; claim '{name}': {said}" for (_, name), said in list(failed.items())[:_SHOWN])
    which = "claim" if len(of) == 1 else "claims"
    first = next(iter(of), None)
    missing = next(filter(None, (_CLASS.search(each) for each in failed.values())), None)
    remedy = f"kubectl describe pvc -n {first[0]} {first[1]}: its events say why" if first else remedy_for(why)
    if missing is not None:
        remedy = f"make the StorageClass '{missing['name']}', or name one that there is: kubectl get storageclass"
    return PendingCause(
        ("said", pods[0].scheduler, why, *(f"{namespace}/{name}" for namespace, name in of)),
        fail(
            NOWHERE,
            f"the GPUs are free, and the {which} {named} on a volume {'is' if len(of) == 1 else 'are'} not bound"
            if of
            else f"the GPUs are free, and something else is not: {why}",
            is_=words,
            should="claims that are bound to volumes",
            cause=f"the scheduler says: {why}{because}",
            remedy=remedy,
            related=tuple(
                Related(Place(object=f"PersistentVolumeClaim/{namespace}/{name}"), "it is named by the pods")
                for namespace, name in of[:_SHOWN]
            ),
        ),
    )


def remedy_for(why: str) -> str:
    known = _remedy_in_table(why)
    if known is None and why.startswith(_INSUFFICIENT):
        resource = why.removeprefix(_INSUFFICIENT)
        return f"see which nodes have {resource}, and who holds it: kubectl describe nodes | grep {resource}"
    return known or "kubectl describe pod, and the scheduler's log"


def _remedy_in_table(why: str) -> str | None:
    return next((remedy for words, remedy in _REMEDIES if why.startswith(words)), None)


def _is_about_gpus(why: str) -> bool:
    return is_gpu_resource(why.removeprefix(_INSUFFICIENT)) if why.startswith(_INSUFFICIENT) else False


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
