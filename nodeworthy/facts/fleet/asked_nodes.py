"""GPU nodes that a manifest asks for, of Karpenter or eksctl. Where no fleet is declared, they are pools."""

from __future__ import annotations

from typing import ClassVar

from nodeworthy.facts.fleet.gpu_pool import GpuPool
from nodeworthy.facts.fleet.node_image import NodeImage
from nodeworthy.fleet.model import Driver
from nodeworthy.known.ami_families import AmiFamily
from nodeworthy.known.containerd import containerd_of
from nodeworthy.records import dataclass
from nodeworthy.verdict import Located, Place


@dataclass(frozen=True)
class AskedNodes:
    called: ClassVar[str] = "GPU nodes that Karpenter or eksctl starts"

    name: str
    noun: str
    place: Place
    # The family of their image, and where and how that is said.
    family: AmiFamily
    said_at: Place
    said: str
    # An image of one's own, of this family: whether a driver is in it, nobody knows.
    is_own_image: bool = False
    kubernetes: Located[str] | None = None

    @property
    def image(self) -> NodeImage:
        has_driver = None if self.is_own_image else self.family.driver
        return NodeImage(self.said_at, self.said, has_driver, self.family.distribution)

    @property
    def pool(self) -> GpuPool:
        distribution = self.family.distribution
        has_driver = self.image.has_driver
        return GpuPool(
            self.name,
            self.place,
            Located.known(distribution, self.said_at),
            Located.known(containerd_of(distribution), self.said_at),
            noun=self.noun,
            driver=Driver.AMI if has_driver else None,
            driver_said=self.image.told() if has_driver is not None else None,
            kubernetes=self.kubernetes,
            evidence=self.said,
        )
