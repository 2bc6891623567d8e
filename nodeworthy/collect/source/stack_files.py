"""Where a fleet is looked for: stack files and settings, from a folder upwards to the repository's root."""

from __future__ import annotations

from pathlib import Path

from nodeworthy.patterns import pattern

SETTINGS = ".nodeworthy.yaml"
STACK_FILE = pattern(r"Pulumi\.(?P<stack>[^/]+)\.ya?ml")


def upwards(folder: Path) -> list[Path]:
    """From the folder to the repository's root; outside of a repository only the folder itself."""
    above = [folder, *folder.parents]
    for index, each in enumerate(above):
        if (each / ".git").exists():
            return above[: index + 1]
    here = Path.cwd()
    return above[: above.index(here) + 1] if here in above else [folder]
