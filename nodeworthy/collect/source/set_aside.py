"""What lies in a project and is no work of its own: what its settings exclude, and the folders that git ignores there.

It may still be evidence, so it is looked at last, as long as there is room. A generated folder of a hundred thousand
files takes none away from what somebody wrote.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from pathlib import Path

from nodeworthy.settings.model import Excluded, exclusion_of


def divide_folders(
    folder: str, files: Sequence[str], inside: Sequence[str], excluded: list[Excluded]
) -> tuple[list[str], list[str]]:
    """The folders inside this one that are of the project's own, and those that are set aside. What its own list says
    that git ignores is added to what is excluded."""
    real, ignored = os.path.realpath(folder), f"{folder}/.gitignore"
    if ignored in files and (patterns := _patterns_in(ignored)):
        excluded.append(exclusion_of(Path(real), patterns))
    aside = [each for each in inside if _is_excluded(f"{real}/{each.rpartition('/')[2]}", excluded)]
    return [each for each in inside if each not in aside], aside


def _is_excluded(real: str, excluded: Sequence[Excluded]) -> bool:
    """The folder, or whatever lies in it (`out/**`)."""
    return any(each.holds(real) or each.holds(f"{real}/_") for each in excluded)


def _patterns_in(path: str) -> list[str]:
    try:
        with open(path, encoding="utf-8", errors="replace") as file:  # noqa: PTH123
            return _patterns(file.read().splitlines())
    except OSError:
        return []


def _patterns(lines: Iterable[str]) -> list[str]:
    """Those behind the last that takes something in again: what stands before it may not hold."""
    found: list[str] = []
    for line in lines:
        written = line.rstrip()
        if written.startswith("!"):
            found.clear()
        elif written.strip("/") and not written.startswith("#") and not any(each in written for each in "[]\\"):
            found.append(written)
    return found
