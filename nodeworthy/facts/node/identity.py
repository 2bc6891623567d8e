"""What a node is: the pool of the fleet that it is of, its instance type, and whether it has GPUs."""

from __future__ import annotations

from typing import ClassVar

from nodeworthy.facts.fleet.gpu_pool import GpuPool
from nodeworthy.fleet.model import Fleet, Pool
from nodeworthy.known.containerd import Containerd
from nodeworthy.known.instances import gpus_of
from nodeworthy.records import dataclass
from nodeworthy.verdict import Located, Place, Unknown, need, skip, value_if_known


@dataclass(frozen=True)
class NodeIdentity:
    called: ClassVar[str] = "what a node is"

    place: Place
    fleet: Fleet | None
    # None without a fleet; unknown where none of its pools fits.
    pool: Located[Pool | None]
    # The same, as a pool of GPUs; None where it has none.
    gpu_pool: Located[GpuPool | None]
    # As the machine calls itself: an EC2 instance type, else nothing.
    instance_type: str
    has_gpu: Located[bool]

    @property
    def told_once(self) -> frozenset[str]:
        """The engine asks: what one rule says for all that need it. Which pool it is of is one question."""
        return frozenset({self.pool.state.why} if isinstance(self.pool.state, Unknown) else ())

    @property
    def known_pool(self) -> Pool | None:
        """The pool that it is known to be of."""
        return value_if_known(self.pool)

    @property
    def known_gpu_pool(self) -> GpuPool | None:
        return value_if_known(self.gpu_pool)

    def only_with_gpus(self) -> None:
        """Skips where the fleet wants no GPU, and where there is none and nobody says that there should be."""
        pool = self.known_pool
        if pool is not None and not pool.is_gpu:
            skip(f"pool '{pool.name}' has no GPUs")
        if pool is None and gpus_of(self.instance_type) is None and not need(self.has_gpu):
            skip("there is no NVIDIA GPU on this host, and nothing says that there should be one")

    def declared_runtime(self) -> tuple[GpuPool, Containerd]:
        """The pool, and the runtime that the fleet declares for its kubelet. Skips where none is declared."""
        pool = need(self.gpu_pool)
        if pool is None:
            skip("no fleet was given, or the node is of a pool without GPUs")
        declared = need(pool.runtime)
        if declared.is_containerd and declared.socket is None:
            skip(f"which socket kubelet uses on {declared.distribution} is not known")
        return pool, declared
