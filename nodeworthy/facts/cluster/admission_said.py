"""Causes of a refused pod that kubelet's own words tell, whatever else was seen of the node."""

from __future__ import annotations

from nodeworthy.facts.cluster.admission_refusal import AdmissionRefusal
from nodeworthy.facts.pod.containers import is_gpu_resource
from nodeworthy.known.evidence import in_text
from nodeworthy.patterns import pattern
from nodeworthy.verdict import NOWHERE, Draft, fail

# What NVIDIA's device plugin answers kubelet, and what kubelet says where nobody answers.
_LOST = pattern(r"GPU is lost|GPU requires reset")
_UNKNOWN = pattern(r"unknown device: (?P<device>[^\s,]+)")
_NO_ANSWER = pattern(r"dial unix (?P<socket>\S+?): connect: |code = Unavailable")
_ANSWERED = pattern(r"code = \w+ desc = (?P<words>.+?)(?:, which is unexpected|$)")
_TOPOLOGY = "TopologyAffinityError"
_ANOTHER = "delete the pods that were refused, so that their controllers make others"


def cause_in_words(pod: AdmissionRefusal) -> Draft | None:
    if _LOST.search(pod.message):
        return fail(
            NOWHERE,
            f"a GPU of node '{pod.node}' is lost",
            cause="the driver does not reach it any more (it fell off the bus), and its device plugin can give "
            "nothing out",
            remedy=f"look at `dmesg | grep Xid` on {pod.node} (79: fallen off the bus); drain the node, stop and "
            "start it",
        )
    unknown = _UNKNOWN.search(pod.message)
    if unknown is not None:
        return fail(
            NOWHERE,
            f"the device plugin on node '{pod.node}' does not know the device that kubelet gave out",
            cause=f"{unknown['device']} is one of before the plugin started again with another config (MIG, sharing) "
            "or "
            "other GPUs: kubelet had not heard of it yet",
            remedy=f"{_ANOTHER}; where it goes on, restart kubelet on {pod.node}",
        )
    if _NO_ANSWER.search(pod.message):
        return fail(
            NOWHERE,
            f"the device plugin on node '{pod.node}' did not answer kubelet",
            cause="its socket was there and nobody behind it: it had just ended, or was being replaced",
            remedy=f"look why it ended: kubectl get pods -A --field-selector spec.nodeName={pod.node} | grep "
            "device-plugin; "
            f"then {_ANOTHER}",
        )
    if pod.reason == _TOPOLOGY:
        return _of_topology(pod)
    return _of_its_plugin(pod) or _of_another_device(pod)


def _of_its_plugin(pod: AdmissionRefusal) -> Draft | None:
    answered = _ANSWERED.search(pod.message)
    if answered is None:
        return None
    words = answered["words"]
    known = next((each.evidence for each in in_text(words) if not each.evidence.is_symptom), None)
    look = f"look at its log: kubectl get pods -A --field-selector spec.nodeName={pod.node} | grep device-plugin"
    return fail(
        NOWHERE,
        f"the device plugin on node '{pod.node}' gave out no device",
        cause=f"kubelet asked it for devices that it had offered, and it answered: {words}"
        + (f": {known.cause}" if known is not None else ""),
        remedy=f"{known.remedy if known is not None else look}; then {_ANOTHER}",
    )


def _of_topology(pod: AdmissionRefusal) -> Draft:
    return fail(
        NOWHERE,
        f"kubelet on node '{pod.node}' finds no GPUs and CPUs that are close to each other",
        cause="its Topology Manager (single-numa-node or restricted) refuses what the scheduler, which knows no NUMA "
        "nodes, "
        "had placed",
        remedy="ask for no more than one NUMA node has, or set topologyManagerPolicy: best-effort",
    )


def _of_another_device(pod: AdmissionRefusal) -> Draft | None:
    """What is no GPU is not counted here."""
    if pod.counted is None or is_gpu_resource(pod.resource):
        return None
    asked, there = pod.counted
    if pod.was_counted_by_kubelet:
        return _by_kubelets_count(pod, asked, there)
    return fail(
        NOWHERE,
        f"the {pod.resource} of node '{pod.node}' are given away",
        cause=f"kubelet had {there} of them for {asked} that were asked for",
        remedy=f"see who holds {pod.resource}: kubectl describe node {pod.node}; {_ANOTHER}",
    )


def _by_kubelets_count(pod: AdmissionRefusal, asked: int, there: int) -> Draft:
    return fail(
        NOWHERE,
        f"by kubelet's own count node '{pod.node}' has too little {pod.resource} left",
        cause=f"{asked} were asked for and {there} were free; whoever placed the pod had counted otherwise: two "
        "schedulers on the same nodes do not see each other's pods in time, static pods are not in their count, and "
        "nodeName goes past all of them",
        remedy="let one scheduler place all pods of these nodes (a taint keeps the others away); "
        f"{_ANOTHER}: kubectl get pods -A --field-selector spec.nodeName={pod.node}",
        link="pod",
    )
