"""What pods are made from, wherever it stands: a Pod itself, a Deployment's template, a worker group of Ray."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cached_property
from typing import TYPE_CHECKING, Any, ClassVar

from nodeworthy.documents.settled import settle, why_incomplete
from nodeworthy.documents.tree import Tree
from nodeworthy.facts.pod.containers import Container, containers_of, is_gpu_resource
from nodeworthy.facts.surroundings import Surroundings
from nodeworthy.known.containerd import defaults
from nodeworthy.records import dataclass
from nodeworthy.verdict import Known, Located, Place, Unknown, value_if_known

if TYPE_CHECKING:
    from nodeworthy.facts.pod.node_choice import Selection

# Kinds whose pods are started anew whenever they end.
ENDLESS = frozenset(("Deployment", "ReplicaSet", "StatefulSet", "DaemonSet", "ReplicationController"))
# What pods are called that a chart makes of its values.
OF_VALUES = "Chart"
_VARIABLES = ("NVIDIA_VISIBLE_DEVICES", "NVIDIA_DRIVER_CAPABILITIES")
# What a node is chosen or tolerated by where its GPUs are meant.
_SIGNS = ("nvidia.com/", "gpu.monitoring/", "k8s.amazonaws.com/accelerator", "cloud.google.com/gke-accelerator")


@dataclass(frozen=True)
class LivePods:
    """The pods of a cluster that one template made."""

    objects: tuple[str, ...]
    # Those that no node has taken.
    unscheduled: tuple[str, ...] = ()


@dataclass(frozen=True, eq=False)
class PodTemplate:
    called: ClassVar[str] = "a pod template"

    # Where it was kept, in a reader's words.
    origin: ClassVar[str] = "a manifest"

    document: Tree
    # Has `metadata` and `spec`.
    template: Tree
    # What holds it, from the document inwards, with the names that lead there.
    above: tuple[Tree, ...] = ()
    path: str = ""
    # Why what is not in it may stand elsewhere (a patch, a chart's template); None if it is all there is.
    elsewhere: str | None = None
    live: LivePods | None = None
    # The files around it, where it stands in one.
    surroundings: Surroundings | None = None

    @property
    def place(self) -> Place:
        where = self.template.place
        return where if where.line is not None else self.document.place

    @property
    def spec(self) -> Tree:
        return self.template.get("spec")

    @cached_property
    def kind(self) -> str:
        return self.document.get("kind").text or "Pod"

    @cached_property
    def name(self) -> str:
        metadata = self.document.get("metadata")
        return metadata.get("name").text or metadata.get("generateName").string

    @cached_property
    def namespace(self) -> str:
        return self.document.get("metadata", "namespace").string

    @property
    def title(self) -> str:
        inside = f" ({self.path})" if self.path.count("[") else ""
        return f"{self.kind} '{self.name}'{inside}" if self.name else f"this {self.kind}{inside}"

    @cached_property
    def containers(self) -> tuple[Container, ...]:
        return tuple(containers_of(self.spec))

    @property
    def at_work(self) -> list[Container]:
        """Those that run beside each other, without those that end before the work begins."""
        return [each for each in self.containers if not each.is_init or each.is_sidecar]

    @cached_property
    def labels(self) -> Mapping[str, Tree]:
        """The labels of the template and of the object that it stands in."""
        return {**self.document.get("metadata", "labels").mapping, **self.template.get("metadata", "labels").mapping}

    @cached_property
    def annotations(self) -> Mapping[str, Tree]:
        outer = self.document.get("metadata", "annotations").mapping
        return {**outer, **self.template.get("metadata", "annotations").mapping}

    @cached_property
    def runtime_class(self) -> Located[Any]:
        return settle(self.spec.get("runtimeClassName"))

    @cached_property
    def selection(self) -> Selection:
        from nodeworthy.facts.pod.node_choice import Selection

        return Selection(self.spec)

    @cached_property
    def gpu_resources(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys(name for each in self.containers for name in each.gpu_resources))

    @cached_property
    def uses_gpus(self) -> bool:
        """Whether anything that can be seen says that it is to have GPUs."""
        in_vain = any(each.asked_in_vain for each in self.containers)
        return bool(self.gpu_resources) or in_vain or self._has_nvidia_runtime or any(self._signs)

    @property
    def _has_nvidia_runtime(self) -> bool:
        named = value_if_known(self.runtime_class)
        return isinstance(named, str) and named.startswith(defaults().runtime_class)

    @property
    def _signs(self) -> Iterator[bool]:
        yield any(each.variable(name) is not None for each in self.containers for name in _VARIABLES)
        yield any(name.startswith(_SIGNS) for name in self.spec.get("nodeSelector").mapping)
        for toleration in self.spec.get("tolerations").sequence:
            key = toleration.get("key").string
            yield is_gpu_resource(key)

    @cached_property
    def why_hidden(self) -> str | None:
        """Why containers, or what they ask for, can't all be seen."""
        if why := why_incomplete(self.spec.get("containers")) or why_incomplete(self.spec):
            return why
        return next(filter(None, (each.why_hidden for each in self.containers)), None)

    def above_says(self, *names: str) -> Tree | None:
        """What the pod's spec, or whatever makes the pod, says under these names: the nearest one counts."""
        for holder in (self.spec, *reversed(self.above)):
            tree = holder.get(*names)
            if not tree.says_nothing:
                return tree
        return None

    def asks_for(self, resource: str) -> Located[int]:
        """What the scheduler counts: all that run together, or the init container that asks for more."""
        together, most = 0, 0
        for each in sorted(self.containers, key=lambda container: not container.is_init):
            located = each.asks_for(resource)
            if isinstance(located.state, Unknown):
                return located
            if each.is_init and not each.is_sidecar:
                most = max(most, together + located.state.value)
            else:
                together += located.state.value
        return Located(Known(max(together, most)), self.place)

    def least(self, resource: str) -> int:
        """How much of a resource the pod asks for at least: amounts that are not known count as nothing."""
        states = [(each.is_init and not each.is_sidecar, each.asks_for(resource).state) for each in self.containers]
        known = [(alone, state.value) for alone, state in states if isinstance(state, Known)]
        together = sum(amount for alone, amount in known if not alone)
        return max([together, *(amount for alone, amount in known if alone)])
