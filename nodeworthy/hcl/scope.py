"""Where an expression stands, what it refers to, and what evaluating it may cost."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Protocol

from nodeworthy.hcl.source import File, Spot
from nodeworthy.hcl.values import (
    Value,
)
from nodeworthy.limits import HCL_CHARACTERS, HCL_STEPS
from nodeworthy.records import dataclass, field


class TooMuch(Exception):
    """More than anybody's root comes to."""


@dataclass
class Budget:
    """Of one root: what evaluating it may cost."""

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
    """Where an expression stands: its file, its module, and the names that only it has."""

    file: File
    world: World
    names: Mapping[str, Value] = field(default_factory=dict)

    def spot(self, at: int) -> Spot:
        return Spot(self.file, at)

    def with_names(self, names: Mapping[str, Value]) -> Scope:
        return Scope(self.file, self.world, {**self.names, **names})
