"""Commands of a job that a backslash was to continue, and that end before what they are to run."""

from __future__ import annotations

from collections.abc import Iterator

from nodeworthy.facts.boot.cut_short import CutShort, cut_short, may_be_cut_short
from nodeworthy.facts.slurm.job import SlurmJob

_OF_A_TEMPLATE = ("{{", "{%")


def launches_cut_short(job: SlurmJob) -> Iterator[CutShort]:
    """`srun \\ ` with a blank behind it, and the program below. Where an option is lost, it is run itself, and
    slurm-script-found tells of it."""
    if job.within or job.unreadable is not None or not may_be_cut_short(job.text):
        return
    rows, first = job.text.split("\n"), job.place.line or 1
    lines = {(ran.place.line or first) - first for ran in job.walked.ran if ran.place.path == job.place.path}
    begins = sorted(each for each in lines if 0 <= each < len(rows))
    template = any(mark in job.text for mark in _OF_A_TEMPLATE)
    yield from (
        cut for cut in cut_short(rows, begins, template=template) if not rows[cut.lost].lstrip().startswith("-")
    )
