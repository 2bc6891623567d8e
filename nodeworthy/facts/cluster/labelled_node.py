"""A node of a cluster by its name, and what its labels say of its hardware."""

from __future__ import annotations

from collections.abc import Mapping

from nodeworthy.facts.cluster.node_labels import instance_type_of
from nodeworthy.records import dataclass
from nodeworthy.verdict import Place


@dataclass(frozen=True, slots=True)
class LabelledNode:
    name: str
    labels: Mapping[str, str]

    @property
    def place(self) -> Place:
        return Place(object=f"Node/{self.name}")

    @property
    def title(self) -> str:
        return f"node '{self.name}'"

    @property
    def instance_type(self) -> str:
        return instance_type_of(self.labels)
