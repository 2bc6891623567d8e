"""Where an expression stands, what it refers to, and what evaluating it may cost."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Protocol, TypeVar

from nodeworthy.hcl.source import File, Spot
from nodeworthy.hcl.values import Hole, Value
from nodeworthy.limits import HCL_CHARACTERS, HCL_STEPS
from nodeworthy.records import dataclass, field

Made = TypeVar("Made", Value, Value | None)


class TooMuch(Exception):
    """More than anybody's root comes to."""


@dataclass
class Budget:
    """What evaluating one root may cost."""

    steps: int = HCL_STEPS
    characters: int = HCL_CHARACTERS

    def spend(self, characters: int) -> None:
        self.characters -= characters
        if self.characters < 0:
            raise TooMuch("it comes to more text than is read")

    def step(self, steps: int = 1) -> None:
        self.steps -= steps
        if self.steps < 0:
            raise TooMuch("it takes more steps than are taken")


class MadeOnce:
    """Values by the names that expressions refer to them by, each evaluated once; what refers to itself is a hole."""

    def __init__(self) -> None:
        self._made: dict[str, Value] = {}
        self._running: set[str] = set()

    def made(self, called: str) -> Value | None:
        """None where nobody has asked for it."""
        return self._made.get(called)

    def once(self, called: str, make: Callable[[], Made], spot: Spot) -> Made:
        if called in self._made:
            return self._made[called]
        if called in self._running:
            return Hole(f"{called} refers to itself", spot, called)
        self._running.add(called)
        try:
            made = make()
        finally:
            self._running.discard(called)
        if made is not None:
            self._made[called] = made
        return made


class World(Protocol):
    """What expressions refer to: a module."""

    budget: Budget

    def open(self, path: str, spot: Spot) -> File:
        """A file that an expression names. Raises Refusal or Waits."""
        ...

    def listed(self, folder: str, spot: Spot) -> Sequence[str]:
        """The files below a folder, relative to it. Raises the same."""
        ...

    def exists(self, path: str, spot: Spot) -> bool: ...

    def resolve(self, root: str, steps: Sequence[str | None], spot: Spot) -> tuple[Value, int] | None:
        """What a reference names, and how many of its steps that took; None where nothing of that name is there. A
        step that is no attribute is None."""
        ...


@dataclass(slots=True)
class Scope:
    """The surroundings of an expression: its file, its module, and the names that only it has."""

    file: File
    world: World
    names: Mapping[str, Value] = field(default_factory=dict)

    def spot(self, at: int) -> Spot:
        return Spot(self.file, at)

    def with_names(self, names: Mapping[str, Value]) -> Scope:
        return Scope(self.file, self.world, {**self.names, **names})
