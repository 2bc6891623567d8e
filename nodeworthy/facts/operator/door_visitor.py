"""What should come to a pool of GPU nodes so that its GPUs are offered: the operator's parts, a device plugin of one's
own."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import ClassVar

from nodeworthy.derive import derive
from nodeworthy.facts.fleet.gpu_pool import PoolDoor
from nodeworthy.facts.operator.daemonset_manifest import DaemonSetManifest
from nodeworthy.facts.operator.values import OperatorValues
from nodeworthy.records import dataclass
from nodeworthy.verdict import Place


@dataclass(frozen=True)
class DoorVisitor:
    called: ClassVar[str] = "what offers the GPUs of a pool's nodes"

    who: OperatorValues | DaemonSetManifest
    door: PoolDoor

    @property
    def place(self) -> Place:
        return self.who.place


@derive
def door_visitors(
    door: PoolDoor, values: Sequence[OperatorValues] | None, plugins: Sequence[DaemonSetManifest] | None
) -> Iterator[DoorVisitor]:
    everybody: list[OperatorValues | DaemonSetManifest] = [*(values or ()), *(plugins or ())]
    yield from (DoorVisitor(each, door) for each in everybody)
