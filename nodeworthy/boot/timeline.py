"""The timeline of a boot: its effects in the order in which they happen, and what rules ask of it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import cached_property
from typing import Any, TypeVar

from nodeworthy.boot.effects import Effect, NotUnderstood, Writes
from nodeworthy.records import dataclass

E = TypeVar("E", bound=Effect)
T = TypeVar("T")


@dataclass(frozen=True)
class Timeline:
    effects: tuple[Effect, ...] = ()

    def of(self, kind: type[E]) -> Iterator[E]:
        return iter(self.once(kind, lambda: tuple([each for each in self.effects if isinstance(each, kind)])))

    def once(self, asked: object, find: Callable[[], T]) -> T:
        """What is found out of it once: dozens of rules ask the same of one script."""
        if asked not in self._found:
            self._found[asked] = find()
        found: T = self._found[asked]
        return found

    def before(self, effect: Effect) -> Sequence[Effect]:
        return self.effects[: self._order[id(effect)]]

    def after(self, effect: Effect) -> Sequence[Effect]:
        return self.effects[self._order[id(effect)] + 1 :]

    def precedes(self, one: Effect, other: Effect) -> bool:
        return self._order[id(one)] < self._order[id(other)]

    def writes(self, path: str) -> list[Writes]:
        """Everything that writes this file, or may: a name can have unknown parts."""
        return [each for each in self.of(Writes) if each.path.could_be(path)]

    def not_understood(self, *words: str) -> NotUnderstood | None:
        """The first step that was not understood and that contains one of these words. It may do what the caller asks
        about."""
        gaps = self.of(NotUnderstood)
        return next((gap for gap in gaps if any(word in gap.text for word in words)), None)

    @cached_property
    def _found(self) -> dict[object, Any]:
        return {}

    @cached_property
    def _order(self) -> dict[int, int]:
        return {id(each): index for index, each in enumerate(self.effects)}
