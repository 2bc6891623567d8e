"""The runtimes that containerd has by the image of all nodes with GPUs, where somebody says which image that is."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import ClassVar

from nodeworthy.derive import derive
from nodeworthy.facts.boot.script import BootScript
from nodeworthy.facts.fleet.gpu_pool import GpuPool
from nodeworthy.fleet.model import Driver
from nodeworthy.records import dataclass
from nodeworthy.verdict import Place, Related, value_if_known


@dataclass(frozen=True)
class ImageHandlers:
    called: ClassVar[str] = "the runtimes of the images of all nodes with GPUs"

    # Of each pool, those that its image has.
    pools: tuple[tuple[GpuPool, tuple[str, ...]], ...]
    scripts: tuple[BootScript, ...] = ()

    @property
    def place(self) -> Place:
        return self.pools[0][0].place

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys(name for _, names in self.pools for name in names))

    @property
    def is_likely(self) -> bool:
        return any(pool.is_likely for pool, _ in self.pools)

    def told(self) -> Related:
        return self.pools[0][0].declares_its_runtime()

    def may_have(self, handler: str) -> bool:
        """What can't be read of a script, or speaks of the handler, may write the runtime."""
        return handler in self.names or any(_speaks_of(handler, each) for each in self.scripts)


@derive
def handlers_of_images(pools: Sequence[GpuPool], scripts: Sequence[BootScript] | None) -> Iterator[ImageHandlers]:
    brought = tuple((each, _of_its_image(each)) for each in pools)
    if all(names for _, names in brought):
        yield ImageHandlers(brought, tuple(scripts or ()))


def _of_its_image(pool: GpuPool) -> tuple[str, ...]:
    runtime = value_if_known(pool.runtime)
    return runtime.handlers if runtime is not None and pool.driver is Driver.AMI else ()


def _speaks_of(handler: str, script: BootScript) -> bool:
    return script.read is None or handler in script.userdata.text
