"""The hardware that a pool of a fleet claims to have, as it was written."""

from __future__ import annotations

from typing import ClassVar

from nodeworthy.fleet.model import Fleet, Impossible, Pool
from nodeworthy.known.instances import gpus_of
from nodeworthy.records import dataclass
from nodeworthy.verdict import Known, Located, Place


@dataclass(frozen=True)
class PoolClaim:
    called: ClassVar[str] = "a pool (no fleet was given)"

    pool: str
    place: Place
    gpu: Located[str] | None
    instance_type: Located[str] | None
    # What of it can't be, as the fleet's reader saw it.
    impossible: tuple[Impossible, ...] = ()
    # The region whose offer of this instance type nobody has asked for.
    unheard_of: str | None = None

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
            fleet.region if _is_unheard_of(pool, fleet.region) else None,
        )
        for pool in fleet.pools
    ]


def _is_unheard_of(pool: Pool, region: str | None) -> bool:
    kind = pool.instance_type.state if pool.instance_type is not None else None
    if not isinstance(kind, Known) or region is None or not pool.provision or gpus_of(kind.value) is None:
        return False
    from nodeworthy.known.offerings import is_offered

    return is_offered(kind.value, region) is None
