"""Pods with GPUs beside groups of nodes that eksctl, EKS or Karpenter makes: their taints and their labels."""

from __future__ import annotations

import posixpath
from collections.abc import Sequence

from nodeworthy.facts.fleet.gpu_pool import NODE_POOL, PoolDoor
from nodeworthy.facts.fleet.karpenter import OF_POOL
from nodeworthy.facts.fleet.node_taint import untolerated_taint
from nodeworthy.facts.pod.containers import GPU
from nodeworthy.facts.pod.node_choice import is_of_gpu_nodes
from nodeworthy.facts.pod.template import PodTemplate
from nodeworthy.known.scaling import worker_of_taint
from nodeworthy.records import replace
from nodeworthy.rules.nodepool_can_serve import RULE, fault_of_taint
from nodeworthy.verdict import Draft, Findings, Located, Related, Severity, fail, skip, unknown

# Kueue gives its pods the tolerations and labels of the flavour that it chooses.
_QUEUE = "kueue.x-k8s.io/queue-name"
_NO_OTHERS = "and no other nodes with GPUs are asked for here"
_WAITS = "no node takes the pod: it stays Pending"


@RULE.check
def a_pod_may_come_to_a_group(pod: PodTemplate, doors: Sequence[PoolDoor]) -> Findings:
    if why := _why_not_asked(pod, doors):
        skip(why)
    kept = [found for each in doors if (found := _kept_from(pod, each)) is not None]
    if len(kept) < len(doors):
        return
    if pod.elsewhere is not None and pod.spec.get("tolerations").is_absent:
        yield unknown(pod, f"whether {pod.title} tolerates the taints of its nodes is not known: {pod.elsewhere}")
        return
    yield replace(kept[0], severity=_severity(pod, doors))


def _why_not_asked(pod: PodTemplate, doors: Sequence[PoolDoor]) -> str:
    """Empty where it asks for whole GPUs, and for nothing that nodes of others have."""
    if pod.live is not None:
        return "why it waits in a cluster, pending-explained says"
    if GPU not in pod.gpu_resources:
        return "it asks for no whole GPUs"
    if not doors:
        return "nothing here asks for nodes with GPUs"
    if all(each.pool.noun == NODE_POOL for each in doors) and _lie_together(pod, doors):
        return "only Karpenter is asked for nodes with GPUs, and its NodePools beside the pod say what they take"
    if _QUEUE in pod.labels:
        return "Kueue gives it the tolerations of the flavour that it chooses"
    if pod.selection.why_hidden is not None:
        return "which nodes it chooses is not known"
    named = tuple(pod.selection.wanted(OF_POOL))
    if named and not any(each.has(OF_POOL, name) for each in doors for name in named):
        return f"it chooses NodePool '{named[0]}', which is not here"
    known = {label for each in doors for label in each.labels}
    strange = [each for each in pod.selection.labels if each not in known and not is_of_gpu_nodes(each)]
    return f"it chooses nodes by {strange[0]}, of which none of these says anything" if strange else ""


def _kept_from(pod: PodTemplate, door: PoolDoor) -> Draft | None:
    for label, has in door.labels.items():
        if pod.selection.refuses(label, has.shown()):
            return _of_another_label(pod, door, label, has)
    taint = untolerated_taint(door.pool.machines.taints, pod.spec.get("tolerations"), pod.gpu_resources)
    if taint is None or worker_of_taint(taint.key) is not None:
        return None
    return fault_of_taint(pod, taint, door.title, _NO_OTHERS, _WAITS)


def _severity(pod: PodTemplate, doors: Sequence[PoolDoor]) -> Severity:
    """An error where the files lie together; else other files may make the nodes that are meant."""
    is_sure = _lie_together(pod, doors) and not any(each.pool.is_likely for each in doors)
    return Severity.ERROR if is_sure else Severity.WARNING


def _lie_together(pod: PodTemplate, doors: Sequence[PoolDoor]) -> bool:
    places = (pod.place, *(each.place for each in doors))
    return len({posixpath.dirname(each.file) for each in places}) == 1


def _of_another_label(pod: PodTemplate, door: PoolDoor, label: str, has: Located[str]) -> Draft:
    wanted = " or ".join(pod.selection.wanted(label)) or f"another {label}"
    return fail(
        pod.selection.where(label),
        f"{pod.title} chooses nodes by {label}, and those with GPUs that are asked for here have another",
        is_=f"{label}: {wanted}",
        should=f"{label}: {has.shown()}",
        related=[Related(has.place, f"{door.title} has {label}: {has.shown()}")],
        cause=_WAITS,
        remedy=f"choose {label}: {has.shown()}, or give the nodes that are meant the label {label}: {wanted}",
        link="pod",
    )
