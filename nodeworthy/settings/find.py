"""Finds the settings of a folder. Of most folders that is two looks at the disk, and nothing else is imported."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

from nodeworthy.errors import InputError
from nodeworthy.patterns import pattern

if TYPE_CHECKING:
    from nodeworthy.settings.model import Settings

OWN = ".nodeworthy.yaml"
PYPROJECT = "pyproject.toml"
# What may be a table of ours. Whether it is one, a reader of TOML says.
_TABLE = pattern(
    rb"""(?m)tool["']?[ \t]*\.[ \t]*["']?nodeworthy"""
    rb"""|^[ \t]*\[[ \t]*["']?tool["']?[ \t]*\]|^[ \t]*["']?tool["']?[ \t]*="""
)


def settings_in(folder: Path) -> Settings | None:
    """What stands in this folder, None where nothing does. Raises InputError for what is malformed."""
    own, project = folder / OWN, folder / PYPROJECT
    in_project = _may_hold_settings(project)
    if not in_project and not own.is_file():
        return None
    from nodeworthy.settings.read import of_pyproject, of_yaml

    found = of_pyproject(project) if in_project else None
    if not own.is_file():
        return found
    if found is not None:
        raise InputError(f"{found.shown} has [tool.nodeworthy], and {OWN} lies beside it: keep one of the two")
    return of_yaml(own)


def _may_hold_settings(project: Path) -> bool:
    try:
        if not os.path.isfile(project):  # noqa: PTH113 - of every folder, at every run
            return False
        return _TABLE.search(project.read_bytes()) is not None
    except OSError:
        return False
