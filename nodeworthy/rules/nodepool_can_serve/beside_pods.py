"""A NodePool of Karpenter by itself, and the pods beside it that are meant for it."""

from __future__ import annotations

from nodeworthy.documents.tree import Tree
from nodeworthy.facts.fleet.karpenter import OF_POOL, KarpenterPool
from nodeworthy.facts.fleet.karpenter_choice import ChosenClass
from nodeworthy.facts.fleet.served_pods import (
    NodePools,
    contradictions,
    cpu_limit,
    gpu_limit,
    keeps_away,
    least_cpus,
    least_gpus,
)
from nodeworthy.facts.pod.containers import GPU
from nodeworthy.facts.pod.template import PodTemplate
from nodeworthy.known.scaling import worker_of_taint
from nodeworthy.rules.nodepool_can_serve import RULE, fault_of_taint
from nodeworthy.verdict import Draft, Findings, Related, Severity, fail, need, skip

_SHOWN = 3
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
def its_limits_allow_the_cpus_of_one_node(pool: KarpenterPool) -> Findings:
    limit = cpu_limit(pool)
    most, smallest = need(limit), least_cpus(pool)
    if most is None or smallest is None:
        skip("it limits no CPUs, or nothing says how many its smallest type has")
    needed, of_type = smallest
    if most < needed:
        yield fail(
            limit,
            f"{pool.title} may never start a node: its limit is below what its smallest type has",
            is_=f"cpu: {float(most):g}",
            should=f"at least {needed}, which {of_type} has",
            cause="Karpenter leaves out every type with which the pool would exceed spec.limits: all available "
            "instance types exceed limits for nodepool",
            remedy=f"raise spec.limits.cpu to the CPUs of as many nodes as the pool may have, or limit {GPU} alone",
            link="pod",
        )


@RULE.check
def a_node_takes_more_than_its_own_pods(chosen: ChosenClass) -> Findings:
    """The CNI's pod is on every node, as is kube-proxy's where there is one."""
    pool, node_class = chosen.pool, chosen.node_class
    if least_gpus(pool) is None:
        skip("how many GPUs its types have is not known")
    most = node_class.tree.get("spec", "kubelet", "maxPods")
    if most.is_absent:
        return
    if need(most.located()) in (0, 1):
        yield fail(
            most,
            f"{node_class.title} lets a node of {pool.title} have no pod beside those that every node has",
            is_=f"maxPods: {most.value}",
            should="room for the CNI, kube-proxy, the device plugin and the pods that ask for GPUs",
            cause="DaemonSets' pods count, too: Karpenter finds no type that has room for the pod beside them, and "
            "starts none (no instance type has enough resources)",
            remedy="leave maxPods out, so that it follows the instance type, or raise it above the pods of DaemonSets",
            link="pod",
        )


@RULE.check
def its_taints_are_of_the_right_kind(pool: KarpenterPool) -> Findings:
    for taint in pool.taints("taints"):
        need(taint.located())
        who = worker_of_taint(taint.get("key").string)
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
    label = around.discovered_label(pod)
    if label is not None and not meant:
        yield _of_discovery(pod, around, label)
        return
    if not meant:
        skip("it is not known to be meant for a NodePool that is here")
    # Of several by one name, or that it does not tell apart, one that takes it is enough.
    kept = [found for each in meant if (found := _kept_from(pod, each)) is not None]
    if len(kept) == len(meant):
        chosen = next((each for each in meant if next(contradictions(each, pod), None) is None), meant[0])
        yield kept[meant.index(chosen)]


def _of_discovery(pod: PodTemplate, around: NodePools, label: str) -> Draft:
    """Nodes that are there already may take it: it is a warning."""
    wanted = ", ".join(pod.selection.wanted(label))
    return fail(
        pod.selection.where(label),
        f"{pod.title} chooses nodes by a label that no NodePool here promises",
        is_=f"{label}: {wanted}" if wanted else label,
        should="a label that Karpenter knows before there is a node: instance type, family or GPU",
        related=[Related(each.place, f"{each.title} does not say {label}") for each in around.pools[:_SHOWN]],
        cause=f"feature discovery sets {label} on a node that is there: Karpenter does not know that a new one would "
        "have it, and starts none",
        remedy="choose by node.kubernetes.io/instance-type, karpenter.k8s.aws/instance-gpu-name (on Azure "
        "karpenter.azure.com/sku-gpu-name), or say in the NodePool (template.metadata.labels) that its nodes have "
        f"{label}",
        severity=Severity.WARNING,
        link="pod",
    )


def _kept_from(pod: PodTemplate, pool: KarpenterPool) -> Draft | None:
    taint = keeps_away(pool, pod)
    if taint is not None and worker_of_taint(taint.key) is None:
        return fault_of_taint(pod, taint, pool.title, "the nodes that are meant for it", _NEVER)
    other = next(contradictions(pool, pod), None)
    if other is None:
        return None
    named = pool.name in set(pod.selection.wanted(OF_POOL))
    return _contradicting(pod, pool, *other) if named else _of_no_pool(pod, pool, *other)


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


def _of_no_pool(pod: PodTemplate, pool: KarpenterPool, label: str, wanted: str, may: str) -> Draft:
    """Nodes that have it may be asked for elsewhere: it is a warning."""
    return fail(
        pod.selection.where(label),
        f"{pod.title} chooses nodes that no NodePool here ever has",
        is_=f"{label}: {wanted}",
        should=may,
        related=[Related(pool.place, f"{pool.title} has {label}: {may}")],
        cause=_NEVER,
        remedy=f"choose {label}: {may}, or give the nodes of a NodePool {label}: {wanted}",
        severity=Severity.WARNING,
        link="pod",
    )
