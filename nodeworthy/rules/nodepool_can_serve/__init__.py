"""A NodePool of Karpenter's lets the pods beside it be served: its limits, its taints, its requirements.

Karpenter starts a node only where, by the NodePool alone, the pod would fit on it, and says no more of it than an event
of the pod. So a pool may look right and never start anything: `spec.limits` allow fewer GPUs than the smallest of its
types has; a taint that somebody else takes away as soon as the node is set up (Cilium's, the EBS driver's) stands under
`taints` and not under `startupTaints`, so that no pod tolerates it; the pod that names the pool does not tolerate its
taint, or chooses an instance type, a zone or a label that the pool's nodes never have. The other way round, a taint of
GPU nodes under `startupTaints` is one that nobody takes away: Karpenter counts on it to go, the pod never runs, and
another node is started for it.

A taint that is called as the resource for which a pod asks keeps that pod away from nothing: the API servers of EKS add
the toleration (ExtendedResourceToleration).

Pods are judged that choose a NodePool by its name; a pod that asks for GPUs and chooses nothing is judged against the
pools in its own folder, where no other nodes with GPUs are asked for. Beside node groups (eksctl's, a stack's managed
ones) a pod is judged that asks for GPUs and chooses nodes by no label but theirs: of files that lie apart others may
make its nodes, and that is a warning.

Nor does a pool serve anything that the API server refuses: v1 has fewer fields and other words than v1beta1 had (no
`apiVersion` in nodeClassRef, no WhenUnderutilized, no disruption without consolidateAfter), and an EC2NodeClass that
chooses images by their ids must name its amiFamily. A field that v1 does not have (`kubelet` of a NodePool, `operator`
of a taint) kubectl refuses as well, and what else applies it drops.

The pods by which a node offers its GPUs must come to it, too: the operator's (`daemonsets.tolerations`), those of node
feature discovery, by whose label the operator knows a node with GPUs (`node-feature-discovery.worker.tolerations`), and
those of a device plugin of one's own. A list in values stands instead of the chart's. And discovery must set the
label: by `deviceLabelFields` other than the vendor (with its class before it, or without), or a `deviceClassWhitelist`
without the class 03 of GPUs, it does not.
"""

from __future__ import annotations

from nodeworthy.documents.tree import Tree
from nodeworthy.facts.fleet.karpenter import KarpenterPool
from nodeworthy.facts.fleet.node_taint import NodeTaint
from nodeworthy.facts.fleet.served_pods import (
    OF_POOL,
    NodePools,
    contradictions,
    gpu_limit,
    keeps_away,
    least_gpus,
)
from nodeworthy.facts.pod.containers import GPU
from nodeworthy.facts.pod.template import PodTemplate
from nodeworthy.known.scaling import worker_of_taint
from nodeworthy.rule import Rule
from nodeworthy.verdict import Draft, Findings, Related, Severity, fail, need, skip

RULE = Rule(
    "nodepool-can-serve",
    severity=Severity.ERROR,
    title="A NodePool's types, limits and taints let the pods beside it be served",
    remedy="let the NodePool start what the pods ask for, and let the pods tolerate its taints",
)

_NEVER = (
    "Karpenter starts no node that the pod could not go to: it stays Pending, and an event of the pod alone says why"
)


@RULE.check
def its_limits_allow_one_node(pool: KarpenterPool) -> Findings:
    limit = gpu_limit(pool)
    most, smallest = need(limit), least_gpus(pool)
    if most is None:
        return
    needed, of_type = smallest if smallest is not None else (1, "a node with GPUs")
    if most < needed:
        yield fail(
            limit,
            f"{pool.title} may never start a node: its limit is below what its smallest type has",
            is_=f"{GPU}: {most}",
            should=f"at least {needed}, which {of_type} has",
            cause="Karpenter leaves out every type with which the pool would exceed spec.limits: all available "
            "instance types exceed limits for nodepool",
            remedy=f"raise spec.limits.{GPU} to the GPUs of as many nodes as the pool may have",
            link="pod",
        )


@RULE.check
def its_taints_are_of_the_right_kind(pool: KarpenterPool) -> Findings:
    for taint in pool.taints("taints"):
        need(taint.located())
        who = worker_of_taint(taint.get("key").text or "")
        if who is not None:
            yield _of_the_start(pool, taint, who)
    for taint in pool.taints("startupTaints"):
        if taint.get("key").text == GPU:
            yield _nobodys(pool, taint)


def _of_the_start(pool: KarpenterPool, taint: Tree, who: str) -> Draft:
    return fail(
        taint,
        f"{pool.title} has a taint of the node's start under taints: {taint.get('key').text}",
        is_="spec.template.spec.taints",
        should="spec.template.spec.startupTaints",
        cause=f"{who} takes it away once the node is set up; Karpenter takes it for one that stays, and starts no node "
        "for pods that do not tolerate it: none does",
        remedy="move it to startupTaints",
        link="pod",
    )


def _nobodys(pool: KarpenterPool, taint: Tree) -> Draft:
    return fail(
        taint,
        f"{pool.title} has {GPU} under startupTaints, and nobody takes it away",
        is_="spec.template.spec.startupTaints",
        should="spec.template.spec.taints",
        cause="Karpenter counts on its going: pods that do not tolerate it never run, and more nodes are started for "
        "them",
        remedy="move it to taints, and let the pods tolerate it",
        severity=Severity.WARNING,
        link="pod",
    )


@RULE.check
def a_pod_beside_it_may_go_there(pod: PodTemplate, around: NodePools) -> Findings:
    if pod.live is not None:
        skip("why it waits in a cluster, pending-explained says")
    meant = around.meant_for(pod)
    if not meant:
        skip("it is not known to be meant for a NodePool that is here")
    # Of several by one name, or that it does not tell apart, one that takes it is enough.
    kept = [found for each in meant if (found := _kept_from(pod, each)) is not None]
    if len(kept) == len(meant):
        yield kept[0]


def _kept_from(pod: PodTemplate, pool: KarpenterPool) -> Draft | None:
    taint = keeps_away(pool, pod)
    if taint is not None and worker_of_taint(taint.key) is None:
        return _untolerated(pod, pool, taint)
    other = next(contradictions(pool, pod), None)
    return _contradicting(pod, pool, *other) if other is not None else None


def _untolerated(pod: PodTemplate, pool: KarpenterPool, taint: NodeTaint) -> Draft:
    where = pod.spec.get("tolerations")
    return fail(
        where if not where.is_absent else pod.place,
        f"{pod.title} does not tolerate the taint of {pool.title}, the nodes that are meant for it",
        is_="no such toleration",
        should=f"a toleration of {taint}",
        related=[Related(taint.place, f"{pool.title} has {taint}")],
        cause=_NEVER,
        remedy=f"tolerations: [{{key: {taint.key}, operator: Exists, effect: {taint.effect}}}]",
        link="pod",
    )


def _contradicting(pod: PodTemplate, pool: KarpenterPool, label: str, wanted: str, may: str) -> Draft:
    return fail(
        pod.selection.where(label),
        f"{pod.title} chooses {pool.title}, and nodes that this pool never has",
        is_=f"{label}: {wanted}",
        should=may,
        related=[
            Related(pod.selection.where(OF_POOL).place, f"it chooses {pool.title} here"),
            Related(pool.place, f"{pool.title} has {label}: {may}"),
        ],
        cause=_NEVER,
        remedy=f"choose {label}: {may}, or allow {wanted} in the NodePool's requirements",
        link="pod",
    )
