"""Slurm job scripts, on the way to being read: most files are none, and cost a glance."""

from __future__ import annotations

from pathlib import PurePath
from typing import TYPE_CHECKING

from nodeworthy.collect.source.files import Source
from nodeworthy.collect.source.slurm_marks import MARK
from nodeworthy.patterns import pattern

if TYPE_CHECKING:
    from nodeworthy.facts.slurm.job import SlurmJob

_WRAPS = pattern(rb"\bsbatch\b[^\n]*(?:\\\n[^\n]*)*--wrap")
# Files that are jobs even where their first line does not say who runs them.
_NAMES = {
    ".sh",
    ".bash",
    ".slurm",
    ".sbatch",
    ".slrm",
    ".sbat",
    ".job",
    ".batch",
    ".submit",
    ".sub",
    ".tpl",
    ".tmpl",
    ".j2",
}


# They show jobs, and are none.
_PAGES = {".md", ".rst", ".html", ".adoc", ".tex", ".ipynb", ".patch", ".diff"}
# What only asks, and runs nothing, is put before jobs.
_RUNS = pattern(rb"(?m)^[ \t]*[^#\s]")


def slurm_jobs(source: Source, data: bytes) -> list[SlurmJob]:
    """The jobs that a script is, or that it submits; none where it is no such script."""
    if b"#SBATCH" not in data and b"--wrap" not in data:
        return []
    head = data[:4096].lstrip(b"\xef\xbb\xbf").lstrip()
    suffix = PurePath(source.path.name).suffix
    if not (head.startswith(b"#!") or suffix in _NAMES or _begins_as_one(head, data, suffix)):
        return []
    if MARK.search(data) is None and _WRAPS.search(data) is None:
        return []
    from nodeworthy.collect.source import slurm_reading

    return slurm_reading.jobs_in(source, data)


def _begins_as_one(head: bytes, data: bytes, suffix: str) -> bool:
    """Whatever its ending: its first lines ask Slurm for something, and others run something."""
    return head.startswith(b"#SBATCH") and suffix not in _PAGES and _RUNS.search(data) is not None
