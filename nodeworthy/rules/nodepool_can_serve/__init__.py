"""A NodePool of Karpenter's lets the pods beside it be served: its limits, its taints, its requirements.

Karpenter starts a node only where, by the NodePool alone, the pod would fit on it, and says no more of it than an event
of the pod. So a pool may look right and never start anything: `spec.limits` allow fewer GPUs than the smallest of its
types has; a taint that somebody else takes away as soon as the node is set up (Cilium's, the EBS driver's) stands under
`taints` and not under `startupTaints`, so that no pod tolerates it; its class lets a node have one pod
(`kubelet.maxPods`), which the CNI's is; all of its types have a part of a GPU (g6f), of which EC2 tells Karpenter no
count; the image that its class names is older than the first one that serves them (g7, gr6); the pod that names the
pool does not tolerate its taint, or chooses an instance type, a zone or a label that the pool's nodes never have. The
other way round, a taint of GPU nodes under `startupTaints` is one that nobody takes away: Karpenter counts on it to go,
the pod never runs, and another node is started for it.

A taint that is called as the resource for which a pod asks keeps that pod away from nothing: the API servers of EKS add
the toleration (ExtendedResourceToleration).

Pods are judged that choose a NodePool by its name; a pod that asks for GPUs and chooses nothing is judged against the
pools in its own folder, where no other nodes with GPUs are asked for. So is one that chooses by labels that these pools
give their nodes, and a value that none of them gives is a warning, as is a label of feature discovery's
(`nvidia.com/gpu.product`) that no pool promises: Karpenter does not know that a new node would have it. Beside node
groups (eksctl's, a stack's managed ones), and NodePools in another folder, a pod is judged that asks for GPUs and
chooses nodes by no label but theirs: of files that lie apart others may make its nodes, and that is a warning.

Nor does a pool serve anything that the API server refuses: v1 has fewer fields and other words than v1beta1 had (no
`apiVersion` in nodeClassRef, no WhenUnderutilized, no disruption without consolidateAfter), and an EC2NodeClass that
chooses images by their ids must name its amiFamily (and choose some, an alias alone or none, and name exactly one of
role and instanceProfile); v1beta1 in its turn asks for consolidateAfter beside WhenEmpty, and takes it beside nothing
else. A field that v1 does not have (`kubelet` of a NodePool, `operator` of a taint) kubectl refuses as well, and what
else applies it drops. A key that Auto Mode's nodes have alone (`eks.amazonaws.com/instance-family`) limits nothing
where the class is an EC2NodeClass, nor does one of Karpenter's own (`karpenter.k8s.aws/instance-family`) where it is a
NodeClass of Auto Mode.

The pods by which a node offers its GPUs must come to it, too: the operator's (`daemonsets.tolerations`), those of node
feature discovery, by whose label the operator knows a node with GPUs (`node-feature-discovery.worker.tolerations`), and
those of a device plugin of one's own. A list in values stands instead of the chart's. And discovery must set the label:
by `deviceLabelFields` other than the vendor (with its class before it, or without), or a `deviceClassWhitelist` without
the class 03 of GPUs, it does not.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from nodeworthy.rule import Rule
from nodeworthy.verdict import Draft, Related, Severity, fail

if TYPE_CHECKING:
    from nodeworthy.facts.fleet.node_taint import NodeTaint
    from nodeworthy.facts.pod.template import PodTemplate

RULE = Rule(
    "nodepool-can-serve",
    severity=Severity.ERROR,
    title="A NodePool's types, limits and taints let the pods beside it be served",
    remedy="let the NodePool start what the pods ask for, and let the pods tolerate its taints",
)


def fault_of_taint(pod: PodTemplate, taint: NodeTaint, nodes: str, which: str, cause: str) -> Draft:
    """`which` says why it is these nodes that the pod has to come to."""
    where = pod.spec.get("tolerations")
    return fail(
        where if not where.is_absent else pod.place,
        f"{pod.title} does not tolerate the taint of {nodes}, {which}",
        is_="no such toleration",
        should=f"a toleration of {taint}",
        related=[Related(taint.place, f"{nodes} has {taint}")],
        cause=cause,
        remedy=f"tolerations: [{{key: {taint.key}, operator: Exists, effect: {taint.effect}}}]",
        link="pod",
    )
