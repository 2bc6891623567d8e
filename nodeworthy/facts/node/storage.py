"""Storage across the network, as a node has it mounted, and as its fstab says."""

from __future__ import annotations

from nodeworthy.records import dataclass
from nodeworthy.verdict import Located, Place


@dataclass(frozen=True)
class Mounted:
    source: str
    where: str
    kind: str
    # False where it was asked for its size, and did not answer.
    answers: bool


@dataclass(frozen=True)
class Entry:
    """A line of fstab."""

    place: Place
    source: str
    where: str
    kind: str
    options: tuple[str, ...]

    def has(self, option: str) -> bool:
        return any(each == option or each.startswith(f"{option}=") for each in self.options)


@dataclass(frozen=True)
class NodeStorage:
    place: Place
    mounted: Located[tuple[Mounted, ...]]
    fstab: Located[tuple[Entry, ...]]

    def at(self, path: str) -> Mounted | None:
        known = getattr(self.mounted.state, "value", ())
        return next((each for each in known if each.where.rstrip("/") == path.rstrip("/")), None)
