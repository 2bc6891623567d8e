"""What was seen of each link between a node's cards and the pods that use them (`known/chain.toml`).

It says what is well, and what nobody looked at. What is broken rules say, and nobody else.
"""

from __future__ import annotations

from collections.abc import Mapping

from nodeworthy.records import dataclass
from nodeworthy.verdict import Place


@dataclass(frozen=True, slots=True)
class Sight:
    """What was seen of one link."""

    # False where it was not looked at, or where nothing there could be well.
    is_well: bool
    says: str


@dataclass(frozen=True)
class Walk:
    """A node, and what was seen of its links, by their ids: of those that are not there nobody knows anything."""

    name: str
    place: Place
    sights: Mapping[str, Sight]


def well(says: str) -> Sight:
    return Sight(True, says)


def grey(why: str) -> Sight:
    return Sight(False, why)
