"""Settings as they were read, and which files they leave out."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Sequence
from pathlib import Path

from nodeworthy.records import dataclass
from nodeworthy.verdict import Place


@dataclass(frozen=True)
class LeftOut:
    """A rule that the settings leave out, why, and where they say so."""

    rule: str
    why: str
    place: Place


@dataclass(frozen=True)
class Settings:
    """`path` is the file that they stand in; paths in them are from its folder on."""

    path: Path
    shown: str
    fleet: str | None = None
    stack: str | None = None
    exclude: Sequence[str] = ()
    left_out: Sequence[LeftOut] = ()
    strict: bool = False
    allow_unknown: bool = False
    rules: str | None = None
    baseline: str | None = None

    @property
    def folder(self) -> Path:
        return self.path.parent

    @property
    def of_a_run(self) -> list[str]:
        """The keys in them that decide about a whole run, and not about which fleet is beside a file."""
        keys = {
            "exclude": self.exclude,
            "skip-rules": self.left_out,
            "strict": self.strict,
            "allow-unknown": self.allow_unknown,
            "rules": self.rules,
            "baseline": self.baseline,
        }
        return [key for key, value in keys.items() if value]


@dataclass(frozen=True)
class Excluded:
    # What all that lies beside the settings or below begins with, every link resolved.
    begins: str
    matcher: re.Pattern[str]

    def holds(self, real: str) -> bool:
        return real.startswith(self.begins) and self.matcher.fullmatch(real, len(self.begins)) is not None


def exclusion_of(folder: Path, patterns: Iterable[str]) -> Excluded:
    whole = "|".join(f"(?:{_expression(each)})" for each in patterns)
    return Excluded(f"{os.path.realpath(folder)}/", re.compile(whole, re.DOTALL))


def _expression(pattern: str) -> str:
    """A folder that matches leaves out all that lies in it."""
    parts = [part for part in pattern.split("/") if part not in ("", ".")]
    begins = "" if "/" in pattern.rstrip("/") else "(?:.*/)?"
    told = "".join(_part(part, is_last=number == len(parts)) for number, part in enumerate(parts, 1))
    return f"{begins}{told}(?:/.*)?"


def _part(part: str, *, is_last: bool) -> str:
    if part == "**":
        return ".+" if is_last else "(?:.*/)?"
    wild = {"*": "[^/]*", "?": "[^/]"}
    return "".join(wild.get(char, re.escape(char)) for char in part) + ("" if is_last else "/")
