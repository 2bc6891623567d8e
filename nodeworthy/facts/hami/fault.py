"""What is wrong with HAMi in a cluster, as it is told."""

from __future__ import annotations

from nodeworthy.records import dataclass
from nodeworthy.verdict import Finding, Place, Related, fail


@dataclass(frozen=True)
class HamiFault:
    where: Place
    message: str
    is_: str
    should: str
    cause: str
    remedy: str
    victims: tuple[str, ...] = ()
    related: tuple[Related, ...] = ()

    @property
    def told(self) -> Finding:
        return fail(
            self.where,
            self.message,
            is_=self.is_,
            should=self.should,
            related=self.related,
            cause=self.cause,
            remedy=self.remedy,
            victims=self.victims,
        )
