"""What a run of ours gave back of the GPUs that it took: the ledger of a node before it and after it."""

from __future__ import annotations

from typing import ClassVar

from nodeworthy.records import dataclass
from nodeworthy.verdict import Place


@dataclass(frozen=True)
class GpusGivenBack:
    called: ClassVar[str] = "what a run gave back"

    place: Place
    node: str
    # GPUs that the node offered before it and offers after it; None where nobody could tell.
    offered: int | None
    offers: int | None
    # Pods of the run that hold GPUs still.
    kept: tuple[str, ...]

    @property
    def nodes(self) -> tuple[str, ...]:
        return (self.node,)
