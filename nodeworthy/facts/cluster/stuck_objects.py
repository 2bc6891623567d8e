"""Objects of the GPU stack, of its nodes and its jobs, whose controllers say what they could not do."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from datetime import datetime, timedelta

from nodeworthy.documents.tree import Tree
from nodeworthy.facts.cluster.elapsed import has_lasted
from nodeworthy.facts.cluster.lingering_objects import HOW, why_it_lingers
from nodeworthy.facts.cluster.makers import MAKERS, Makers, cause_of, why_it_has_none, why_not_let_in
from nodeworthy.facts.cluster.pending_said import remedy_for
from nodeworthy.facts.cluster.sandbox_failure import moment
from nodeworthy.facts.cluster.scheduling_events import reasons
from nodeworthy.facts.cluster.spoken import HowTold, how_it_is_told, own_words, speaking
from nodeworthy.facts.fleet.karpenter_objects import may_have_gpus
from nodeworthy.facts.pod.containers import is_gpu_resource
from nodeworthy.known.evidence import in_text
from nodeworthy.patterns import pattern
from nodeworthy.records import dataclass, field, replace
from nodeworthy.verdict import Place

# Why one has the condition Error that its parts tell better: they are not ready yet.
_NOT_YET = frozenset(("OperandNotReady", "DriverNotReady"))
# Source: gpu-operator a22dbf67, controllers/clusterpolicy_controller.go: of several the first counts.
_IGNORED = "state ignored"
# Why one is called ready that waits for something else.
_BLIND = "NFDLabelsMissing"
# Karpenter's word for: what it says itself is said by another condition, or has not been looked at.
_OF_OTHERS = frozenset(("UnhealthyDependents", "ReconcilingDependents", ""))
_LAUNCHED, _REGISTERED = "Launched", "Registered"
# That of a NodePool which says no more than that its class is not ready.
_OF_ITS_CLASS = "NodeClassReady"
# How long a controller may take to look, and a machine to join.
_TAKES = timedelta(minutes=10)
# Kueue's words for a queue that moves on by itself.
_MOVES_ON = ("insufficient unused quota", "Waiting for", "Preempt", "Pending the preemption")
# Flux's, for what somebody else has to bring first.
_WAITS_FOR_OTHERS = ("SourceNotReady", "DependencyNotReady")
_CHECKS_FAILED = ("Retry", "Rejected")
# Of work that no other's end will let in; Kueue tells them apart since 0.19.
# Source: kubernetes-sigs/kueue ff69552e: apis/kueue/v1beta2/workload_types.go (WorkloadQuotaReservedReason…); 2026-08.
_FOR_GOOD = ("Inadmissible", "Misconfigured", "NoMatchingFlavor", "ExceedsMaxQuota")
_INACTIVE = pattern(r"ClusterQueue (?P<name>\S+) is inactive")
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
    """An object with which its controller failed, and what the controller says."""

    place: Place
    # Whose fault it is, and what it did not do.
    fault: str
    words: str
    should: str
    # Where to read more of it.
    remedy: str
    # The pods that wait for it.
    victims: tuple[str, ...] = ()
    # Why, where its controller does not say it.
    cause: str = ""
    # It is one of those by which Karpenter starts nodes.
    starts_nodes: bool = False


@dataclass(frozen=True)
class Around:
    """What else is known of the cluster, to decide whether a stuck object harms anybody."""

    now: datetime | None = None
    # Whether pods wait for GPUs.
    gpus_are_waited_for: bool = False
    # The pods on nodes that were not started, by the template of their claim: namespace and name.
    unstarted: Mapping[tuple[str, str], Sequence[str]] = field(default_factory=dict)
    # The heads of Ray's clusters that are on no node, by namespace and cluster: who, and what the scheduler says.
    heads: Mapping[tuple[str, str], tuple[str, str]] = field(default_factory=dict)
    # Of which it is told otherwise why they have no pods.
    told: Collection[str] = ()
    makers: Makers = field(default_factory=Makers)
    # Whether each part of the GPU stack that is there runs; and its DaemonSets whose pods are of an older revision.
    parts_run: bool = False
    outdated: Sequence[str] = ()
    # What its controller's log says of one, where that is known.
    logs: Mapping[str, str] = field(default_factory=dict)


_CONDITION = ("type", "status", "reason", "message", "lastTransitionTime")


@dataclass(frozen=True)
class _Condition:
    type: str
    status: str
    reason: str
    message: str
    since: str

    def lasts(self, now: datetime | None) -> bool:
        return _lasts(self.since, now)

    @property
    def says(self) -> str:
        return f"{self.type}: {self.message or self.reason}"


def _lasts(since: str, now: datetime | None) -> bool:
    return has_lasted(moment(since), now, _TAKES)


def stuck_objects(objects: Iterable[Tree], around: Around) -> Iterator[StuckObject]:
    objects = list(objects)
    queues = {_name(each): each for each in objects if each.get("kind").text == "ClusterQueue"}
    classes = [each for each in objects if each.get("kind").text == "EC2NodeClass" and _of_a_node_class(each, around)]
    for each in objects:
        kind = each.get("kind").string
        if lingers := why_it_lingers(each, around.now):
            yield _stuck_object(kind, each, lingers, HOW)
            continue
        said = _words_of(kind, each, around)
        if not said or (kind == "NodePool" and classes and said.startswith(_OF_ITS_CLASS)):
            continue
        inactive = _INACTIVE.search(said)
        if inactive is not None:
            said = "; ".join(filter(None, (said, _why_inactive(queues.get(inactive["name"])))))
        told = _stuck_object(kind, each, _with_its_log(each, said, around))
        told = replace(told, victims=_victims(kind, each, around))
        told = replace(told, cause=cause_of(each, around.makers)) if kind in MAKERS else told
        waits, remedy = _why_not_ready(each, around) if kind in _OPERATORS_OWN else ("", "")
        told = replace(told, cause=waits, remedy=remedy) if waits else told
        told = _of_a_second(told) if said == _IGNORED else told
        yield _of_its_head(told, around.heads[_key(each)]) if told.victims and kind == "RayCluster" else told


def _words_of(kind: str, found: Tree, around: Around) -> str:
    words = _WORDS.get(kind)
    if words is not None:
        return words(found, around)
    return own_words(found, lambda since: _lasts(since, around.now)) if kind in speaking() else ""


def _with_its_log(found: Tree, said: str, around: Around) -> str:
    """A condition may say no more than that it failed: why, the log says."""
    logged = around.logs.get(f"{found.get('kind').string}/{_name(found)}", "")
    return said if not logged or in_text(said) else f"{said}; its log: {logged}"


def _stuck_object(kind: str, found: Tree, said: str, how: HowTold | None = None) -> StuckObject:
    name, namespace = _name(found), found.get("metadata", "namespace").string
    told = how or how_it_is_told(kind)
    return StuckObject(
        Place(object="/".join(filter(None, (kind, namespace, name)))),
        told.fault.format(kind=kind, name=name),
        said,
        told.should,
        told.remedy.format(kind=kind.lower(), name=name, namespace=namespace),
        cause=told.cause,
        starts_nodes=kind in _STARTS_NODES,
    )


def _of_a_second(told: StuckObject) -> StuckObject:
    return replace(
        told,
        fault="the GPU operator passes over a second ClusterPolicy",
        should="one ClusterPolicy in the cluster",
        cause="it goes by the one that was there first, and nothing that stands in this one counts",
        remedy="write what is meant into the other one, and delete this one: kubectl get clusterpolicies",
    )


def _of_its_head(told: StuckObject, head: tuple[str, str]) -> StuckObject:
    why = [why for _, why in reasons(head[1])]
    if not why or head[0] not in told.words:
        return told
    said = "; ".join(why)
    cause = (
        f"workers that are placed wait for the head, and hold their GPUs meanwhile; the scheduler says of it: {said}"
    )
    return replace(told, cause=cause, remedy=remedy_for(why[0]))


def _name(found: Tree) -> str:
    return found.get("metadata", "name").string


def _key(found: Tree) -> tuple[str, str]:
    return found.get("metadata", "namespace").string, _name(found)


def _conditions(found: Tree) -> Iterator[_Condition]:
    for each in found.get("status", "conditions").sequence:
        yield _Condition(*(each.get(name).string for name in _CONDITION))


# The stack


def _of_the_operator(policy: Tree, around: Around) -> str:
    if policy.get("status", "state").text == "ignored":
        return _IGNORED
    for each in _conditions(policy):
        failed = each.type == "Error" and (each.reason not in _NOT_YET or _waits_in_vain(each, around))
        if each.status == "True" and each.message and (failed or each.reason == _BLIND):
            return each.message
    return ""


def _waits_in_vain(condition: _Condition, around: Around) -> bool:
    """Whether it is held for not ready although each part of it runs."""
    return around.parts_run and condition.reason in _NOT_YET and condition.lasts(around.now)


def _why_not_ready(policy: Tree, around: Around) -> tuple[str, str]:
    """Why the operator waits for parts that run, and what to do."""
    if not any(each.status == "True" and _waits_in_vain(each, around) for each in _conditions(policy)):
        return "", ""
    if around.outdated:
        return _OUTDATED.format(", ".join(around.outdated)), _MAKE_THEM_ANEW
    return _ALL_RUN, how_it_is_told(policy.get("kind").string).remedy


def _of_flux(release: Tree, around: Around) -> str:
    if release.get("spec", "chart", "spec", "chart").text not in _CHARTS:
        return ""
    for each in _conditions(release):
        is_told = each.type in ("Ready", "Released") and each.status == "False"
        waits = each.reason in _WAITS_FOR_OTHERS and each.lasts(around.now)
        if is_told and (waits or each.reason.endswith(("Failed", "RetriesExceeded"))):
            return each.message
    return ""


def _of_argo(application: Tree, _around: Around) -> str:
    sources = (application.get("spec", "source"), *application.get("spec", "sources").sequence)
    if not any(each.get("chart").text in _CHARTS for each in sources):
        return ""
    said = next((each.message for each in _conditions(application) if each.type.endswith("Error")), "")
    return said or _of_its_last_try(application.get("status", "operationState"))


def _of_its_last_try(tried: Tree) -> str:
    """Of what could not be synchronised each says why; the whole says only how many there are."""
    if tried.get("phase").text not in ("Failed", "Error"):
        return ""
    failed = (each for each in tried.get("syncResult", "resources").sequence if each.get("status").text == "SyncFailed")
    return next((each.get("message").string for each in failed), tried.get("message").string)


# Who starts nodes: asked only where pods wait for GPUs, for else nothing is amiss for them


def _of_a_node_class(found: Tree, around: Around) -> str:
    if not around.gpus_are_waited_for:
        return ""
    return _first_bad(found, around)


def _of_a_node_pool(found: Tree, around: Around) -> str:
    """One whose nodes can have no GPUs is not what those with them wait for."""
    if not around.gpus_are_waited_for or not may_have_gpus(found):
        return ""
    return _first_bad(found, around)


def _first_bad(found: Tree, around: Around) -> str:
    told = (each for each in _conditions(found) if each.status != "True" and each.reason not in _OF_OTHERS)
    return next((each.says for each in told if each.status == "False" or each.lasts(around.now)), "")


def _of_a_node_claim(found: Tree, around: Around) -> str:
    """One for pods without GPUs is not what those with them wait for."""
    asked = found.get("spec", "resources", "requests").mapping
    if not around.gpus_are_waited_for or (asked and not any(map(is_gpu_resource, asked))):
        return ""
    for each in _conditions(found):
        failed = each.type == _LAUNCHED and each.reason == "LaunchFailed"
        if each.status != "True" and (failed or (each.type == _REGISTERED and each.lasts(around.now))):
            return each.message
        if each.type == _LAUNCHED and each.status != "True":
            return ""
    return ""


# Work with GPUs


def _of_a_queue(workload: Tree, _around: Around) -> str:
    if not any(_asks_for_gpus(pods.get("template")) for pods in workload.get("spec", "podSets").sequence):
        return ""
    conditions = {each.type: each for each in _conditions(workload)}
    if "Finished" not in conditions:
        refused = next(_checks_failed(workload), "")
        if refused:
            return refused
    said = conditions.get("QuotaReserved")
    if said is None or said.status != "False":
        return ""
    if any(each in said.message for each in _MOVES_ON):
        return ""
    return said.message if said.reason in _FOR_GOOD or in_text(said.message) else ""


def _checks_failed(workload: Tree) -> Iterator[str]:
    """What somebody else decides who has a word in it: one that is asked, and has not answered, is none of these."""
    for each in workload.get("status", "admissionChecks").sequence:
        state, said = each.get("state").text, each.get("message").text
        if state in _CHECKS_FAILED:
            yield f"admission check {each.get('name').text} ({state}){': ' if said else ''}{said or ''}"


def _why_inactive(queue: Tree | None) -> str:
    told = _conditions(queue) if queue is not None else ()
    return next((each.message for each in told if each.type == "Active" and each.status == "False"), "")


def _of_ray(cluster: Tree, around: Around) -> str:
    """Refused pods it tells itself, and releases before 1.2 as a reason. Its workers wait for their head, wherever
    they are; of one that is on no node only the scheduler tells."""
    groups = cluster.get("spec", "workerGroupSpecs").sequence
    with_gpus = any(_asks_for_gpus(each.get("template")) for each in groups)
    if not with_gpus or f"RayCluster/{'/'.join(_key(cluster))}" in around.told:
        return ""
    told = (each for each in _conditions(cluster) if each.type == "ReplicaFailure" and each.status == "True")
    refused = next((each.message or each.reason for each in told), "")
    if not refused and cluster.get("status", "state").text == "failed":
        refused = cluster.get("status", "reason").string
    head = around.heads.get(_key(cluster))
    if refused or head is None or not _lasts(cluster.get("metadata", "creationTimestamp").string, around.now):
        return refused
    return f"{head[0]} is on no node: {head[1] or 'no scheduler says why'}"


def _of_a_maker(found: Tree, around: Around) -> str:
    return why_it_has_none(found, around.makers)


def _of_a_group(group: Tree, around: Around) -> str:
    return why_not_let_in(group, around.makers)


def _of_a_domain(domain: Tree, around: Around) -> str:
    """Why a ComputeDomain is not ready. One that nobody uses starts no daemon, so it is not ready either, and that is
    no fault."""
    status = domain.get("status")
    waiting = around.unstarted.get(_channel_of(domain), ())
    made = domain.get("metadata", "creationTimestamp").string
    if not waiting or status.get("status").text == "Ready" or not _lasts(made, around.now):
        return ""
    nodes = status.get("nodes").sequence
    late = [each.get("name").string for each in nodes if each.get("status").text not in ("Ready", None)]
    # What may be left out is the number of none.
    wanted = domain.get("spec", "numNodes").value
    joined = f"nodes that have joined: {len(nodes)}" + (f" of {wanted}" if wanted else "")
    said = f"status {status.get('status').text or 'none'}, {joined}"
    return f"{said}, not ready: {', '.join(late)}" if late else said


def _channel_of(domain: Tree) -> tuple[str, str]:
    """The template of the claims by which pods take part in it."""
    namespace = domain.get("metadata", "namespace").string
    return namespace, domain.get("spec", "channel", "resourceClaimTemplate", "name").string


def _victims(kind: str, found: Tree, around: Around) -> tuple[str, ...]:
    if kind == "ComputeDomain":
        return tuple(around.unstarted.get(_channel_of(found), ()))
    head = around.heads.get(_key(found)) if kind == "RayCluster" else None
    return (head[0],) if head is not None else ()


def _asks_for_gpus(template: Tree) -> bool:
    for container in template.get("spec", "containers").sequence:
        asked = (container.get("resources", way).mapping for way in ("requests", "limits"))
        if any(is_gpu_resource(name) for each in asked for name in each):
            return True
    return False


_STARTS_NODES = ("EC2NodeClass", "NodePool", "NodeClaim")
_WORDS: Mapping[str, Callable[[Tree, Around], str]] = {
    "ClusterPolicy": _of_the_operator,
    "NVIDIADriver": _of_the_operator,
    "EC2NodeClass": _of_a_node_class,
    "NodePool": _of_a_node_pool,
    "NodeClaim": _of_a_node_claim,
    "Workload": _of_a_queue,
    "RayCluster": _of_ray,
    "ComputeDomain": _of_a_domain,
    "HelmRelease": _of_flux,
    "Application": _of_argo,
    "PodGroup": _of_a_group,
    **dict.fromkeys(MAKERS, _of_a_maker),
}
_OPERATORS_OWN = ("ClusterPolicy", "NVIDIADriver")
_OUTDATED = (
    "its parts run, and pods of {} are still of the revision before: the DaemonSet was changed, its pods are made anew "
    "only when somebody deletes them (updateStrategy OnDelete), and until then the operator waits for them"
)
_MAKE_THEM_ANEW = (
    "drain these nodes one after the other and delete the driver's pod there, or let the operator do it "
    "(driver.upgradePolicy.autoUpgrade: true; of an NVIDIADriver whose nodeSelector alone was changed, operators up to "
    "25.3 do not); to be sure: kubectl get ds -A -o wide | grep nvidia; kubectl get nodes -L "
    "nvidia.com/gpu-driver-upgrade-state"
)
_ALL_RUN = "each part of it that was seen runs and is ready; what the operator still waits for, its log says"
