"""What a node says of itself when it registers: to which pool it belongs, what it is for, and who must wait.

All of it comes from the fleet. A label that somebody sets by hand is gone with the node.
"""

from __future__ import annotations

from dataclasses import dataclass

from nodeworthy.fleet.model import Driver, Fleet, Pool
from nodeworthy.fleet.operator import has_the_operators_toolkit

POOL = "nodeworthy/pool"
PROFILING = "gpu.monitoring/profiling-dedicated"
# Until the node has been checked, only what checks it may run there.
UNVERIFIED = "nodeworthy/unverified"
# What needs no GPU stays off the nodes that have one.
GPU = "nvidia.com/gpu"
# Where HAMi's device plugin runs.
SHARED = "gpu"
# The operator leaves a node alone with the parts that such a label says `false` of.
_DEPLOY = "nvidia.com/gpu.deploy"
# Nsight and DCGM want the same counters.
_OFF_WHERE_PROFILED = ("dcgm", "dcgm-exporter")


@dataclass(frozen=True)
class Taint:
    key: str
    effect: str = "NoSchedule"
    value: str = ""

    def __str__(self) -> str:
        return f"{self.key}={self.value}:{self.effect}" if self.value else f"{self.key}:{self.effect}"


def labels(fleet: Fleet, pool: Pool, *, profiling: bool = False) -> dict[str, str]:
    off = [*(_OFF_WHERE_PROFILED if profiling else ()), *_not_from_the_operator(fleet, pool)]
    return {
        POOL: pool.name,
        **({PROFILING: "true"} if profiling else {}),
        **({SHARED: "on"} if fleet.hami is not None and pool.is_gpu else {}),
        **{f"{_DEPLOY}.{part}": "false" for part in off},
    }


def _not_from_the_operator(fleet: Fleet, pool: Pool) -> list[str]:
    """What other pools get from the operator, and this one has from elsewhere."""
    if fleet.operator is None or not pool.is_gpu:
        return []
    others = [each for each in fleet.gpu_pools if each is not pool]
    own_driver = pool.driver is not Driver.OPERATOR and any(each.driver is Driver.OPERATOR for each in others)
    own_toolkit = not has_the_operators_toolkit(fleet, pool)
    return [*(["driver"] if own_driver else []), *(["container-toolkit"] if own_toolkit else [])]


def taints(fleet: Fleet, pool: Pool) -> tuple[Taint, ...]:
    if not pool.is_gpu:
        return ()
    elsewhere = any(each.provision and not each.is_gpu for each in fleet.pools)
    return (Taint(UNVERIFIED), *([Taint(GPU, value="present")] if elsewhere else []))
