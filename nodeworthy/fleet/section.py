"""What a walk along the shape of a fleet brings back: records with located values, and faults."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field
from typing import Any

from nodeworthy.documents.tree import Tree
from nodeworthy.fleet.shape import Record
from nodeworthy.records import dataclass
from nodeworthy.verdict import Known, Located, Place


@dataclass(frozen=True)
class Fault:
    place: Place
    message: str


@dataclass
class Faults:
    found: list[Fault] = field(default_factory=list)

    def add(self, place: Place, message: str) -> None:
        self.found.append(Fault(place, message))

    def in_order(self) -> list[Fault]:
        return sorted(self.found, key=lambda each: (each.place.line or 0, each.place.column or 0))


@dataclass(frozen=True)
class Section:
    """A record as it was read: its scalars located, its defaults filled in."""

    tree: Tree
    path: str
    record: Record
    read: Mapping[str, Any]

    @property
    def place(self) -> Place:
        return (self.tree.key or self.tree.place).about(self.path)

    def wrote(self, name: str) -> bool:
        return name in self.tree.mapping

    def located(self, name: str) -> Located[Any]:
        found: Located[Any] = self.read[name]
        return found

    def plain(self, name: str) -> Any:
        """The value of a field that can't be unknown; None where it was faulty."""
        state = self.located(name).state
        return state.value if isinstance(state, Known) else self.record.fields[name].default

    def section(self, name: str) -> Section:
        found: Section = self.read[name]
        return found

    def items(self, name: str) -> list[Any]:
        found: list[Any] = self.read[name]
        return found

    def sections(self, name: str) -> dict[str, Section]:
        found: dict[str, Section] = self.read[name]
        return found
