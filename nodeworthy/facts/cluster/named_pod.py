"""A pod of a cluster by its name."""

from __future__ import annotations

from nodeworthy.records import dataclass
from nodeworthy.verdict import Place


# Nobody changes one. They are not frozen because a cluster has a hundred thousand, and to freeze one takes three times
# as long as to make it.
@dataclass(slots=True, unsafe_hash=True)
class NamedPod:
    namespace: str
    name: str

    @property
    def object(self) -> str:
        return f"Pod/{self.namespace}/{self.name}"

    @property
    def place(self) -> Place:
        return Place(object=self.object)
