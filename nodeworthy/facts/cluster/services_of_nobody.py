"""Services, and pools of models, that lead to no pod, beside pods with GPUs to which they were meant to lead."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from typing import Any

from nodeworthy.documents.plain import strings_at
from nodeworthy.facts.cluster.pod import ClusterPod
from nodeworthy.records import dataclass
from nodeworthy.verdict import Place

Key = tuple[str, str]
# The labels by which programs are told apart. Others (a role, a version, `ray.io/serve`) are changed while pods run,
# and by them a Service may lead to nobody for a while.
_OF_PROGRAMS = frozenset(
    (
        "app",
        "k8s-app",
        "name",
        "run",
        "component",
        "app.kubernetes.io/name",
        "app.kubernetes.io/instance",
        "app.kubernetes.io/component",
    )
)


@dataclass(frozen=True)
class ServiceOfNobody:
    kind: str
    key: Key
    selector: Mapping[str, str]
    # The pod that it was meant for, and the labels in which they differ, as the pod has them.
    pod: str
    differs: tuple[tuple[str, str], ...]

    @property
    def place(self) -> Place:
        return Place(object="/".join((self.kind, *self.key)))


def services_of_nobody(
    kind: str,
    services: Mapping[Key, Mapping[str, Any]],
    pods: Collection[ClusterPod],
    templates: Collection[tuple[str, Mapping[str, str]]],
) -> Iterator[ServiceOfNobody]:
    """`templates` are the labels of pods that are yet to be made, each with its namespace."""
    of_gpus = {pod.namespace for pod in pods if pod.wants_gpus and pod.ready}
    beside: dict[str, list[ClusterPod]] = {namespace: [] for namespace in of_gpus}
    for pod in pods:
        if pod.namespace in of_gpus and pod.ready:
            beside[pod.namespace].append(pod)
    asked = {key: _selector(each) for key, each in services.items() if key[0] in of_gpus}
    if not asked:
        return
    labels: dict[str, list[Mapping[str, str]]] = {namespace: [] for namespace, _ in asked}
    for namespace, some in (*((pod.namespace, pod.labels) for pod in pods if not pod.is_over), *templates):
        if namespace in labels:
            labels[namespace].append(some)
    for key, selector in asked.items():
        if selector and not any(_chooses(selector, some) for some in labels[key[0]]):
            own = strings_at(services[key], "metadata", "labels")
            yield from _meant(kind, key, selector, own, beside[key[0]])


def _selector(service: Mapping[str, Any]) -> Mapping[str, str]:
    """An InferencePool has it in the words of newer kinds, and had it once in a Service's."""
    return strings_at(service, "spec", "selector", "matchLabels") or strings_at(service, "spec", "selector")


def _chooses(selector: Mapping[str, str], labels: Mapping[str, str]) -> bool:
    return all(labels.get(name) == value for name, value in selector.items())


def _meant(
    kind: str, key: Key, selector: Mapping[str, str], own: Mapping[str, str], pods: Collection[ClusterPod]
) -> Iterator[ServiceOfNobody]:
    """The pod that contradicts it, and bears its name, or all of its labels but one, or those that the Service bears
    itself; or that has all of its labels but one that is wanted empty."""
    for pod in pods:
        differs = [
            (name, pod.labels.get(name, "")) for name, value in selector.items() if pod.labels.get(name) != value
        ]
        contradicts = all(name in _OF_PROGRAMS and value for name, value in differs)
        bears_its_name = key[1] in {pod.labels.get(name) for name in _OF_PROGRAMS}
        bears_its_labels = all(pod.labels.get(name, "") == own.get(name) for name in selector)
        lacks_an_empty_one = all(selector[name] == "" for name, _ in differs) and len(differs) < len(selector)
        of_program = pod.wants_gpus and contradicts and (bears_its_name or len(differs) == 1 < len(selector))
        if of_program or bears_its_labels or lacks_an_empty_one:
            yield ServiceOfNobody(kind, key, selector, pod.object, tuple(differs))
            return
