"""The nodes of a cluster that HAMi's device plugin goes to, and what keeps it from the others."""

from __future__ import annotations

from typing import ClassVar

from nodeworthy.records import dataclass
from nodeworthy.verdict import Place, Related


@dataclass(frozen=True)
class NodeFlaw:
    where: Place
    message: str
    is_: str
    should: str
    cause: str
    remedy: str
    victims: tuple[str, ...] = ()
    related: tuple[Related, ...] = ()


@dataclass(frozen=True)
class HamiPluginNodes:
    called: ClassVar[str] = "HAMi's device plugin in a cluster"

    place: Place
    flaws: tuple[NodeFlaw, ...] = ()
