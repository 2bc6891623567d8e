"""A cause for which pods wait, and what is only known from their scheduler's words."""

from __future__ import annotations

from nodeworthy.facts.cluster.asking_pod import AskingPod
from nodeworthy.facts.cluster.scheduling_events import reasons
from nodeworthy.facts.pod.gpu_resources import is_gpu_resource
from nodeworthy.records import dataclass
from nodeworthy.verdict import Related

_INSUFFICIENT = "Insufficient "
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
        "pod has unbound immediate PersistentVolumeClaims",
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
    says: str
    is_: str
    should: str
    cause: str
    remedy: str
    related: tuple[Related, ...] = ()
    # Why it is none that can be named.
    why_unknown: str | None = None


def said(pod: AskingPod, words: str) -> PendingCause:
    """The GPUs are there for it; what else keeps it, the scheduler alone knows."""
    told = sorted(reasons(words), key=lambda each: -each[0])
    others = [(count, why) for count, why in told if not _is_about_gpus(why) and "taint" not in why]
    others = [(count, why) for count, why in others if "didn't match Pod's node affinity/selector" not in why]
    if others:
        count, why = others[0]
        of = {0: "", 1: " of one node"}.get(count, f" of {count} nodes")
        return PendingCause(
            ("said", pod.scheduler, why),
            f"the GPUs are free, and something else is not: {why}",
            words,
            "a node with enough of everything that the pod asks for",
            f"the scheduler says{of}: {why}",
            _remedy(why),
        )
    unknown = f"GPUs enough are free on a node by what pods ask for, and {pod.scheduler} says: {words}"
    return _unknown(("unsaid", pod.scheduler, words), unknown, words)


def _remedy(why: str) -> str:
    known = next((remedy for words, remedy in _REMEDIES if why.startswith(words)), None)
    if known is None and why.startswith(_INSUFFICIENT):
        resource = why.removeprefix(_INSUFFICIENT)
        return f"see which nodes have {resource}, and who holds it: kubectl describe nodes | grep {resource}"
    return known or "kubectl describe pod, and the scheduler's log"


def _is_about_gpus(why: str) -> bool:
    return is_gpu_resource(why.removeprefix(_INSUFFICIENT)) if why.startswith(_INSUFFICIENT) else False


def _unknown(key: tuple[str, ...], why: str, words: str) -> PendingCause:
    return PendingCause(key, why, words, "", "", "kubectl describe pod, and the scheduler's log", why_unknown=why)


def without_words(pod: AskingPod, silent: str | None) -> PendingCause:
    """Nothing says why. Only where all that could say it was read, nobody has said it."""
    if pod.was_looked_at:
        why = f"{pod.scheduler} placed them nowhere, and why it did not is not in what was read"
        return _unknown(("unread", pod.scheduler), f"{why}: {silent or 'no event says it'}", "PodScheduled: False")
    if silent is not None:
        why = f"whether {pod.scheduler} has looked at them is not in what was read: {silent}"
        return _unknown(("unread", pod.scheduler), why, f"schedulerName: {pod.scheduler}")
    return _never_looked_at(pod)


def _never_looked_at(pod: AskingPod) -> PendingCause:
    ours = pod.scheduler == "default-scheduler"
    return PendingCause(
        ("unseen", pod.scheduler),
        f"no scheduler has looked at them: they ask for '{pod.scheduler}'",
        f"schedulerName: {pod.scheduler}, and no word of it (no PodScheduled condition, no event)",
        "a scheduler of this name that runs",
        "a pod waits for the scheduler that it names, and no other takes it",
        "look whether kube-scheduler runs and leads"
        if ours
        else f"run '{pod.scheduler}', or leave schedulerName out of the pods",
    )
