"""What those say of a node's GPUs who watch them in a cluster: conditions of the node."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import ClassVar

from nodeworthy.facts.cluster.node_gpus import GpuWatch, NodeGpus
from nodeworthy.records import dataclass
from nodeworthy.verdict import Place


@dataclass(frozen=True)
class WatchedGpus:
    called: ClassVar[str] = "a node whose GPUs somebody watches"

    node: NodeGpus
    said: tuple[GpuWatch, ...]
    # Pods that would run there if its devices were well.
    waiting: tuple[str, ...] = ()

    @property
    def place(self) -> Place:
        return self.node.place


def watched_gpus(nodes: Iterable[NodeGpus], waiting: Mapping[str, tuple[str, ...]]) -> Iterator[WatchedGpus]:
    return (WatchedGpus(each, each.watched, waiting.get(each.name, ())) for each in nodes if _is_watched(each))


def _is_watched(node: NodeGpus) -> bool:
    return bool(node.watched) and node.has_gpus
