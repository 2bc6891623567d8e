"""Objects whose controllers make pods with GPUs, and that have none: what they say of that, or that nobody does."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from datetime import datetime, timedelta

from nodeworthy.documents.tree import Tree
from nodeworthy.facts.cluster.elapsed import has_lasted
from nodeworthy.facts.cluster.sandbox_failure import moment
from nodeworthy.facts.pod.containers import is_gpu_resource
from nodeworthy.facts.pod.recognition import pod_templates
from nodeworthy.records import dataclass, field

# How long a controller may take to look, and to make pods.
_TAKES = timedelta(minutes=10)
# The label of the pods of each kind that has its name; a TrainJob makes a JobSet of its own.
_LABELS = {
    "LeaderWorkerSet": "leaderworkerset.sigs.k8s.io/name",
    "JobSet": "jobset.sigs.k8s.io/jobset-name",
    "TrainJob": "jobset.sigs.k8s.io/jobset-name",
    "PyTorchJob": "training.kubeflow.org/job-name",
    "MPIJob": "training.kubeflow.org/job-name",
}
MAKERS, LABELS = tuple(_LABELS), frozenset(_LABELS.values())
_OF_SETS = "LeaderWorkerSet"
# Of one that is done, or held back on purpose.
_AT_REST = frozenset(("Succeeded", "Failed", "Complete", "Completed", "Suspended", "Available"))
_NOT_MADE = ("CreationFailed", "BuildFailed")
_BEFORE_ITS_WORKERS = "LeaderReady"


@dataclass(frozen=True)
class Makers:
    """What of the cluster tells whether pods of theirs are missing."""

    now: datetime | None = None
    # Whether all pods were read: else none is missing.
    pods_are_all: bool = False
    # What controllers say of what they could not make, by object; those of which it is told already.
    refused: Mapping[str, str] = field(default_factory=dict)
    told: Collection[str] = ()
    # How many pods bear a label with a value, by namespace; and how many with GPUs a maker owns.
    labelled: Mapping[tuple[str, str, str], int] = field(default_factory=dict)
    owned: Mapping[str, int] = field(default_factory=dict)
    # By kind its controller's pod that does not run, and how it fares.
    controllers: Mapping[str, str] = field(default_factory=dict)
    # What is said of groups that Volcano places together; those of which pods wait.
    groups: Mapping[tuple[str, str], tuple[str, str]] = field(default_factory=dict)
    awaited: Collection[tuple[str, str]] = ()


def why_it_has_none(found: Tree, around: Makers) -> str:
    """Why it has no pods, or fewer than it is to have."""
    if _is_at_rest(found) or not _asks_for_gpus(found):
        return ""
    kind, namespace, name = _which(found)
    refused = next(_refusals(kind, namespace, name, around), "") or next(_not_made(found), "")
    count = _count(kind, namespace, name, around)
    if refused:
        return "" if count else refused
    made = moment(found.get("metadata", "creationTimestamp").string)
    if not around.pods_are_all or not has_lasted(made, around.now, _TAKES):
        return ""
    if not found.get("status").mapping:
        return "" if count else "it has no status and no pods: no controller has acted on it"
    return _too_few(found, count) if kind == _OF_SETS else ""


def cause_of(found: Tree, around: Makers) -> str:
    """Where nobody says why."""
    kind, namespace, name = _which(found)
    if next(_refusals(kind, namespace, name, around), "") or next(_not_made(found), ""):
        return ""
    runs_not = around.controllers.get(kind)
    if runs_not is not None:
        return f"its controller does not run: {runs_not}"
    if found.get("status").mapping:
        return (
            "a group's leader is a pod of one StatefulSet, and its workers are those of another, which the controller "
            "makes when the leader is there: one of them is missing, or its pods are refused (kubectl describe "
            f"statefulset -n {namespace} -l {_LABELS[kind]}={name})"
        )
    return f"the controller of a {kind} does not run, or leaves out this namespace"


def why_not_let_in(group: Tree, around: Makers) -> str:
    """Volcano makes the pods of a job once it has let its group in."""
    key = (group.get("metadata", "namespace").string, group.get("metadata", "name").string)
    asks = any(map(is_gpu_resource, group.get("spec", "minResources").mapping))
    made = moment(group.get("metadata", "creationTimestamp").string)
    if not asks or group.get("status", "phase").text != "Pending" or key in around.awaited:
        return ""
    if not has_lasted(made, around.now, _TAKES):
        return ""
    conditions = (each.get("message").string for each in group.get("status", "conditions").sequence)
    return around.groups.get(key, ("", ""))[1] or next(filter(None, conditions), "")


def _which(found: Tree) -> tuple[str, str, str]:
    metadata = found.get("metadata")
    return found.get("kind").string, metadata.get("namespace").string, metadata.get("name").string


def _is_at_rest(found: Tree) -> bool:
    spec = found.get("spec")
    held = any(each.value in (True, "true") for each in (spec.get("suspend"), spec.get("runPolicy", "suspend")))
    conditions = found.get("status", "conditions").sequence
    ended = any(each.get("status").text == "True" and each.get("type").text in _AT_REST for each in conditions)
    # Whoever else is to manage it may be in another cluster.
    return held or ended or not spec.get("managedBy").is_absent


def _asks_for_gpus(found: Tree) -> bool:
    for template in pod_templates(found):
        for container in template.containers:
            resources = container.tree.get("resources")
            if any(map(_is_meant_for_a_gpu, (*resources.get("limits").mapping, *resources.get("requests").mapping))):
                return True
    return False


def _is_meant_for_a_gpu(resource: str) -> bool:
    """Whether somebody means a GPU by this name. The API server may refuse it."""
    return is_gpu_resource(resource) or resource.lower().rpartition("/")[2] in ("gpu", "gpus")


def _refusals(kind: str, namespace: str, name: str, around: Makers) -> Iterator[str]:
    """The refusals of a maker. Those of a set include its StatefulSets': its leaders', and each leader's workers'."""
    own = f"{kind}/{namespace}/{name}"
    if own in around.refused and own not in around.told:
        yield around.refused[own]
    if kind == _OF_SETS:
        for maker, words in around.refused.items():
            if maker not in around.told and _is_of_the_set(maker, namespace, name):
                yield words


def _is_of_the_set(maker: str, namespace: str, name: str) -> bool:
    kind, _, key = maker.partition("/")
    own = f"{namespace}/{name}"
    number = key.removeprefix(f"{own}-")
    return kind == "StatefulSet" and (key == own or number.isdecimal())


def _not_made(found: Tree) -> Iterator[str]:
    for each in found.get("status", "conditions").sequence:
        if each.get("status").text == "False" and each.get("reason").string.endswith(_NOT_MADE):
            yield each.get("message").text or each.get("reason").string


def _count(kind: str, namespace: str, name: str, around: Makers) -> int:
    """How many pods it has, by label; or by owner, where somebody has cut the labels away."""
    of_sets = kind == _OF_SETS
    own = f"{kind}/{namespace}/{name}"
    makers = (each for each in around.owned if each == own or (of_sets and _is_of_the_set(each, namespace, name)))
    return max(around.labelled.get((_LABELS[kind], namespace, name), 0), sum(around.owned[each] for each in makers))


def _too_few(found: Tree, count: int) -> str:
    """Workers that wait for their leader to be ready are not missing."""
    spec = found.get("spec")
    replicas, size = (_number(each) for each in (spec.get("replicas"), spec.get("leaderWorkerTemplate", "size")))
    wanted = replicas if spec.get("startupPolicy").text == _BEFORE_ITS_WORKERS else replicas * size
    return f"it has {count} of {wanted} pods" if count < wanted else ""


def _number(tree: Tree) -> int:
    written = str(tree.value)
    return int(written) if written.isdecimal() and len(written) < 6 else 1
