"""The machine image that nodes start from, and whether NVIDIA's driver is in it."""

from __future__ import annotations

from nodeworthy.records import dataclass
from nodeworthy.verdict import Place, Related


@dataclass(frozen=True)
class NodeImage:
    place: Place
    # As it is written where it is chosen: an SSM parameter, an amiType, a name, an id.
    named: str
    # None where nothing that was read says it.
    has_driver: bool | None
    # What nodes of this image are; None where it is anybody's image, or nobody knows it.
    distribution: str | None = None

    def told(self) -> Related:
        if self.has_driver is None:
            return Related(self.place, f"whether a driver is in this image is not known: {self.named}")
        return Related(self.place, f"{'a' if self.has_driver else 'no'} driver is in this image: {self.named}")
