"""What a timeline tells of one boot, given the answers that this boot gave to what its script asks."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import field
from functools import cached_property
from typing import TypeVar

from nodeworthy.boot.conditions import Condition
from nodeworthy.boot.effects import Effect, How, Stage, Writes
from nodeworthy.boot.timeline import Timeline
from nodeworthy.records import dataclass

E = TypeVar("E", bound=Effect)

# Where Debian's merged folders really are.
REAL_FOLDERS = {
    "/bin": "/usr/bin",
    "/sbin": "/usr/sbin",
    "/lib": "/usr/lib",
    "/var/run": "/run",
    "/var/lock": "/run/lock",
}


@dataclass(frozen=True)
class Course:
    """Which way one boot went where its script leaves that open."""

    # By a question's words; a step is expected to succeed, anything else that is not answered stays open.
    answers: Mapping[str, str] = field(default_factory=dict)
    # The lines of commands that failed, and the script went on.
    failed: frozenset[int] = frozenset()
    # The line of the command that failed, and the script ended with it.
    stopped: int | None = None
    # The node was booted once more afterwards.
    boots_again: bool = False
    # The image loads NVIDIA's module by itself, between Stage.IMAGE and what comes after it.
    image_loads_module: bool = False


@dataclass(frozen=True)
class Told:
    timeline: Timeline
    course: Course = field(default_factory=Course)

    def of(self, kind: type[E]) -> Iterator[tuple[E, bool | None]]:
        """The effects of a kind, each with whether it happens; None where that depends on what nobody answered."""
        return ((effect, self.happens(effect)) for effect in self.timeline.of(kind))

    def happens(self, effect: Effect) -> bool | None:
        if self.failed(effect) or self._never(effect):
            return False
        held = [self._holds(condition) for condition in effect.conditions]
        if False in held:
            return False
        return None if None in held else True

    def writes(self) -> dict[str, list[tuple[Writes, bool | None]]]:
        """The writes by path, in order, without those that surely do not happen."""
        by_path: dict[str, list[tuple[Writes, bool | None]]] = {}
        for effect, happens in self.of(Writes):
            path = effect.path.known
            if path is not None and happens is not False:
                by_path.setdefault(real(path), []).append((effect, happens))
        return by_path

    def may_write(self, path: str) -> bool:
        writes = (
            effect for effect, happens in self.of(Writes) if happens is not False and effect.how is not How.DELETE
        )
        return any(path == real(each.path.known) if each.path.known else each.path.could_be(path) for each in writes)

    def failed(self, effect: Effect) -> bool:
        """Whether the effect was tried, and failed."""
        return effect.place.line in {*self.course.failed, self.course.stopped}

    def _never(self, effect: Effect) -> bool:
        """Whether the boot ends before it."""
        if effect.stage is Stage.NEXT_BOOT:
            return not self.course.boots_again
        return id(effect) in self._behind_the_end

    @cached_property
    def _behind_the_end(self) -> set[int]:
        """What stands behind the command that ended the script, and that command itself."""
        ends = [index for index, each in enumerate(self.timeline.effects) if each.place.line == self.course.stopped]
        behind = self.timeline.effects[ends[0] :] if ends else ()
        return {id(each) for each in behind if each.stage is behind[0].stage}

    def _holds(self, condition: Condition) -> bool | None:
        answer = self.course.answers.get(condition.question.text)
        if answer is not None:
            return answer == condition.answer
        return True if condition.is_expected else None


def real(path: str) -> str:
    for folder, where in REAL_FOLDERS.items():
        if path.startswith(f"{folder}/"):
            return where + path[len(folder) :]
    return path
