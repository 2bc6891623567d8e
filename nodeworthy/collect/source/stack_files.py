"""Where a fleet is looked for: stack files and settings, from a folder upwards to the repository's root."""

from __future__ import annotations

from pathlib import Path

from nodeworthy.patterns import pattern

STACK_FILE = pattern(r"Pulumi\.(?P<stack>[^/]+)\.ya?ml")


def upwards(folder: Path) -> list[Path]:
    """From the folder to its scope's root: the repository's, outside of one that of the nearest fleet or project."""
    from nodeworthy.collect.source.scope_root import root_of

    above = [folder, *folder.parents]
    return above[: above.index(root_of(folder)) + 1]


def up_to_repository(folder: Path) -> list[Path]:
    """From the folder to the repository's root; outside of a repository the folder alone. So far settings reach, which
    may name code that is run."""
    above = [folder, *folder.parents]
    for index, each in enumerate(above):
        if (each / ".git").exists():
            return above[: index + 1]
    return above[:1]
