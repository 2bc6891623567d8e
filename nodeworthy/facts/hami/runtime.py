"""HAMi beside the GPU operator, whose toolkit decides whether every pod gets the nvidia runtime."""

from __future__ import annotations

from collections.abc import Iterator
from typing import ClassVar

from nodeworthy.derive import derive
from nodeworthy.facts.hami.setup import HamiSetup
from nodeworthy.facts.operator.values import OperatorValues
from nodeworthy.records import dataclass
from nodeworthy.verdict import Place


@dataclass(frozen=True, eq=False)
class HamiRuntime:
    called: ClassVar[str] = "HAMi beside the GPU operator"

    setup: HamiSetup
    operator: OperatorValues

    @property
    def place(self) -> Place:
        return self.operator.place


@derive
def beside_the_operator(setup: HamiSetup, operator: OperatorValues) -> Iterator[HamiRuntime]:
    """Nothing where HAMi's settings are not known."""
    if setup.values:
        yield HamiRuntime(setup, operator)
