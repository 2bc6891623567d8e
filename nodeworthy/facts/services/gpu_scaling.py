"""What a HorizontalPodAutoscaler scales by, where that is GPUs as a resource."""

from __future__ import annotations

from collections.abc import Iterator
from typing import ClassVar

from nodeworthy.documents.tree import Tree
from nodeworthy.facts.pod.containers import is_gpu_resource
from nodeworthy.records import dataclass
from nodeworthy.verdict import Place

# How a metric that is a resource's says which one.
_OF_A_RESOURCE = (("resource", "name"), ("containerResource", "name"))


@dataclass(frozen=True)
class GpuScaling:
    """A metric of an autoscaler that is a share of the GPUs that pods ask for."""

    called: ClassVar[str] = "an autoscaler that scales by GPUs"

    place: Place
    title: str
    resource: str
    # Whether it is all that the autoscaler goes by.
    is_alone: bool


def scaled_by_gpus(document: Tree) -> Iterator[GpuScaling]:
    metrics = document.get("spec", "metrics").sequence
    title = f"HorizontalPodAutoscaler '{document.get('metadata', 'name').string}'"
    for metric in metrics:
        for path in _OF_A_RESOURCE:
            name = metric.get(*path)
            if name.text is not None and is_gpu_resource(name.text):
                yield GpuScaling(name.place, title, name.text, is_alone=len(metrics) == 1)
