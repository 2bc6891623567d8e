"""What a node must know to join its cluster."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True)
class Joining:
    cluster: str
    endpoint: str
    # In base64, as EKS gives it.
    certificate_authority: str
    service_cidr: str
    labels: Mapping[str, str] = field(default_factory=dict)

    @property
    def node_labels(self) -> str:
        return ",".join(f"{name}={value}" for name, value in self.labels.items())

    @property
    def dns(self) -> str:
        """EKS gives its DNS the tenth address of the service range."""
        network = self.service_cidr.split("/", 1)[0]
        return ".".join([*network.split(".")[:3], "10"])
