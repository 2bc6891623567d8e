"""Claims on volumes that one node at a time may have, and the pods that use them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from nodeworthy.documents.plain import at, mappings_at, text_at
from nodeworthy.facts.cluster.pod import ClusterPod
from nodeworthy.known.volumes import disk_provisioners
from nodeworthy.records import dataclass, field

Key = tuple[str, str]
_OF_ONE_NODE = frozenset(("ReadWriteOnce", "ReadWriteOncePod"))


@dataclass(frozen=True)
class HeldVolume:
    """A claim whose disk another pod has on another node."""

    claim: str
    mode: str
    holder: str
    node: str


@dataclass
class SharedClaimsSeen:
    # By claim the volume, where one node alone may have it, with its mode and class; and who provides volumes.
    of_one_node: dict[Key, tuple[str, str, str]] = field(default_factory=dict)
    drivers: dict[str, str] = field(default_factory=dict)
    provisioners: dict[str, str] = field(default_factory=dict)
    # By pod the claims that it names.
    used: dict[Key, tuple[str, ...]] = field(default_factory=dict)

    def add(self, kind: str, key: Key, data: Mapping[str, Any]) -> None:
        if kind == "Pod":
            self._add_pod(key, data)
        elif kind == "PersistentVolumeClaim":
            self.of_one_node.pop(key, None)
            modes = at(data, "spec", "accessModes")
            if text_at(data, "status", "phase") == "Bound" and isinstance(modes, list) and set(modes) <= _OF_ONE_NODE:
                named = text_at(data, "spec", "volumeName"), text_at(data, "spec", "storageClassName")
                self.of_one_node[key] = (*named, ", ".join(modes))
        elif kind == "PersistentVolume":
            self.drivers[key[1]] = text_at(data, "spec", "csi", "driver")
        elif kind == "StorageClass":
            self.provisioners[key[1]] = text_at(data, "provisioner")

    def add_all(self, other: SharedClaimsSeen) -> None:
        self.used.update(other.used)

    def _add_pod(self, key: Key, data: Mapping[str, Any]) -> None:
        self.used.pop(key, None)
        volumes = mappings_at(data, "spec", "volumes")
        claims = tuple(filter(None, (text_at(each, "persistentVolumeClaim", "claimName") for each in volumes)))
        # One that is being deleted lets go of them.
        if claims and not text_at(data, "metadata", "deletionTimestamp"):
            self.used[key] = claims

    def held_elsewhere(self, pod: ClusterPod, pods: Mapping[Key, ClusterPod]) -> Iterator[HeldVolume]:
        """What keeps the volumes of a pod on another node than its own."""
        own = (pod.namespace, pod.name)
        for claim in self.used.get(own, ()):
            volume, of_class, mode = self.of_one_node.get((pod.namespace, claim), ("", "", ""))
            driver = self.drivers.get(volume) or self.provisioners.get(of_class, "")
            if driver not in disk_provisioners():
                continue
            for key, claims in self.used.items():
                other = pods.get(key)
                if key[0] != pod.namespace or claim not in claims or other is None or key == own:
                    continue
                if other.phase == "Running" and other.node and other.node != pod.node:
                    yield HeldVolume(claim, mode, other.object, other.node)
