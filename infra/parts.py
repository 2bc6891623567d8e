"""The parts of a pool: nodes of one auto scaling group are alike, and those for profiling are not like the others."""

from __future__ import annotations

from dataclasses import dataclass

from nodeworthy.fleet.model import Pool


@dataclass(frozen=True)
class Part:
    pool: Pool
    min: int
    max: int
    nodes: int
    profiling: bool = False

    @property
    def name(self) -> str:
        return f"{self.pool.name}-profiling" if self.profiling else self.pool.name

    @property
    def is_fixed(self) -> bool:
        return self.min == self.max


def parts(pool: Pool) -> list[Part]:
    dedicated = pool.profiling_dedicated
    ordinary = Part(pool, max(pool.min - dedicated, 0), pool.max - dedicated, max(pool.nodes - dedicated, 0))
    if not dedicated:
        return [ordinary]
    profiling = Part(pool, dedicated, dedicated, dedicated, profiling=True)
    return [ordinary, profiling] if ordinary.max else [profiling]
