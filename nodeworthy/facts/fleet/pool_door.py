"""What decides which pods come to a pool of GPU nodes, and what it does for them by itself."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from typing import ClassVar

from nodeworthy.derive import derive
from nodeworthy.facts.cluster.node_labels import INSTANCE_TYPES
from nodeworthy.facts.fleet.gpu_pool import GpuPool, gpu_pools
from nodeworthy.fleet.model import Driver, Fleet
from nodeworthy.known.operator_parts import DEVICE_PLUGIN, OPERANDS
from nodeworthy.records import dataclass
from nodeworthy.verdict import Known, Located, Place, Related

NODE_POOL = "NodePool"


@dataclass(frozen=True)
class PoolDoor:
    called: ClassVar[str] = "a pool of GPU nodes (no fleet was given)"

    pool: GpuPool

    @property
    def place(self) -> Place:
        return self.pool.place

    @property
    def title(self) -> str:
        return self.pool.title

    @cached_property
    def labels(self) -> Mapping[str, Located[str]]:
        """Those that its nodes are known to register with, the type of its machines among them."""
        kind = self.pool.machines.type
        every = {**self.pool.machines.labels, **(dict.fromkeys(INSTANCE_TYPES, kind) if kind is not None else {})}
        return {name: said for name, said in every.items() if isinstance(said.state, Known)}

    def has(self, label: str, value: str) -> bool:
        return label in self.labels and self.labels[label].state == Known(value)

    @property
    def shuts_operators_plugin_out(self) -> bool:
        return self.has(DEVICE_PLUGIN, "false") or self.has(OPERANDS, "false")

    @property
    def plugin_of_image(self) -> Related | None:
        """What says that its image hands out the GPUs itself; None where no image is known to."""
        runtime = self.pool.runtime.state
        if self.pool.driver is Driver.AMI and isinstance(runtime, Known) and runtime.value.plugin_in_image:
            return self.pool.declares_its_runtime()
        return None


def doors_of_pools(pools: Sequence[GpuPool]) -> list[PoolDoor]:
    """Of pools that follow from evidence; none where they are of several clusters."""
    clusters = {each.cluster.shown() for each in pools if each.cluster is not None}
    return [PoolDoor(each) for each in pools] if len(clusters) < 2 else []


@derive
def doors_of_fleet(fleet: Fleet) -> Iterator[PoolDoor]:
    yield from map(PoolDoor, gpu_pools(fleet))
