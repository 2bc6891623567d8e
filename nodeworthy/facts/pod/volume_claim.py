"""What is claimed of volumes, as pods name it: a PersistentVolumeClaim, a template of a StatefulSet's."""

from __future__ import annotations

from collections.abc import Iterator
from typing import ClassVar

from nodeworthy.documents.settled import why_incomplete
from nodeworthy.documents.tree import Tree
from nodeworthy.facts.pod.template import PodTemplate
from nodeworthy.records import dataclass
from nodeworthy.verdict import Place

# Of folders that are shared, or of a node's own disk, nobody counts what is written.
_UNCOUNTED = ("efs", "nfs", "hostpath", "host-path", "local", "lustre", "fsx", "juicefs", "azurefile", "smb", "cephfs")


@dataclass(frozen=True, eq=False)
class VolumeClaim:
    called: ClassVar[str] = "a PersistentVolumeClaim"

    place: Place
    name: str
    namespace: str
    spec: Tree

    @property
    def asks_for(self) -> Tree:
        return self.spec.get("resources", "requests", "storage")

    def is_of(self, pod: PodTemplate) -> bool:
        is_open = (not pod.namespace or not self.namespace) and pod.document.place.path == self.place.path
        return pod.namespace == self.namespace or is_open

    @property
    def is_counted(self) -> bool:
        """Whether it is a disk of the size that it asks for: not one that is there already, nor a shared folder."""
        named = self.spec.get("storageClassName")
        kinds = [each.text for each in self.spec.get("accessModes").sequence]
        is_chosen = any(not self.spec.get(each).is_absent for each in ("volumeName", "selector", "dataSource"))
        is_shared = any(each in (named.text or "").lower() for each in _UNCOUNTED) or named.text == ""
        return kinds == ["ReadWriteOnce"] and not is_chosen and not is_shared and why_incomplete(self.spec) is None


def volume_claims(document: Tree) -> Iterator[VolumeClaim]:
    metadata = document.get("metadata")
    if document.get("apiVersion").text == "v1" and metadata.get("name").text:
        yield VolumeClaim(
            document.place, metadata.get("name").string, metadata.get("namespace").string, document.get("spec")
        )


def claims_of_its_own(pod: PodTemplate) -> Iterator[VolumeClaim]:
    """Those that a StatefulSet makes for each of its pods, which are named like its volumes."""
    for each in pod.document.get("spec", "volumeClaimTemplates").sequence:
        yield VolumeClaim(each.place, each.get("metadata", "name").string, pod.namespace, each.get("spec"))
