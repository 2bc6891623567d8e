"""What a job starts in the background and waits for nowhere: Slurm ends it with the batch script."""

from __future__ import annotations

from nodeworthy.facts.slurm.job import SlurmJob
from nodeworthy.facts.slurm.launch import Launch
from nodeworthy.facts.slurm.lines import is_template
from nodeworthy.patterns import pattern

_WAITS = pattern(r"(?m)^[^#\n]{0,500}\bwait\b")
# They are done at once, whatever still runs.
_QUICK = frozenset(
    ": [ [[ cd conda date deactivate disown echo exit export hostname jobs ls mkdir ml module printf pwd set test "
    "touch true unset".split()
)


def left_running(job: SlurmJob) -> Launch | None:
    """The last work that it starts, where that is in the background, and nothing below takes any time."""
    if not job.is_shell or is_template(job.text) or "&" not in job.text or _WAITS.search(job.text):
        return None
    own = [each for each in job.launches if each.ran.place.path == job.place.path and not each.per_task]
    last = max(own, key=lambda each: _turn(job, each), default=None)
    if last is None or not last.ran.background or not (last.is_python or last.step is not None):
        return None
    behind = job.walked.ran[_turn(job, last) + 1 :]
    return last if all(each.words[0].string in _QUICK for each in behind) else None


def _turn(job: SlurmJob, launch: Launch) -> int:
    return next((turn for turn, ran in enumerate(job.walked.ran) if ran is launch.ran), -1)
