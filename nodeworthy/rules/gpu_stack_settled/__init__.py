"""Every part of the GPU stack runs well, and every pod that needs GPUs gets from the platform what it is owed.

Other rules know why a toolkit or a device plugin does not run, why pods wait, why kubelet refuses them. What none of
them explains is told here, so that no diagnosis ends clean beside something that is stuck: a part of the stack (the
operator and what it validates, driver, toolkit, plugin, feature discovery, DCGM, MIG manager, DRA driver) that
crashes, has no image or is not ready after its start-up time, with its last words and what is known of them; a pod
with GPUs that has no sandbox, no image, or whose container kubelet or the runtime could not start (a Secret that is
not there), and any other pod of a node with GPUs that NVIDIA's runtime or its toolkit does not let start (as the
default runtime it starts them all, the CNI's too). A program that ended by its own error is its owner's, and not told;
one whose log says that its node owes it something (no fabric manager, a lost GPU, a driver that is too old), or what is
wrong around it (too little shared memory, ranks that do not reach each other, a volume, an image of another CUDA) is.
It is a warning where that one has ended for good, in the last hours; as is one that runs on and says that it sees none
of the GPUs that it holds, and one that gets no more memory of a GPU that pods share in turn. So is one that asks for
GPUs by NVIDIA_VISIBLE_DEVICES alone, names no RuntimeClass where there is NVIDIA's, and finds no library of the driver.

What the operator could not do of its ClusterPolicy or an NVIDIADriver at all, it says in a condition of that; of what
is not ready yet the parts themselves tell more. So do Flux and Argo CD of a release of the stack, Kueue of a workload
with GPUs that it will not admit as things are, Volcano of a group that its queue has no room for, and Karpenter, where
pods wait for GPUs, of an EC2NodeClass that is not ready and a node that it could not start. A LeaderWorkerSet, a
JobSet, a PyTorchJob, an MPIJob or a TrainJob with GPUs that has no pods after ten minutes has a controller that says
why, or one that does not run; one that is done, suspended or another cluster's is as it should be. Workers that hold
GPUs and wait a quarter of an hour for their Ray head or their master (`wait-gcs-ready`, `init-pytorch`) are told with
how that fares: it is not there, it does not run, or it runs and they don't reach it.

Slurm's daemons in a cluster stay ready over a node that they take out of work: what their logs say of that last, and
have not taken back, is a warning.

A pod of the stack, or with GPUs, that was deleted and is still there a quarter of an hour after it should have gone,
holds what it had: on a node that answers, something of it hangs, or its claim can't be taken back.

A part that no node takes for a quarter of an hour (the operator itself, before all) is told with the label that it asks
for and no node has, which on OpenShift its project may have given to it, or with what its scheduler says.

A node with GPUs whose kubelet says that it is not ready, or short of disk, memory or processes, gets no pods.

A part whose pods the API server refuses (a quota, a policy, an account or a PriorityClass that is not there) has none
that could say it: the DaemonSet's events do (or the Deployment's, of the operator and of an MPS daemon). So do those
of a Job, a StatefulSet or a Deployment whose pods ask for GPUs.

A part that tolerates other taints than those of the nodes with GPUs never comes to them: without feature discovery a
node has no labels, and without labels the other parts pass it by. Nodes that say themselves that their MIG
configuration or the upgrade of their driver failed stay so until somebody mends it and asks again; what is wrong with
a MIG configuration, the ConfigMap that the ClusterPolicy names says where it was read. A node whose driver is to be
upgraded has to be emptied first: a PodDisruptionBudget that asks for as many pods as there are never lets that happen.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from nodeworthy.facts.cluster.gpu_stack import FailedMig, FailedUpgrade, FailedVgpus, GpuStack, UnreadyNodes
from nodeworthy.facts.cluster.held_upgrades import HeldUpgrade
from nodeworthy.facts.cluster.node_gpus import NodeGpus, in_number
from nodeworthy.facts.cluster.pod import ClusterPod
from nodeworthy.facts.cluster.stack_daemonset import ShutOut
from nodeworthy.known.chain import link_of_part
from nodeworthy.known.evidence import in_text
from nodeworthy.rule import Rule
from nodeworthy.rules.gpu_stack_settled.missing_pods import (
    cause_by_words,
    daemonset_without_pods,
    object_not_done,
    part_no_node_takes,
    work_without_pods,
)
from nodeworthy.rules.gpu_stack_settled.stuck_pods import OF_MACHINES, stuck_pods
from nodeworthy.verdict import Draft, Findings, Place, Related, Severity, fail, unknown

RULE = Rule(
    "gpu-stack-settled",
    severity=Severity.ERROR,
    title="Every part of the GPU stack, and every pod that needs GPUs, runs well or has a named cause",
    remedy="read why: kubectl describe pod, and kubectl logs --previous",
    tells_the_rest=True,
)

_SHOWN = 3
_UPGRADE = "nvidia.com/gpu-driver-upgrade-state"
_LET_IT_GO = (
    "run one pod more than the budget asks for (elsewhere), or lower its minAvailable for the time, or end the pod by "
    "hand: kubectl get poddisruptionbudgets -A"
)
# What nodes lack where feature discovery does not come.
_MISSING = "labels"


@RULE.check
def nothing_is_stuck(stack: GpuStack) -> Findings:
    for each in stack.unsettled:
        yield stuck_pods(each)
    for unmade in stack.unmade:
        yield daemonset_without_pods(unmade)
    for work in stack.work:
        yield work_without_pods(work)
    for shut_out in stack.shut_out:
        yield _shut_out(shut_out)
    for node in stack.not_cut:
        yield _not_cut(node)
    for stuck in stack.objects:
        yield object_not_done(stuck)
    for unready in stack.unready:
        yield _not_fit(unready)
    if stack.unseen is not None:
        yield unknown(stack, f"whether all of the GPU stack runs well is not known: {stack.unseen}")


@RULE.check
def drivers_are_upgraded(stack: GpuStack) -> Findings:
    held = {each.node.name: each for each in stack.held}
    if stack.upgrade is not None:
        yield _not_upgraded(stack.upgrade, held)
    for waits in stack.held:
        if stack.upgrade is None or waits.node not in stack.upgrade.nodes:
            yield _not_emptied(waits)


@RULE.check
def its_pods_come_to_nodes(stack: GpuStack) -> Findings:
    for each in stack.unplaced:
        yield part_no_node_takes(each)


@RULE.check
def somebody_says_why_it_waits(stack: GpuStack) -> Findings:
    by_node: dict[str, list[ClusterPod]] = {}
    for pod in stack.silent:
        by_node.setdefault(pod.node, []).append(pod)
    for node, pods in by_node.items():
        yield _silent(node, pods)


def _silent(node: str, pods: Sequence[ClusterPod]) -> Draft:
    first = pods[0]
    which = "a pod with GPUs" if len(pods) == 1 else f"{len(pods)} pods with GPUs"
    return unknown(
        first,
        f"why {which} on node '{node}' is not started is not known: no event of it is in what was read (the API server "
        "forgets them after an hour)",
        is_=f"ContainerCreating since {first.since or first.started}",
        remedy=f"delete the pod and read what is said of the new one: kubectl describe pod -n {first.namespace} "
        f"{first.name}; on {node}: journalctl -u kubelet --since -2h | grep {first.name}",
        victims=tuple(pod.object for pod in pods),
    )


@RULE.check
def vgpus_are_made(stack: GpuStack) -> Findings:
    for each in stack.without_vgpus:
        yield _without_vgpus(each)


def _not_fit(unready: UnreadyNodes) -> Draft:
    known = next((each.evidence for each in in_text(unready.ails)), None)
    first, said = unready.nodes[0].name, f"it said: {unready.ails}"
    are = "is" if len(unready.nodes) == 1 else "are"
    return fail(
        unready,
        f"{in_number(unready.nodes)} with GPUs {are} not fit for pods",
        is_=unready.ails,
        should="condition Ready, and no pressure",
        cause=f"{known.why}; {said}" if known is not None else said,
        remedy=known.mending
        if known is not None
        else f"kubectl describe node {first}, and on it: journalctl -u kubelet -u containerd --since -1h",
        related=_each(unready.nodes[1:], "says the same"),
        link="allocatable",
        nodes=[node.name for node in unready.nodes],
    )


def _shut_out(found: ShutOut) -> Draft:
    """Where the GPUs are offered all the same, what is missing may be missed by nobody."""
    nodes, daemonset = found.nodes, found.daemonset
    are_offered = any(any(node.allocatable.values()) for node in nodes)
    return fail(
        found,
        f"{daemonset.part} never comes to nodes with GPUs: {daemonset.name} does not tolerate {found.taint}",
        is_=_tolerated(found),
        should=f"a toleration of {found.taint}",
        related=_each(nodes, f"has {found.taint}"),
        cause=f"its pods may not run there ({in_number(nodes)}); what it brings to a node (labels of feature "
        "discovery, a driver, devices) is missing there, and the parts that choose nodes by it pass them by",
        remedy=f"let {daemonset.name} tolerate key {found.taint.key} with operator Exists (tolerations in its chart's "
        "values), or give the nodes the value that it tolerates",
        severity=Severity.WARNING if are_offered else Severity.ERROR,
        link=_MISSING if link_of_part(daemonset.part) == _MISSING else "daemonsets",
        nodes=[node.name for node in nodes],
    )


def _tolerated(found: ShutOut) -> str:
    written = found.daemonset.choice.spec.get("tolerations") or []
    alike = [each for each in written if isinstance(each, dict) and each.get("key") == found.taint.key]
    if not alike:
        return f"no toleration of {found.taint.key}"
    return f"{found.taint.key} tolerated only as {alike[0].get('value') or alike[0].get('effect')}"


def _not_cut(found: FailedMig) -> Draft:
    node, reason = found.node, found.reason
    return fail(
        found,
        f"the GPUs of {node.title} could not be cut by MIG as its label asks",
        is_=f"nvidia.com/mig.config={found.wanted}, nvidia.com/mig.config.state=failed",
        should="nvidia.com/mig.config.state=success",
        cause=reason.cause
        if reason is not None
        else "the MIG manager gave up: the configuration names devices or profiles that these GPUs do not have, or "
        "something still holds a GPU, or (of an A100 or A30 in a virtual machine) the mode waits for a reboot; the "
        f"node has {node.gpu or 'GPUs'}{_how_many(node)}",
        remedy=reason.remedy
        if reason is not None
        else "read why: kubectl logs -A -l app=nvidia-mig-manager --tail=50; let the configuration of the ConfigMap "
        "name the devices that there are (devices: all, or from 0 on), and set the label anew; where the log says "
        "`Mode change pending: true`, reboot the node, or set WITH_REBOOT=true in migManager.env",
        link="mig",
    )


def _without_vgpus(found: FailedVgpus) -> Draft:
    """The labels are those of NVIDIA/vgpu-device-manager, deployments."""
    cause, remedy = cause_by_words(
        found.words,
        "the vGPU device manager gave up: its log says why",
        "read why: kubectl logs -A -l app=nvidia-vgpu-device-manager --tail=50",
    )
    return fail(
        found,
        f"the GPUs of {found.node.title} could not be divided into vGPUs as its label asks",
        is_=f"nvidia.com/vgpu.config={found.wanted}, nvidia.com/vgpu.config.state=failed",
        should="nvidia.com/vgpu.config.state=success",
        cause=f"{cause}; it said: {found.words}" if found.words else cause,
        remedy=f"{remedy}; once that is mended delete its pod, which then tries again",
        link=link_of_part(OF_MACHINES),
    )


def _how_many(node: NodeGpus) -> str:
    counted = node.labels.get("nvidia.com/gpu.count", "")
    return f", {counted} of them" if counted else ""


def _not_upgraded(found: FailedUpgrade, held: Mapping[str, HeldUpgrade]) -> Draft:
    first = found.nodes[0].name
    kept = next((held[each.name] for each in found.nodes if each.name in held), None)
    why = f"{_why_kept(kept)}; " if kept is not None else ""
    waits = (
        f"; {in_number(found.behind)} still to be upgraded, and failed nodes use up maxUnavailable"
        if found.behind
        else ""
    )
    return fail(
        found,
        f"the upgrade of the driver failed on {in_number(found.nodes)}",
        is_="nvidia.com/gpu-driver-upgrade-state=upgrade-failed",
        should="upgrade-done",
        related=[*_each(found.nodes, "is upgrade-failed"), *_each(found.behind, "is upgrade-required")],
        cause=f"{why}the upgrade controller leaves a failed node to somebody{waits}",
        remedy=f"{_LET_IT_GO}; then: kubectl label node {first} {_UPGRADE}=upgrade-required --overwrite"
        if kept is not None
        else f"read why on {first}: kubectl get pods -A --field-selector spec.nodeName={first} | grep driver; once "
        f"mended: kubectl label node {first} {_UPGRADE}=upgrade-required --overwrite",
        link="module",
        nodes=[node.name for node in found.nodes],
    )


def _not_emptied(found: HeldUpgrade) -> Draft:
    return fail(
        found,
        f"the driver of {found.node.title} can't be upgraded: a PodDisruptionBudget keeps a pod on it",
        is_=f"{_UPGRADE}={found.state}",
        should="a node that can be emptied",
        cause=_why_kept(found),
        remedy=_LET_IT_GO,
        related=[Related(Place(object=found.budget), f"keeps {found.pod}")],
    )


def _why_kept(found: HeldUpgrade) -> str:
    return (
        f"the operator evicts the pods of {found.node.title} before it changes the driver, and {found.budget} lets "
        f"none of its pods go: as many have to stay as there are ({found.pod})"
    )


def _each(nodes: Sequence[NodeGpus], says: str) -> Iterator[Related]:
    return (Related(node.place, f"{node.title} {says}") for node in nodes[:_SHOWN])
