"""The volumes of claims, and the nodes from which each can be reached."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from typing import Any

from nodeworthy.documents.plain import mapping_at, mappings_at, text_at
from nodeworthy.facts.cluster.node_gpus import NodeGpus
from nodeworthy.facts.pod.node_choice import REQUIRED, NodeChoice, node_choice
from nodeworthy.records import dataclass, field

Key = tuple[str, str]


@dataclass(frozen=True)
class FarVolume:
    """A claim's volume that no node of some can reach."""

    claim: str
    volume: str
    # Where it can be reached from, and what these nodes have of it: `topology.kubernetes.io/zone In us-east-2b`.
    lies: str
    nodes_have: tuple[str, ...]


@dataclass
class BoundVolumesSeen:
    """By claim its volume; and of volumes those that not every node reaches."""

    volumes: dict[Key, str] = field(default_factory=dict)
    reached_from: dict[str, NodeChoice] = field(default_factory=dict)
    _alike: dict[str, NodeChoice] = field(default_factory=dict)

    def add(self, kind: str, key: Key, data: Mapping[str, Any]) -> None:
        if kind == "PersistentVolumeClaim":
            self.volumes.pop(key, None)
            if text_at(data, "status", "phase") == "Bound" and (volume := text_at(data, "spec", "volumeName")):
                self.volumes[key] = volume
        elif kind == "PersistentVolume":
            self.reached_from.pop(key[1], None)
            required = mapping_at(data, "spec", "nodeAffinity", "required")
            if mappings_at(required, "nodeSelectorTerms"):
                affinity, node_affinity, mode, _ = REQUIRED
                choice = node_choice({"spec": {affinity: {node_affinity: {mode: required}}}})
                self.reached_from[key[1]] = self._alike.setdefault(choice.written, choice)

    def far_from(self, nodes: Collection[NodeGpus], namespace: str, claims: Collection[str]) -> Iterator[FarVolume]:
        for claim in claims:
            volume = self.volumes.get((namespace, claim), "")
            choice = self.reached_from.get(volume)
            if choice is None or any(choice.takes(node.labels, node.name) for node in nodes):
                continue
            labels = choice.selection.labels
            have = {f"{name}={node.labels[name]}" for node in nodes for name in labels if name in node.labels}
            yield FarVolume(claim, volume, choice.shown, tuple(sorted(have)))
