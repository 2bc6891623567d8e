"""The hardware that a pool of a fleet claims to have, as it was written."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from nodeworthy.fleet.model import Fleet, Impossible
from nodeworthy.verdict import Located, Place


@dataclass(frozen=True)
class PoolClaim:
    called: ClassVar[str] = "a pool (no fleet was given)"

    pool: str
    place: Place
    gpu: Located[str] | None
    instance_type: Located[str] | None
    # What of it can't be, as the fleet's reader saw it.
    impossible: tuple[Impossible, ...] = ()

    @property
    def title(self) -> str:
        return f"pool '{self.pool}'"


def pool_claims(fleet: Fleet) -> list[PoolClaim]:
    """What each pool of a fleet claims."""
    return [
        PoolClaim(
            pool.name,
            pool.place,
            pool.gpu,
            pool.instance_type,
            tuple(each for each in fleet.impossible if each.pool == pool.name),
        )
        for pool in fleet.pools
    ]
