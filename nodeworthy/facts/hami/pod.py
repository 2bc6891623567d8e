"""A pod that asks HAMi for a share of a GPU, and what it asks for."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cached_property
from typing import Any, ClassVar

from nodeworthy.derive import derive
from nodeworthy.documents.settled import settle
from nodeworthy.documents.tree import Tree
from nodeworthy.facts.hami.setup import HamiSetup
from nodeworthy.facts.pod.containers import Container, is_gpu_resource
from nodeworthy.facts.pod.template import PodTemplate
from nodeworthy.known.hami import Resources, annotation_names
from nodeworthy.records import dataclass
from nodeworthy.verdict import Known, Located, Place


@dataclass(frozen=True, eq=False)
class HamiPod:
    called: ClassVar[str] = "a pod that asks for a share of a GPU"

    pod: PodTemplate
    names: Resources
    # Of pods in a cluster: whether HAMi has them.
    mutated: bool = False
    # Why it can't be told what nodes have for it, while it waits for one.
    unseen_nodes: str | None = None

    @property
    def place(self) -> Place:
        return self.pod.place

    @property
    def title(self) -> str:
        return self.pod.title

    @property
    def victims(self) -> tuple[str, ...]:
        return self.pod.live.objects if self.pod.live is not None else ()

    @cached_property
    def asking(self) -> tuple[Container, ...]:
        """The containers that ask for GPUs, whole or shared."""
        wanted = (self.names.count, *self.names.shares)
        return tuple(each for each in self.pod.containers if any(name in resources_asked_by(each) for name in wanted))

    @cached_property
    def sharing(self) -> tuple[Container, ...]:
        """The containers that ask for what only HAMi can give."""
        return tuple(
            each for each in self.asking if any(name in resources_asked_by(each) for name in self.names.shares)
        )

    def amount(self, container: Container, resource: str) -> Located[int] | None:
        """How much of a resource a container asks for; None where it does not."""
        return container.asks_for(resource) if resource in resources_asked_by(container) else None

    def counts(self, container: Container) -> Located[int]:
        """The number of GPUs; a container that asks for a share alone is given one."""
        asked = self.amount(container, self.names.count)
        return asked if asked is not None else Located(Known(1), container.place, written=False)

    @cached_property
    def annotations(self) -> Mapping[str, Tree]:
        """The annotations that its pods get. Those of the object around them do not come down to pods."""
        return self.pod.template.get("metadata", "annotations").mapping

    @property
    def labels(self) -> Mapping[str, Tree]:
        return self.pod.template.get("metadata", "labels").mapping

    def annotated(self, name: str) -> Located[Any] | None:
        tree = self.annotations.get(name)
        return settle(tree) if tree is not None and not tree.is_null else None

    def astray(self) -> Iterator[Tree]:
        """Policies that stand on the object that makes the pods, and so reach none of them."""
        if self.pod.document is self.pod.template:
            return
        for name, tree in self.pod.document.get("metadata", "annotations").mapping.items():
            if name in POLICIES and name not in self.annotations:
                yield tree


@derive
def pods_of_hami(setup: HamiSetup, pod: PodTemplate) -> Iterator[HamiPod]:
    if is_hamis(pod, setup.names, has_all_gpus=setup.has_all_gpus):
        yield HamiPod(pod, setup.names)


# Whether a pod asks HAMi for anything: what it asks for, and its annotations, say so.


POLICIES = (annotation_names().node_policy, annotation_names().gpu_policy)


def is_hamis(pod: PodTemplate, names: Resources, *, has_all_gpus: bool) -> bool:
    """Whether it says itself that it is for HAMi: by what it asks for, or by its annotations."""
    asked = {name for each in pod.containers for name in resources_asked_by(each)}
    if not asked.isdisjoint(names.shares) or any(name in pod.annotations for name in POLICIES):
        return True
    return has_all_gpus and names.count in asked


def asks_for_devices(pod: PodTemplate) -> bool:
    """Whether it asks for anything that HAMi could hand out, of any maker: `huawei.com/Ascend910B`, say."""
    asked = (name for each in pod.containers for name in resources_asked_by(each))
    return any(is_gpu_resource(name) or "/" in name for name in asked)


def resources_asked_by(container: Container) -> frozenset[str]:
    return frozenset((*container.limits.mapping, *container.requests.mapping))
