"""DaemonSets that bring a driver to nodes, the operator's and a cloud's, and the nodes on which several of them run."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from typing import ClassVar

from nodeworthy.documents.tree import Tree
from nodeworthy.facts.cluster.pod import ClusterPod
from nodeworthy.facts.operator.daemonset_manifest import title_of
from nodeworthy.patterns import pattern
from nodeworthy.records import dataclass
from nodeworthy.verdict import Place

Key = tuple[str, str]
# The operator's driver container, by its image (`nvcr.io/nvidia/driver`) and by its name.
_OPERATORS = pattern(r"(^|/)nvidia/driver$|^nvidia-driver-ctr$")
# Google's and others', which install it in an init container: `cos-nvidia-installer`, `nvidia-driver-installer`.
_INSTALLERS = pattern(r"(^|[-/])(nvidia-(driver-)?installer|cos-gpu-installer)$")


@dataclass(frozen=True)
class DriverDaemonSet:
    place: Place
    title: str
    is_the_operators: bool


@dataclass(frozen=True)
class DriversOnNodes:
    called: ClassVar[str] = "what brings a driver to a node"

    operators: DriverDaemonSet
    other: DriverDaemonSet
    nodes: tuple[str, ...]

    @property
    def place(self) -> Place:
        return self.operators.place


def driver_daemonset(document: Tree) -> DriverDaemonSet | None:
    """Reads an object of kind DaemonSet; None where it brings no driver."""
    words = _words(document.get("spec", "template", "spec"))
    is_the_operators = any(map(_OPERATORS.search, words))
    if not is_the_operators and not any(map(_INSTALLERS.search, words)):
        return None
    return DriverDaemonSet(document.place, title_of(document), is_the_operators)


def brings_a_driver(pods: Tree) -> bool:
    """Whether pods of this spec do."""
    return any(_OPERATORS.search(each) or _INSTALLERS.search(each) for each in _words(pods))


def _words(pods: Tree) -> list[str]:
    containers = [*pods.get("initContainers").sequence, *pods.get("containers").sequence]
    named = [each.get("name").string for each in containers]
    return [*named, *(_repository(each.get("image").string) for each in containers)]


def _repository(image: str) -> str:
    """The image without its tag; a registry's port is no tag."""
    path, slash, name = image.partition("@")[0].rpartition("/")
    return f"{path}{slash}{name.partition(':')[0]}"


def drivers_on_nodes(daemonsets: Mapping[Key, DriverDaemonSet], pods: Iterable[ClusterPod]) -> Iterator[DriversOnNodes]:
    """The nodes on which the operator's driver and another one run together."""
    on: dict[str, set[Key]] = defaultdict(set)
    for pod in pods:
        key = (pod.namespace, pod.daemonset)
        if key in daemonsets and pod.node and not pod.is_over:
            on[pod.node].add(key)
    together: dict[tuple[Key, Key], list[str]] = defaultdict(list)
    for node, keys in on.items():
        operators = sorted(key for key in keys if daemonsets[key].is_the_operators)
        others = sorted(keys - set(operators))
        if operators and others:
            together[operators[0], others[0]].append(node)
    for (one, other), nodes in together.items():
        yield DriversOnNodes(daemonsets[one], daemonsets[other], tuple(sorted(nodes)))
