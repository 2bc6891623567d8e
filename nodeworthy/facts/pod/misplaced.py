"""Fields of a pod that stand where Kubernetes has none of their name: beside the containers what a container says, in a
container what its pod says, around the pod what the pod says."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from nodeworthy.documents.tree import Tree
from nodeworthy.facts.pod.containers import Container, is_gpu_resource
from nodeworthy.facts.pod.template import PodTemplate
from nodeworthy.records import dataclass

# By kind, what leads to the pod's template; a Pod is its own.
_WAYS: Mapping[str, tuple[str, ...]] = {
    "Pod": (),
    **dict.fromkeys(
        ("Deployment", "ReplicaSet", "StatefulSet", "DaemonSet", "ReplicationController", "Job"), ("spec", "template")
    ),
    "CronJob": ("spec", "jobTemplate", "spec", "template"),
}
_GROUPS = ("v1", "apps/v1", "batch/v1")
# Kinds of others whose templates are Kubernetes' own, which has a spec and metadata, and nothing beside them.
# Source: kuberay, ray-operator/apis/ray/v1; training-operator, pkg/apis/kubeflow.org/v1; mpi-operator,
# pkg/apis/kubeflow/v2beta1; jobset, api/jobset/v1alpha2; lws, api/leaderworkerset/v1; volcano, pkg/apis/batch/v1alpha1
_EMBEDDING = frozenset(
    "ray.io/RayCluster ray.io/RayJob ray.io/RayService kubeflow.org/PyTorchJob kubeflow.org/TFJob kubeflow.org/MPIJob "
    "jobset.x-k8s.io/JobSet leaderworkerset.x-k8s.io/LeaderWorkerSet batch.volcano.sh/Job".split()
)
# What a pod's spec says of where it runs and with what, and neither its containers nor what makes it say.
_OF_A_POD = (
    "nodeSelector tolerations affinity runtimeClassName resourceClaims volumes hostIPC schedulerName priorityClassName"
).split()
_OF_A_CONTAINER = "env envFrom volumeMounts command args image limits requests".split()
_OF_A_CONTAINERS_CONTEXT = "privileged capabilities".split()
_OF_RESOURCES = "limits requests".split()
_RESOURCES = "resources"
# A pod's own are for CPU, memory and huge pages.
_NO_GPUS = "where Kubernetes takes no GPUs"


@dataclass(frozen=True)
class Misplaced:
    name: str
    tree: Tree
    # Where it stands, and where it belongs, in a reader's words.
    stands_in: str
    belongs_in: str
    # Whether it is GPUs that are asked for.
    asks: bool = False
    what_is_there: str = "where Kubernetes has no such field"


def why_fields_are_free(pod: PodTemplate) -> str | None:
    """Why nobody here knows what may stand where in it."""
    way = _WAYS.get(pod.kind)
    if way is None or pod.document.get("apiVersion").string not in _GROUPS:
        return "it is of no kind of Kubernetes itself: what its fields may hold, its maker decides"
    if pod.template.place != pod.document.get(*way).place:
        return "it is a part of an object that was made here to be judged"
    return pod.elsewhere or pod.why_hidden


def misplaced_settings(pod: PodTemplate) -> Iterator[Misplaced]:
    if why_fields_are_free(pod) is not None:
        yield from _beside_its_spec(pod)
        return
    yield from _around(pod, _WAYS[pod.kind])
    yield from _beside_the_containers(pod)
    for container in pod.containers:
        yield from _in_a_container(container)


def _beside_its_spec(pod: PodTemplate) -> Iterator[Misplaced]:
    """The fields that stand beside the specification, in a template that another kind of object holds."""
    group = pod.document.get("apiVersion").string.partition("/")[0]
    if f"{group}/{pod.kind}" not in _EMBEDDING or pod.elsewhere or pod.why_hidden or not pod.path.endswith("emplate"):
        return
    for name in _OF_A_POD:
        given = pod.template.get(name)
        if _is_given(given):
            yield Misplaced(name, given, f"{pod.path}, beside its spec", "the pod's spec, beside containers")


def _around(pod: PodTemplate, way: tuple[str, ...]) -> Iterator[Misplaced]:
    holders = [(way[:depth], pod.document.get(*way[:depth])) for depth in range(len(way) + 1)]
    for path, holder in holders:
        called = f"{pod.kind}'s {'.'.join(path)}" if path else f"the {pod.kind} itself"
        for name in _OF_A_POD:
            if _is_given(holder.get(name)):
                yield Misplaced(name, holder.get(name), called, "the pod's spec, beside containers")
        if _asks(holder.get(_RESOURCES)):
            yield Misplaced(_RESOURCES, holder.get(_RESOURCES), called, "the container that is to have them", asks=True)


def _beside_the_containers(pod: PodTemplate) -> Iterator[Misplaced]:
    if _asks(pod.spec.get(_RESOURCES)):
        given, belongs = pod.spec.get(_RESOURCES), "the container that is to have them"
        yield Misplaced(_RESOURCES, given, "the pod's spec", belongs, asks=True, what_is_there=_NO_GPUS)
    for name in _OF_A_CONTAINER:
        given = pod.spec.get(name)
        if _is_given(given):
            yield Misplaced(name, given, "the pod's spec", _in_container(name), asks=_names_gpus(given))
    for name in _OF_A_CONTAINERS_CONTEXT:
        given = pod.spec.get("securityContext", name)
        if _is_given(given):
            yield Misplaced(name, given, "the pod's securityContext", "the container's securityContext")


def _in_a_container(container: Container) -> Iterator[Misplaced]:
    for name in (*_OF_A_POD, *_OF_RESOURCES):
        given = container.tree.get(name)
        if _is_given(given):
            belongs = _in_container(name) if name in _OF_RESOURCES else "the pod's spec, beside containers"
            yield Misplaced(name, given, f"the container {container.name}", belongs, asks=_names_gpus(given))
    for name, given in container.tree.get(_RESOURCES).mapping.items():
        if is_gpu_resource(name) and _is_given(given):
            stands = f"resources of the container {container.name}"
            yield Misplaced(name, given, stands, "its resources.limits", asks=True)


def _in_container(name: str) -> str:
    return "the container's resources" if name in _OF_RESOURCES else "the container"


def _is_given(tree: Tree) -> bool:
    return not (tree.says_nothing or tree.is_unknown)


def _asks(resources: Tree) -> bool:
    return any(map(_names_gpus, (resources, *map(resources.get, _OF_RESOURCES))))


def _names_gpus(tree: Tree) -> bool:
    return any(map(is_gpu_resource, tree.mapping))
