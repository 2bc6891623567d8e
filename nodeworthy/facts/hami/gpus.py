"""The GPUs that HAMi shares: how many a node has, and how much memory is in one."""

from __future__ import annotations

from collections.abc import Iterator
from typing import ClassVar

from nodeworthy.derive import derive
from nodeworthy.facts.fleet.node_size import NodeSize, sizes_of_fleet
from nodeworthy.facts.hami.setup import HamiSetup
from nodeworthy.fleet.model import Fleet
from nodeworthy.known.gpus import gpu_named, gpu_names
from nodeworthy.known.instances import gpus_of
from nodeworthy.records import dataclass
from nodeworthy.verdict import Known, Located, Place, Unknown

# HAMi counts MB, of which a driver shows a little fewer than the data sheet says.
MB = 1024


@dataclass(frozen=True)
class HamiGpus:
    """The GPUs of one kind of nodes: a pool of the fleet, or nodes of a cluster that are alike."""

    called: ClassVar[str] = "a pool whose GPUs are shared (no fleet was given)"

    size: NodeSize
    # Of one GPU, in MB, where it is sold in several sizes the largest; before HAMi scales it.
    memory: Located[int]
    # How often one may be handed out; None where it is not said here.
    slots: int | None = None
    # Whether `memory` is what HAMi made of it already.
    is_scaled: bool = False

    @property
    def place(self) -> Place:
        return self.size.place

    @property
    def title(self) -> str:
        return self.size.title

    @property
    def per_node(self) -> Located[int]:
        return self.size.gpus

    def memory_scaled(self, factor: float) -> int | None:
        """What HAMi has to give of one GPU; None where it is not known."""
        if isinstance(self.memory.state, Unknown):
            return None
        return self.memory.state.value if self.is_scaled else int(self.memory.state.value * factor)


@derive
def gpus_of_fleet(fleet: Fleet, _setup: HamiSetup) -> Iterator[HamiGpus]:
    for pool, size in zip(fleet.gpu_pools, sizes_of_fleet(fleet), strict=True):
        kind = pool.instance_type.state if pool.instance_type is not None else None
        yield HamiGpus(size, _memory(size, kind.value if isinstance(kind, Known) else ""))


def _memory(size: NodeSize, instance_type: str) -> Located[int]:
    typical = gpus_of(instance_type)
    if typical is not None:
        return Located(Known(typical.memory * MB), size.place)
    gpu = gpu_named(size.gpu or "")
    if gpu is None:
        return Located.unknown(f"which GPU {size.title} has is not known", size.place)
    return Located(Known(max(gpu.memory) * MB), size.place)


def largest_memory() -> int:
    """No GPU that we know has more, in MB."""
    known = (gpu_named(name) for name in gpu_names())
    return max(max(gpu.memory) for gpu in known if gpu is not None) * MB
