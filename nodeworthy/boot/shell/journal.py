"""A mapping that remembers what was changed, so that the branches of a script can be walked one after another."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from enum import Enum
from typing import Generic, TypeVar

K = TypeVar("K")
V = TypeVar("V")


class Gone(Enum):
    """There is no value."""

    GONE = "gone"


GONE = Gone.GONE


class Journal(Generic[K, V]):
    def __init__(self) -> None:
        self._values: dict[K, V] = {}
        self._changes: list[tuple[K, V | Gone]] = []

    def get(self, key: K) -> V | None:
        return self._values.get(key)

    def held(self, keys: Iterable[K]) -> dict[K, V | None]:
        """What each of these holds now."""
        get = self._values.get
        return {key: get(key) for key in keys}

    def __contains__(self, key: K) -> bool:
        return key in self._values

    def __setitem__(self, key: K, value: V) -> None:
        self._changes.append((key, self._values.get(key, GONE)))
        self._values[key] = value

    def remove(self, key: K) -> None:
        if key in self._values:
            self._changes.append((key, self._values.pop(key)))

    def lay(self, values: Mapping[K, V | None]) -> None:
        """Each of these; what is None is there no more."""
        now, changes = self._values, self._changes
        for key, value in values.items():
            if value is not None:
                changes.append((key, now.get(key, GONE)))
                now[key] = value
            elif key in now:
                changes.append((key, now.pop(key)))

    def mark(self) -> int:
        return len(self._changes)

    def changed_since(self, mark: int) -> set[K]:
        return {key for key, _ in self._changes[mark:]}

    def back_to(self, mark: int) -> dict[K, V | Gone]:
        """Undoes every change since the mark, and says what they had come to."""
        changed: dict[K, V | Gone] = {}
        while len(self._changes) > mark:
            key, old = self._changes.pop()
            changed.setdefault(key, self._values.get(key, GONE))
            if isinstance(old, Gone):
                self._values.pop(key, None)
            else:
                self._values[key] = old
        return changed

    def join(self, branches: Sequence[dict[K, V | Gone]], differing: Callable[[K], V | Gone]) -> None:
        """Lays over what several branches came to: what is the same in all of them, and else what `differing` says."""
        names = dict.fromkeys(name for branch in branches for name in branch)
        for name in names:
            now = self._values.get(name, GONE)
            values = [branch.get(name, now) for branch in branches]
            joined = values[0] if all(value == values[0] for value in values) else differing(name)
            if isinstance(joined, Gone):
                self.remove(name)
            else:
                self[name] = joined
