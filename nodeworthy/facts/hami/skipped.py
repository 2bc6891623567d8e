"""Pods of a cluster that asked HAMi for a share and were not given its scheduler, together where one reason is why."""

from __future__ import annotations

from typing import ClassVar

from nodeworthy.records import dataclass
from nodeworthy.verdict import Place, Related


@dataclass(frozen=True)
class UnmutatedPods:
    called: ClassVar[str] = "a pod that got around HAMi's webhook"

    place: Place
    message: str
    is_: str
    should: str
    cause: str
    remedy: str
    victims: tuple[str, ...]
    related: tuple[Related, ...] = ()
    # Why it can't be told which reason it was.
    why_unknown: str | None = None
