"""Objects of the GPU stack, of its nodes and its jobs, whose controllers say what they could not do."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from datetime import datetime, timedelta

from nodeworthy.documents.tree import Tree
from nodeworthy.facts.cluster.sandbox_failure import moment
from nodeworthy.facts.pod.containers import is_gpu_resource
from nodeworthy.known.evidence import in_text
from nodeworthy.records import dataclass
from nodeworthy.verdict import Place

# Why one has the condition Error that its parts tell better: they are not ready yet.
_NOT_YET = frozenset(("OperandNotReady", "DriverNotReady"))
# Why one is called ready that waits for something else.
_BLIND = "NFDLabelsMissing"
# Karpenter's word for: what it says itself is said by another condition, or has not been looked at.
_OF_OTHERS = frozenset(("UnhealthyDependents", "ReconcilingDependents", ""))
_LAUNCHED, _REGISTERED = "Launched", "Registered"
# How long a controller may take to look, and a machine to join.
_TAKES = timedelta(minutes=10)
# Kueue's words for a queue that moves on by itself.
_MOVES_ON = ("insufficient unused quota", "Waiting for", "Preempt", "Pending the preemption")
_CHARTS = frozenset(
    (
        "gpu-operator",
        "nvidia-device-plugin",
        "gpu-feature-discovery",
        "dcgm-exporter",
        "nvidia-dra-driver-gpu",
        "dra-driver-nvidia-gpu",
        "node-feature-discovery",
    )
)


@dataclass(frozen=True)
class StuckObject:
    """One that its controller could not do, in its own words."""

    place: Place
    # Whose fault it is, and what it did not do.
    fault: str
    words: str
    should: str
    # Where to read more of it.
    remedy: str


_CONDITION = ("type", "status", "reason", "message", "lastTransitionTime")


@dataclass(frozen=True)
class _Condition:
    type: str
    status: str
    reason: str
    message: str
    since: str

    def lasts(self, now: datetime | None) -> bool:
        since = moment(self.since)
        return now is not None and since is not None and now - since >= _TAKES


def stuck_objects(objects: Iterable[Tree], now: datetime | None, *, gpus_are_waited_for: bool) -> Iterator[StuckObject]:
    """Who starts nodes is asked only where pods wait for GPUs: else nothing is amiss for them."""
    for each in objects:
        kind = each.get("kind").text or ""
        words = _WORDS.get(kind)
        if words is None or (kind in _STARTS_NODES and not gpus_are_waited_for):
            continue
        said = words(each, now)
        if said:
            yield _told(kind, each, said)


def _told(kind: str, found: Tree, said: str) -> StuckObject:
    name, namespace = found.get("metadata", "name").text or "", found.get("metadata", "namespace").text or ""
    fault, should, remedy = _TOLD[kind]
    place = Place(object="/".join(filter(None, (kind, namespace, name))))
    return StuckObject(place, fault.format(name=name), said, should, remedy.format(name=name, namespace=namespace))


def _conditions(found: Tree) -> Iterator[_Condition]:
    for each in found.get("status", "conditions").sequence:
        yield _Condition(*(each.get(name).text or "" for name in _CONDITION))


def _of_the_operator(policy: Tree, _now: datetime | None) -> str:
    for each in _conditions(policy):
        failed = each.type == "Error" and each.reason not in _NOT_YET
        if each.status == "True" and each.message and (failed or each.reason == _BLIND):
            return each.message
    return ""


def _of_a_node_class(found: Tree, now: datetime | None) -> str:
    told = (each for each in _conditions(found) if each.status != "True" and each.reason not in _OF_OTHERS)
    bad = (each for each in told if each.status == "False" or each.lasts(now))
    return next((f"{each.type}: {each.message or each.reason}" for each in bad), "")


def _of_a_node_claim(found: Tree, now: datetime | None) -> str:
    """One for pods without GPUs is not what those with them wait for."""
    asked = found.get("spec", "resources", "requests").texts
    if asked and not any(map(is_gpu_resource, asked)):
        return ""
    for each in _conditions(found):
        failed = each.type == _LAUNCHED and each.reason == "LaunchFailed"
        if each.status != "True" and (failed or (each.type == _REGISTERED and each.lasts(now))):
            return each.message
        if each.type == _LAUNCHED and each.status != "True":
            return ""
    return ""


def _of_a_queue(workload: Tree, _now: datetime | None) -> str:
    if not _asks_for_gpus(workload):
        return ""
    told = (each for each in _conditions(workload) if each.type == "QuotaReserved" and each.status == "False")
    said = next((each for each in told), None)
    if said is None or any(each in said.message for each in _MOVES_ON):
        return ""
    return said.message if said.reason == "Inadmissible" or in_text(said.message) else ""


def _asks_for_gpus(workload: Tree) -> bool:
    for pods in workload.get("spec", "podSets").sequence:
        for container in pods.get("template", "spec", "containers").sequence:
            asked = (container.get("resources", way).texts for way in ("requests", "limits"))
            if any(is_gpu_resource(name) for each in asked for name in each):
                return True
    return False


def _of_flux(release: Tree, _now: datetime | None) -> str:
    if release.get("spec", "chart", "spec", "chart").text not in _CHARTS:
        return ""
    told = (each for each in _conditions(release) if each.type in ("Ready", "Released") and each.status == "False")
    return next((each.message for each in told if each.reason.endswith(("Failed", "RetriesExceeded"))), "")


def _of_argo(application: Tree, _now: datetime | None) -> str:
    sources = (application.get("spec", "source"), *application.get("spec", "sources").sequence)
    if not any(each.get("chart").text in _CHARTS for each in sources):
        return ""
    return next((each.message for each in _conditions(application) if each.type.endswith("Error")), "")


_STARTS_NODES = ("EC2NodeClass", "NodeClaim")
_WORDS: Mapping[str, Callable[[Tree, datetime | None], str]] = {
    "ClusterPolicy": _of_the_operator,
    "NVIDIADriver": _of_the_operator,
    "EC2NodeClass": _of_a_node_class,
    "NodeClaim": _of_a_node_claim,
    "Workload": _of_a_queue,
    "HelmRelease": _of_flux,
    "Application": _of_argo,
}
_OPERATOR_LOG = "read what it tried: kubectl logs -A -l app=gpu-operator --tail=100"
_TOLD: Mapping[str, tuple[str, str, str]] = {
    "ClusterPolicy": (
        "the GPU operator could not do what its ClusterPolicy '{name}' asks",
        "condition Ready, without an error",
        _OPERATOR_LOG,
    ),
    "NVIDIADriver": (
        "the GPU operator could not do what the NVIDIADriver '{name}' asks",
        "condition Ready, without an error",
        _OPERATOR_LOG,
    ),
    "EC2NodeClass": (
        "Karpenter starts no nodes of the EC2NodeClass '{name}': it is not ready",
        "condition Ready",
        "mend what the condition names: kubectl describe ec2nodeclass {name}",
    ),
    "NodeClaim": (
        "the node of Karpenter's NodeClaim '{name}' does not come",
        "conditions Launched and Registered",
        "read all of it: kubectl describe nodeclaim {name}",
    ),
    "Workload": (
        "Kueue does not admit the workload '{name}', which asks for GPUs",
        "condition QuotaReserved",
        "see its queue: kubectl describe workload -n {namespace} {name}; kubectl get clusterqueues -o yaml",
    ),
    "HelmRelease": (
        "Flux could not bring the GPU stack's release '{name}'",
        "condition Ready",
        "read all of it: kubectl describe helmrelease -n {namespace} {name}",
    ),
    "Application": (
        "Argo CD could not bring the GPU stack's application '{name}'",
        "an application without errors",
        "read all of it: argocd app get {name}",
    ),
}
