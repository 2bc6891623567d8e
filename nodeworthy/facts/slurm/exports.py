"""Where a setting that is missing belongs."""

from __future__ import annotations

from nodeworthy.facts.slurm.job import SlurmJob
from nodeworthy.facts.slurm.launch import Launch
from nodeworthy.verdict import Place


def place_for(job: SlurmJob, launch: Launch) -> Place:
    """The last export above the launch that is made on the launch's own way; the launch itself where there is none."""
    last = launch.place
    for each in job.walked.exports:
        place, same = each.place, each.guard == launch.ran.guard[: len(each.guard)]
        if same and place.path == launch.place.path and (place.line or 0) < (launch.place.line or 0):
            last = place if last is launch.place or (place.line or 0) > (last.line or 0) else last
    return last
