"""GPU nodes that a manifest asks for: of Karpenter, eksctl, Cluster API or Talos. Where no fleet is declared, they are
pools."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from nodeworthy.facts.fleet.gpu_pool import GpuPool
from nodeworthy.facts.fleet.machines import NOTHING_SAID, Machines
from nodeworthy.facts.fleet.node_image import NodeImage
from nodeworthy.fleet.model import Driver
from nodeworthy.known.containerd import containerd_of
from nodeworthy.records import dataclass
from nodeworthy.verdict import Known, Located, Place

if TYPE_CHECKING:
    from nodeworthy.facts.boot.script import BootScript


@dataclass(frozen=True)
class AskedNodes:
    called: ClassVar[str] = "GPU nodes that a manifest asks for"

    name: str
    noun: str
    place: Place
    # What they are, or why that is not known, at the place that says it; and the words that stand there.
    distribution: Located[str]
    said: str
    # Whether the driver is in their image; None where nobody knows it.
    has_driver: bool | None = None
    kubernetes: Located[str] | None = None
    cluster: Located[str] | None = None
    services: Located[str] | None = None
    pods: Located[str] | None = None
    machines: Machines = NOTHING_SAID
    # It follows, and may be otherwise.
    is_likely: bool = False
    # Their settings speak of the device plugin of their image.
    sets_own_plugin: bool = False
    # What they run as their user data.
    scripts: tuple[BootScript, ...] = ()
    # As the cloud makes them that hosts their cluster, where one does.
    hosted: GpuPool | None = None

    @property
    def image(self) -> NodeImage:
        state = self.distribution.state
        named = state.value if isinstance(state, Known) else None
        return NodeImage(self.distribution.place, self.said, self.has_driver, named)

    @property
    def pool(self) -> GpuPool:
        if self.hosted is not None:
            return self.hosted
        state, place = self.distribution.state, self.distribution.place
        runtime = Known(containerd_of(state.value)) if isinstance(state, Known) else state
        pool = GpuPool(
            self.name,
            self.place,
            self.distribution,
            Located(runtime, place),
            noun=self.noun,
            driver=Driver.AMI if self.has_driver else None,
            driver_said=self.image.told() if self.has_driver is not None else None,
            kubernetes=self.kubernetes,
            cluster=self.cluster,
            services=self.services,
            pods=self.pods,
            machines=self.machines,
            evidence=self.said,
            is_likely=self.is_likely,
            sets_own_plugin=self.sets_own_plugin,
        )
        if self.has_driver or (self.has_driver is None and not self.scripts):
            return pool
        from nodeworthy.facts.boot.pool_drivers import brought_by_scripts, with_its_driver

        if self.has_driver is None:
            return brought_by_scripts(pool, self.scripts)
        return with_its_driver(pool, False, self.scripts, [self.image])
