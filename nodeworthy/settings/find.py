"""Finds the settings of a folder. Of most folders that is two looks at the disk, and nothing else is imported."""

from __future__ import annotations

import os
import stat
from pathlib import Path
from typing import TYPE_CHECKING

from nodeworthy.documents.files import other_encoding
from nodeworthy.errors import InputError
from nodeworthy.patterns import pattern

if TYPE_CHECKING:
    from nodeworthy.settings.model import Settings

OWN = ".nodeworthy.yaml"
PYPROJECT = "pyproject.toml"
# So far a table is looked for.
LARGEST = 10_000_000
# What may be a table of ours. Whether it is one, a reader of TOML says.
_TABLE = pattern(
    rb"""(?m)tool["']?[ \t]*\.[ \t]*["']?nodeworthy"""
    rb"""|^[ \t]*\[[ \t]*["']?tool["']?[ \t]*\]|^[ \t]*["']?tool["']?[ \t]*="""
)


def settings_in(folder: Path) -> Settings | None:
    """What stands in this folder, None where nothing does. Raises InputError for what is malformed."""
    own, project = folder / OWN, folder / PYPROJECT
    in_project, in_own = _may_hold_settings(project), os.path.lexists(own)
    if not in_project and not in_own:
        return None
    from nodeworthy.settings.read import settings_of_pyproject, settings_of_yaml

    for path in [*([project] if in_project else []), *([own] if in_own else [])]:
        if path.is_symlink():
            _refuse_out_of(path)
    found = settings_of_pyproject(project) if in_project else None
    if not in_own:
        return found
    if found is not None:
        raise InputError(f"{found.shown} has [tool.nodeworthy], and {OWN} lies beside it: keep one of the two")
    return settings_of_yaml(own)


def _refuse_out_of(link: Path) -> None:
    from nodeworthy.documents.files import leads_out, tree_of

    if leads_out(link, tree_of(link.parent)):
        raise InputError(
            f"{os.path.relpath(link)}, where settings may be, leads out of the tree it lies in, and decides nothing: "
            "keep them in the tree, or give --no-settings"
        )


def _may_hold_settings(project: Path) -> bool:
    """What can't be read may hold them: the reader says why it can't."""
    try:
        mode = os.lstat(project).st_mode
    except OSError:
        return False
    if not stat.S_ISREG(mode) and not os.path.isfile(project):  # noqa: PTH113
        return True
    try:
        with project.open("rb") as file:
            data = file.read(LARGEST)
    except OSError:
        return True
    return other_encoding(data) is not None or _TABLE.search(data) is not None
