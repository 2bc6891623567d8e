"""HAMi beside the GPU operator, whose toolkit decides whether every pod gets the nvidia runtime."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any, ClassVar

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


def runtimes(setup: HamiSetup, facts: Iterable[Any]) -> Iterator[HamiRuntime]:
    """Nothing where HAMi's settings are not known."""
    if setup.values:
        for fact in facts:
            if isinstance(fact, OperatorValues):
                yield HamiRuntime(setup, fact)
