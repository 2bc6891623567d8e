"""A pod of a cluster by its name."""

from __future__ import annotations

from nodeworthy.records import dataclass
from nodeworthy.verdict import Place


@dataclass(frozen=True, slots=True)
class NamedPod:
    namespace: str
    name: str

    @property
    def object(self) -> str:
        return f"Pod/{self.namespace}/{self.name}"

    @property
    def place(self) -> Place:
        return Place(object=self.object)
