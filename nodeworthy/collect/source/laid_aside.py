"""Files that make no nodes where they lie: what somebody has laid aside, and what a program fills in elsewhere."""

from __future__ import annotations

from functools import cache
from pathlib import Path

# What lies in a folder of one of these names was once.
OF_THE_PAST = frozenset(("archive", "archived", "attic", "backup", "deprecated", "legacy", "obsolete", "old", "unused"))
# A program that makes a repository out of templates that lie in it.
_MAKEJINJA = "makejinja.toml"
_LARGEST = 100_000


def is_laid_aside(path: Path, below: Path) -> bool:
    """Whether somebody has laid it aside in the folder that is looked at, or fills it in to other files of it."""
    path, below = path.absolute(), below.absolute()
    if not path.is_relative_to(below):
        return False
    is_old = not OF_THE_PAST.isdisjoint(each.lower() for each in path.parent.relative_to(below).parts)
    return is_old or any(path.is_relative_to(each) for each in templates_in(below))


@cache
def templates_in(root: Path) -> tuple[Path, ...]:
    """The folders of its templates."""
    import tomllib

    try:
        with (root / _MAKEJINJA).open("rb") as file:
            said = tomllib.loads(file.read(_LARGEST).decode("utf-8", "replace")).get("makejinja")
    except (OSError, tomllib.TOMLDecodeError):
        return ()
    inputs = said.get("inputs") if isinstance(said, dict) else None
    named = [root / each for each in inputs if isinstance(each, str)] if isinstance(inputs, list) else []
    # One that fills in itself is looked at as it stands, and what lies elsewhere is none of it.
    return tuple(each for each in named if root in each.parents)
