"""GPUs that pods ask for on nodes to which nobody brings a driver, and nobody could but their image or their script."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import ClassVar

from nodeworthy.derive import derive
from nodeworthy.facts.fleet.gpu_pool import GpuPool
from nodeworthy.facts.operator.values import OperatorValues
from nodeworthy.facts.pod.containers import GPU
from nodeworthy.facts.pod.template import PodTemplate
from nodeworthy.fleet.model import Driver
from nodeworthy.known.operator_parts import WITHOUT_CONTAINER
from nodeworthy.records import dataclass
from nodeworthy.verdict import Place, value_if_known


@dataclass(frozen=True)
class GpusWithoutDriver:
    called: ClassVar[str] = "GPUs that pods ask for on nodes without a driver"

    pool: GpuPool
    pod: PodTemplate

    @property
    def place(self) -> Place:
        """Where its image is said. What a module takes by itself stands where it is called, at the line's beginning."""
        said = self.pool.driver_said
        return self.pool.place if said is None or said.place.column == 1 else said.place


@derive
def gpus_without_a_driver(
    pod: PodTemplate,
    pods: Sequence[PodTemplate],
    pools: Sequence[GpuPool],
    operators: Sequence[OperatorValues] | None,
) -> Iterator[GpusWithoutDriver]:
    """Where no operator is judged with them, and none of the cluster's other nodes has a driver for the pods: once,
    for the first of these."""
    is_first = pod.least(GPU) and next(each for each in pods if each.least(GPU)) is pod
    if is_first and not operators and all(map(_has_none, pools)):
        yield from (GpusWithoutDriver(each, pod) for each in pools)


def _has_none(pool: GpuPool) -> bool:
    is_amazons = value_if_known(pool.distribution) in WITHOUT_CONTAINER
    return bool(pool.evidence) and is_amazons and pool.driver is Driver.OPERATOR
