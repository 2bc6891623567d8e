"""The work of a job whose failure nobody hears of: it runs in the background, and the job ends well whatever becomes
of it."""

from __future__ import annotations

from collections.abc import Sequence

from nodeworthy.facts.slurm.job import SlurmJob
from nodeworthy.facts.slurm.launch import Launch
from nodeworthy.facts.slurm.lines import is_template
from nodeworthy.facts.slurm.ran import Ran
from nodeworthy.patterns import pattern
from nodeworthy.records import dataclass

_WAIT = "wait"
# By these a job learns of one of its own processes how it ended, or whether it did what it was to do.
_LOOKS = pattern(
    r"\bwait[ \t]+(?:-[np]|[\"']?[$%\d])|\bjobs[ \t]+-\w*p|\btrap\b|\$\?|PIPESTATUS|\bsacct\b|\bexit[ \t]+[1-9$\"]"
)
# What comes behind the work, and takes no notice of it.
_ONLY_TELLS = frozenset(
    ("echo", "printf", "date", "wait", "sleep", "sync", ":", "true", "hostname", "exit", "cat", "rm")
)


@dataclass(frozen=True, slots=True)
class Unheard:
    wait: Ran
    works: Sequence[Launch]


def works_in_background(job: SlurmJob) -> bool:
    return job.is_shell and "&" in job.text and any(each.ran.background for each in job.launches)


def unheard_work(job: SlurmJob) -> Unheard | None:
    """What is started in the background last, where a bare `wait`, which is 0 in any case, is all that comes of it."""
    if not job.is_shell or is_template(job.text) or _WAIT not in job.text or _LOOKS.search(job.text) is not None:
        return None
    ran = [each for each in job.walked.ran if each.place.path == job.place.path]
    waits = [each for each in ran if [word.known for word in each.words] == [_WAIT]]
    if not waits:
        return None
    behind = ran[ran.index(waits[-1]) :]
    if not all(each.words[0].known in _ONLY_TELLS for each in behind):
        return None
    works = [each for each in job.launches if each.is_python or each.step is not None]
    own = [each for each in works if each.ran.place.path == job.place.path]
    last = max(own, key=lambda each: each.ran.place.row, default=None)
    if last is None or not last.ran.background:
        return None
    # Of a loop each command stands there once for each of its turns.
    return Unheard(waits[-1], list({each.place: each for each in own if each.ran.background}.values()))
