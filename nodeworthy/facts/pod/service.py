"""A Service of Kubernetes, and the pods that it sends to: by the labels of their templates."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import ClassVar

from nodeworthy.documents.settled import why_incomplete
from nodeworthy.documents.tree import Tree
from nodeworthy.facts.pod.refused import MADE_LATER
from nodeworthy.facts.pod.template import PodTemplate
from nodeworthy.records import dataclass
from nodeworthy.verdict import Place


@dataclass(frozen=True, eq=False)
class PodService:
    called: ClassVar[str] = "a Service that chooses pods"

    place: Place
    name: str
    namespace: str
    chooses: Mapping[str, str]
    ports: Sequence[Tree]
    # Without an address of its own (clusterIP: None), of which no pod is told by variables.
    is_headless: bool = False

    @property
    def variable(self) -> str:
        """By which kubelet tells the pods of its namespace of it: tcp://10.0.0.1:80."""
        return f"{self.name.upper().replace('-', '_')}_PORT"

    def sends_to(self, pod: PodTemplate) -> bool:
        labels = pod.template.get("metadata", "labels")
        return self.is_in_the_namespace_of(pod) and all(
            labels.get(name).text == value for name, value in self.chooses.items()
        )

    def is_in_the_namespace_of(self, pod: PodTemplate) -> bool:
        """Of one file kubectl puts what names no namespace beside what does: with another one it refuses the file."""
        is_open = not pod.namespace or not self.namespace
        return pod.namespace == self.namespace or (is_open and pod.document.place.path == self.place.path)


def services(document: Tree) -> Iterator[PodService]:
    """Those of which all is known; an ExternalName sends to no pod."""
    metadata, spec = document.get("metadata"), document.get("spec")
    chosen = {name: tree.text or "" for name, tree in spec.get("selector").mapping.items()}
    is_told = chosen and why_incomplete(spec) is None and not any(map(_is_made_later, chosen.items()))
    if document.get("apiVersion").text == "v1" and is_told and spec.get("type").text != "ExternalName":
        name, namespace = metadata.get("name").string, metadata.get("namespace").string
        is_headless = spec.get("clusterIP").text == "None"
        yield PodService(document.place, name, namespace, chosen, spec.get("ports").sequence, is_headless)


def _is_made_later(chosen: tuple[str, str]) -> bool:
    return not chosen[1] or any(MADE_LATER.search(each) for each in chosen)
