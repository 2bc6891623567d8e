"""What is exported at each moment of a job script: kept by what changes, for thousands of commands may ask for it."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator, Mapping
from dataclasses import field

from nodeworthy.boot.shell.journal import Gone, Journal
from nodeworthy.boot.shell.state import Value
from nodeworthy.boot.text import Text
from nodeworthy.records import dataclass


@dataclass
class Exports:
    """The values of each name, and since when it has each; None where it is exported no more."""

    moment: int = 0
    since: dict[str, list[int]] = field(default_factory=dict)
    values: dict[str, list[Text | None]] = field(default_factory=dict)

    def note(self, name: str, value: Text | None) -> None:
        values = self.values.setdefault(name, [])
        if value is None and not values:
            return
        self.moment += 1
        self.since.setdefault(name, []).append(self.moment)
        values.append(value)

    def at(self, name: str, moment: int) -> Text | None:
        found = bisect_right(self.since.get(name, ()), moment)
        return self.values[name][found - 1] if found else None


class Environment(Mapping[str, Text]):
    """As a command finds it: what is exported by then, and what stands before the command itself."""

    __slots__ = ("_exports", "_moment", "_own")

    def __init__(self, exports: Exports, own: Mapping[str, Text]) -> None:
        self._exports, self._moment, self._own = exports, exports.moment, own

    def __getitem__(self, name: str) -> Text:
        value = self._own.get(name)
        if value is None:
            value = self._exports.at(name, self._moment)
        if value is None:
            raise KeyError(name)
        return value

    def __iter__(self) -> Iterator[str]:
        exported = (name for name in self._exports.values if self._exports.at(name, self._moment) is not None)
        yield from dict.fromkeys((*exported, *self._own))

    def __len__(self) -> int:
        return sum(1 for _ in self)


class Watched(Journal[str, Value]):
    """Variables that note which of them were changed, until somebody asks."""

    def __init__(self) -> None:
        super().__init__()
        self.touched: set[str] = set()

    def __setitem__(self, key: str, value: Value) -> None:
        self.touched.add(key)
        super().__setitem__(key, value)

    def remove(self, key: str) -> None:
        self.touched.add(key)
        super().remove(key)

    def lay(self, values: Mapping[str, Value | None]) -> None:
        self.touched.update(values)
        super().lay(values)

    def back_to(self, mark: int) -> dict[str, Value | Gone]:
        changed = super().back_to(mark)
        self.touched.update(changed)
        return changed
