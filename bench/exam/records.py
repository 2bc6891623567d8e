"""What the exam is about: a file of a list, what is true in it, and what the program said."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum

# By file, rule and line.
Key = tuple[str, str, int]

# A reader and a rule may mean the same thing and point at neighbouring lines.
NEAR = 3


class Label(StrEnum):
    TRUE = "true"
    FALSE = "false"
    DOUBT = "doubt"
    UNDECIDED = "undecided"


@dataclass(frozen=True)
class Said:
    """One finding. `unknown` is a verdict of its own; everything else is an assertion."""

    file: str
    rule: str
    line: int
    verdict: str
    severity: str
    message: str

    @property
    def key(self) -> Key:
        return (self.file, self.rule, self.line)

    @property
    def is_unknown(self) -> bool:
        return self.verdict == "unknown"


@dataclass(frozen=True)
class Fault:
    """What is to be found."""

    file: str
    rule: str
    line: int
    why: str
    anywhere: bool = False
    others: tuple[str, ...] = ()

    @property
    def key(self) -> Key:
        return (self.file, self.rule, self.line)

    def is_said_by(self, said: Said) -> bool:
        if said.file != self.file or said.rule not in (self.rule, *self.others):
            return False
        return self.anywhere or abs(said.line - self.line) <= NEAR


@dataclass(frozen=True)
class Judged:
    """What a reader said afterwards. `finds` is the line of the fault that a finding of another place means."""

    verdict: str
    why: str
    finds: int = 0


@dataclass(frozen=True)
class Exam:
    files: tuple[str, ...]
    faults: tuple[Fault, ...] = ()
    doubts: frozenset[tuple[str, str]] = frozenset()
    judged: dict[Key, Judged] = field(default_factory=dict)


@dataclass(frozen=True)
class Looked:
    """What came of one file."""

    file: str
    said: tuple[Said, ...] = ()
    recognised: bool = True
    crash: str = ""
