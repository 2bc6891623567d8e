"""Pods that wait because no node that has the GPUs may take them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence

from nodeworthy.facts.cluster.asking_pod import AskingPod
from nodeworthy.facts.cluster.cordon import who_cordoned
from nodeworthy.facts.cluster.no_library import FINDS_NO_DRIVER
from nodeworthy.facts.cluster.node_gpus import NodeGpus, Taint
from nodeworthy.facts.cluster.node_labels import label_that_switches_off
from nodeworthy.facts.cluster.offered_gpus import fares
from nodeworthy.facts.cluster.pending_cause import PendingCause
from nodeworthy.facts.cluster.pending_world import PendingWorld
from nodeworthy.facts.pod.containers import GPU
from nodeworthy.known.evidence import in_text
from nodeworthy.known.scaling import worker_of_taint
from nodeworthy.records import replace
from nodeworthy.verdict import NOWHERE, Related, fail

_UNVERIFIED = "nodeworthy/unverified"
_AWAY = "what a pod does not tolerate keeps it away"
SHOWN = 3
_CORDON = "node.kubernetes.io/unschedulable"
# Kueue hands on to pods what the flavor by which it lets them in tolerates.
_BY_FLAVOR = " (work of Kueue's: in spec.tolerations of its ResourceFlavor)"
SET_BY_KUBERNETES = {
    _CORDON: ("are cordoned", "kubectl uncordon NODE, once what it was for is done"),
    "node.kubernetes.io/not-ready": ("are not ready", "look why the nodes' kubelets are not ready"),
    "node.kubernetes.io/unreachable": ("are unreachable", "look why the nodes' kubelets do not answer"),
    "node.kubernetes.io/disk-pressure": (
        "are short of disk",
        "make room on the node (crictl rmi --prune, logs, what pods wrote), or give it a larger disk: kubelet takes "
        "the taint away by itself",
    ),
    "node.kubernetes.io/memory-pressure": ("are short of memory", "see who takes it: kubectl top pods -A"),
    "node.kubernetes.io/pid-pressure": ("are short of process ids", "see who has them: ps -eLf on the node"),
    "node.kubernetes.io/network-unavailable": ("have no network yet", "look why their CNI plugin is not ready"),
    "ToBeDeletedByClusterAutoscaler": ("are about to be deleted", "let the autoscaler keep a node for them"),
    _UNVERIFIED: (
        "are not verified yet",
        "nodeworthy node --taint node://NODE verifies a node and takes the taint away",
    ),
}


def what_does_not_clear_it(taint: Taint, world: PendingWorld) -> str:
    """What should take it away and does not work there, and what it says."""
    pod, words = world.clearing.get(taint.key, (None, ""))
    if pod is None:
        return ""
    told = f"; it said: {words}" if words and words not in pod.last_words else ""
    known = next((each.evidence for each in in_text(words) if not each.evidence.is_symptom), None)
    return f"; it does not come to that: {fares([pod])}{f': {known.why}' if known is not None else ''}{told}"


# Of a node that offers its GPUs: its driver is there, and the plugin has found it.
_STARTED_TOO_SOON = (
    "feature discovery has no driver library in its container, and the device plugin of these nodes has: it was "
    "started before the driver was there, and does not look again, or NVIDIA's runtime does not start it",
    "delete its pods, so that they start anew: kubectl delete pod -n NAMESPACE -l app=gpu-feature-discovery; where "
    "that does not help, give its DaemonSet the plugin's runtimeClassName; to be sure: kubectl get ds -A -o "
    "custom-columns=NAME:.metadata.name,CLASS:.spec.template.spec.runtimeClassName | grep -E 'plugin|discovery'",
)


def not_chosen(pod: AskingPod, resource: str, world: PendingWorld) -> PendingCause:
    offering = world.offering(resource)
    shown = pod.choice.shown
    unset = [key for key in _keys(pod) if is_of_discovery(key) and not any(key in node.labels for node in offering)]
    known = next((each.evidence for each in in_text(world.unlabelled)), None) if unset else None
    if known is not None:
        said, remedy = _STARTED_TOO_SOON if known.id in FINDS_NO_DRIVER else (known.why, known.mending)
        why = f"; nothing has set {unset[0]}: {said}; it said: {world.unlabelled}"
    else:
        why, remedy = "", "label the nodes that are meant, or choose labels that they have: kubectl get nodes -L "
        remedy += ",".join(_keys(pod) or ("kubernetes.io/hostname",))
    return PendingCause(
        ("not chosen", resource, shown),
        fail(
            NOWHERE,
            f"no node with {resource} has the labels that they choose",
            is_=shown,
            should="labels of a node that has GPUs",
            cause=f"{_nodes(len(offering))} {resource}, and none of them fits nodeSelector and required node affinity"
            + why,
            remedy=remedy,
        ),
    )


def taken_out_node(pod: AskingPod, resource: str, world: PendingWorld) -> PendingCause | None:
    """A node that would take it, where somebody keeps what would offer their GPUs from all of these."""
    dark = [node for node in world.nodes.values() if node.has_gpus and not node.capacity.get(resource)]
    off = {node.name: label_that_switches_off(node.labels) for node in dark if pod.choice.takes(node.labels, node.name)}
    if resource != GPU or not off or not all(off.values()):
        return None
    name, label = next(iter(off.items()))
    node = world.nodes[name]
    return PendingCause(
        ("switched off", node.name),
        fail(
            node,
            f"they choose {node.title}, whose GPUs nobody offers: its label {label} says false",
            is_=f"{label}=false",
            should=f"no such label on {node.title}, or pods that choose other nodes",
            cause="the GPU operator brings nothing, or no device plugin, to a node with it: somebody took the node out "
            "(for a repair, for virtual machines, for another plugin)",
            remedy=f"where that is over: kubectl label node {node.name} {label}-; else let the pods choose other nodes",
            nodes=[node.name],
        ),
    )


def is_of_discovery(label: str) -> bool:
    """Whether it is a label that feature discovery sets."""
    return label.startswith(("nvidia.com/", "feature.node.kubernetes.io/"))


def _keys(pod: AskingPod) -> tuple[str, ...]:
    selection = pod.choice.selection
    return tuple(dict.fromkeys((*selection.selector, *(each.key for term in selection.terms for each in term))))


def _nodes(count: int) -> str:
    return "one node has" if count == 1 else f"{count} nodes have"


def cause_of_taints(
    resource: str, amount: int, chosen: Sequence[NodeGpus], away: Mapping[str, Sequence[Taint]], world: PendingWorld
) -> PendingCause:
    """The nodes that have enough are tainted, or not ready."""
    able = [node for node in chosen if node.capacity.get(resource, 0) >= amount]
    taints = Counter(taint for node in able for taint in away.get(node.name, ()))
    if not taints:
        return _not_ready(resource, able)
    taint, count = taints.most_common(1)[0]
    how, remedy = SET_BY_KUBERNETES.get(taint.key) or while_it_starts(taint) or _of_others(taint, world)
    all_of_them = "the only node" if len(able) == 1 else f"{count} of {len(able)} nodes"
    told = ", ".join(f"{each} on {times}" for each, times in taints.most_common(4))
    with_it = [node for node in able if taint in away.get(node.name, ())]
    who = who_cordoned(with_it[:SHOWN]) if is_a_cordon(taint) else ""
    return PendingCause(
        ("tainted", resource, str(taint)),
        fail(
            NOWHERE,
            f"the nodes that have {resource} {how} ({taint})",
            is_=f"{all_of_them} with {taint}",
            should="a node with GPUs whose taints they tolerate",
            cause=f"{_until(taint)}: {told}{f'; {who}' if who else ''}{what_does_not_clear_it(taint, world)}",
            remedy=remedy,
            related=tuple(Related(node.place, f"{node.title} has {taint}") for node in with_it[:SHOWN]),
            link="allocatable" if is_state(taint) else "pod",
            nodes=[node.name for node in with_it],
        ),
    )


def is_state(taint: Taint) -> bool:
    """Whether it says how the node is, and not for whom it is."""
    return taint.key in SET_BY_KUBERNETES or worker_of_taint(taint.key) is not None


def is_a_cordon(taint: Taint) -> bool:
    return taint.key == _CORDON


def with_uncordon(cause: PendingCause, nodes: Sequence[NodeGpus]) -> PendingCause:
    """The shortest way, where a cordoned node has room."""
    if not nodes:
        return cause
    names, who = " ".join(node.name for node in nodes[:SHOWN]), who_cordoned(nodes[:SHOWN])
    remedy = f"kubectl uncordon {names}, once what it was for is done; else {cause.draft.remedy}"
    told = f"{cause.draft.cause}; {who}" if who else cause.draft.cause
    return replace(cause, draft=replace(cause.draft, remedy=remedy, cause=told))


def _until(taint: Taint) -> str:
    who = worker_of_taint(taint.key)
    return f"no pod comes to a node before {who} has taken its taint away" if who else _AWAY


def while_it_starts(taint: Taint) -> tuple[str, str] | None:
    """Why a startup taint is still there: it goes as soon as its owner's part works on the node, and a pod that came
    before would do without that part."""
    who = worker_of_taint(taint.key)
    if who is None:
        return None
    remedy = (
        f"look why {who} is not ready on these nodes; where Karpenter starts them, list {taint.key} under the "
        "NodePool's spec.template.spec.startupTaints, else it starts more of them for the same pods"
    )
    return f"wait for {who} to be ready there", remedy


def _of_others(taint: Taint, world: PendingWorld) -> tuple[str, str]:
    remedy = (
        f"tolerate {taint} where the nodes are meant for them{_BY_FLAVOR if world.has_quotas else ''}, or remove it"
    )
    return "have a taint that they do not tolerate", remedy


def _not_ready(resource: str, able: Sequence[NodeGpus]) -> PendingCause:
    how, remedy = SET_BY_KUBERNETES["node.kubernetes.io/not-ready"]
    return PendingCause(
        ("not ready", resource),
        fail(
            NOWHERE,
            f"the nodes that have {resource} {how}",
            is_=f"{len(able)} nodes that are not Ready",
            should="a node with GPUs that is Ready",
            cause="the scheduler places nothing on a node whose kubelet is not ready",
            remedy=remedy,
            related=tuple(Related(each.place, f"{each.title} is not Ready") for each in able[:SHOWN]),
            nodes=[each.name for each in able],
        ),
    )
