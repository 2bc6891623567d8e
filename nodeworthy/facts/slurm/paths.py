"""Where a job's files lie, seen from where it begins."""

from __future__ import annotations

import posixpath
import re

from nodeworthy.boot.text import Text
from nodeworthy.facts.slurm.ran import HOME
from nodeworthy.patterns import pattern

# Folders of the cluster, by what names them there.
_OF_THE_CLUSTER = pattern(r"/|~|\$\{?(?:HOME|SCRATCH|WORK|TMPDIR|SLURM_TMPDIR)\}?(?:/|$)")
# Below where the job begins, and no home.
_OF_THE_JOB = pattern(rf"{HOME}(?:/(?!~)|$)")


def is_on_the_cluster(shown: str) -> bool:
    """Whether a path leads to the cluster's own disks, wherever the job is submitted."""
    return _OF_THE_CLUSTER.match(shown.removeprefix(f"{HOME}/")) is not None and not _OF_THE_JOB.match(shown)


def path_of(script: Text, folder: str | None) -> str | None:
    """Relative to where the job begins, or absolute; None where it is not known, or elsewhere."""
    shown = re.sub(r"^(?:\$PWD|\$\{PWD\}|\$\(pwd\)|`pwd`)(?=/)", ".", script.shown())
    if (
        "$" in shown
        or "`" in shown
        or shown.startswith("~")
        or "/~" in shown
        or (script.known is None and shown == script.shown())
    ):
        return None
    if shown.startswith(f"{HOME}/"):
        return posixpath.normpath(shown[len(HOME) + 1 :])
    if shown.startswith("/"):
        return posixpath.normpath(shown)
    if folder is None or not (folder == HOME or folder.startswith(f"{HOME}/")) or "/~" in folder:
        return posixpath.normpath(f"{folder}/{shown}") if folder is not None and "~" not in folder else None
    return posixpath.normpath(f"{folder[len(HOME) + 1 :] or '.'}/{shown}")


def module_file(module: str) -> str:
    """`python -m training.main` runs training/main.py."""
    return f"{module.replace('.', '/')}.py"
