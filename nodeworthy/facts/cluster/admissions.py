"""What the kubelets of a cluster refused, and the causes that were found for it."""

from __future__ import annotations

from typing import ClassVar

from nodeworthy.facts.cluster.admission_refusal import AdmissionRefusal
from nodeworthy.records import dataclass
from nodeworthy.verdict import Draft, Place


@dataclass(frozen=True)
class RefusedOnNode:
    """Pods that one node's kubelet refused for one reason."""

    node: str
    pods: tuple[AdmissionRefusal, ...]
    # None where nothing that was seen explains it.
    cause: Draft | None

    @property
    def place(self) -> Place:
        return Place(object=f"Node/{self.node}" if self.node else self.pods[0].object)


@dataclass(frozen=True)
class Admissions:
    """What the kubelets of a cluster refused, without what another rule explains."""

    called: ClassVar[str] = "a cluster whose kubelets admit pods with GPUs"

    refused: tuple[RefusedOnNode, ...]

    @property
    def place(self) -> Place:
        return self.refused[0].place if self.refused else Place(subject="pods")
