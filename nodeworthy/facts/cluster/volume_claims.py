"""Claims on volumes of which their class can make none: written to by many nodes, where one alone may."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from nodeworthy.documents.plain import at, strings_at, text_at
from nodeworthy.facts.cluster.asking_pod import AskingPod
from nodeworthy.known.volumes import OfOneNode, disk_provisioners
from nodeworthy.records import dataclass, field
from nodeworthy.verdict import Place

Key = tuple[str, str]
_FOR_MANY = "ReadWriteMany"
_DEFAULT = "storageclass.kubernetes.io/is-default-class"
_ON_A_DISK = ("", "Filesystem")


@dataclass(frozen=True)
class ImpossibleClaim:
    """A claim for many nodes, its class, and the pods that wait for it."""

    key: Key
    named: str
    by: OfOneNode
    victims: tuple[str, ...]

    @property
    def place(self) -> Place:
        return Place(object="/".join(("PersistentVolumeClaim", *self.key)))


@dataclass
class VolumeClaimsSeen:
    # The claims without a volume that many nodes are to write to, with the class that they name; and the provisioner of
    # each class, the default one under no name as well.
    for_many: dict[Key, str] = field(default_factory=dict)
    provisioners: dict[str, str] = field(default_factory=dict)

    def add(self, kind: str, key: Key, data: Mapping[str, Any]) -> None:
        if kind == "StorageClass":
            self.provisioners[key[1]] = text_at(data, "provisioner")
            if strings_at(data, "metadata", "annotations").get(_DEFAULT) == "true":
                self.provisioners[""] = text_at(data, "provisioner")
        elif kind == "PersistentVolumeClaim":
            self.for_many.pop(key, None)
            modes = at(data, "spec", "accessModes")
            is_open = text_at(data, "status", "phase") == "Pending" and not text_at(data, "spec", "volumeName")
            if is_open and modes == [_FOR_MANY] and text_at(data, "spec", "volumeMode") in _ON_A_DISK:
                self.for_many[key] = text_at(data, "spec", "storageClassName")


def impossible_claims(found: VolumeClaimsSeen, waiting: Sequence[AskingPod]) -> Iterator[ImpossibleClaim]:
    for key, named in found.for_many.items():
        by = disk_provisioners().get(found.provisioners.get(named, ""))
        victims = tuple(sorted(pod.object for pod in waiting if pod.namespace == key[0] and key[1] in pod.claims))
        if by is not None and victims:
            yield ImpossibleClaim(key, named, by, victims)
