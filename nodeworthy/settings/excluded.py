"""Which files the settings leave out: patterns as in .gitignore, less what is seldom meant."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable
from pathlib import Path

from nodeworthy.records import dataclass


@dataclass(frozen=True)
class Excluded:
    # What all that lies beside the settings or below begins with, every link resolved.
    begins: str
    matcher: re.Pattern[str]

    def holds(self, real: str) -> bool:
        return real.startswith(self.begins) and self.matcher.fullmatch(real, len(self.begins)) is not None


def excluded_by(folder: Path, patterns: Iterable[str]) -> Excluded:
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
