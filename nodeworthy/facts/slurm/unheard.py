"""The work of a job whose failure nobody hears of: the job ends in one and the same way whatever becomes of it."""

from __future__ import annotations

from collections.abc import Sequence

from nodeworthy.facts.slurm.job import SlurmJob
from nodeworthy.facts.slurm.launch import Launch
from nodeworthy.facts.slurm.lines import is_template
from nodeworthy.facts.slurm.ran import Ran, path_in_words
from nodeworthy.facts.slurm.words import peel_words
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


# With these a job never gets to its last line where its work has failed.
_STOPS = pattern(r"(?m)^[ \t]*set[ \t]+(?:-\w+[ \t]+)*-(?:\w*e|o[ \t]+errexit)|^#!\S*sh[ \t]+-\w*e")
_LOOKS_OR_HANDLES = pattern(r"\$\?|PIPESTATUS|\|\||&&|\btrap\b|(?m:^[ \t]*(?:if|while|until)\b)")
_TEE = pattern(r"\|&?\s*(?:\\\n\s*)?tee\b", words=("tee",))
_LOOKS_AT_PIPES = pattern(r"pipefail|PIPESTATUS|\$\?|\|\||\btrap\b|(?m:^[ \t]*(?:if|while|until)\b)")
_CONTAINERS = ("apptainer", "singularity")
_OWN_NUMBER = pattern(r"\$\{?SLURM_JOB_?ID\}?")


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


@dataclass(frozen=True, slots=True)
class SaidAnyhow:
    """How a job ends whatever has become of its work: well (`exit 0`), or cancelled by itself."""

    ran: Ran
    work: Ran
    cancels: bool

    @property
    def called(self) -> str:
        started = peel_words(self.work.words, self.work.environment).words
        words = [path_in_words(each) for each in started or self.work.words]
        return next((each for each in words if each.endswith(".py")), words[0])


def said_anyhow(job: SlurmJob) -> SaidAnyhow | None:
    """By its last command, where that stands right behind the work, but for what only tells."""
    if not job.is_shell or is_template(job.text) or _STOPS.search(job.text) is not None or not job.walked.ran:
        return None
    last = job.walked.ran[-1]
    words = [each.shown() for each in last.words]
    cancels = words[0] == "scancel" and len(words) == 2 and _OWN_NUMBER.fullmatch(words[1]) is not None
    if last.guard or not (cancels or words == ["exit", "0"]):
        return None
    if not cancels and _LOOKS_OR_HANDLES.search(job.text) is not None:
        return None
    starts = {id(each.ran) for each in job.launches if each.is_python or each.step is not None}
    before = next((each for each in reversed(job.walked.ran[:-1]) if each.words[0].known not in _ONLY_TELLS), None)
    if before is None or before.guard or not (id(before) in starts or _is_work(before)):
        return None
    return SaidAnyhow(last, before, cancels)


@dataclass(frozen=True, slots=True)
class Piped:
    """Work whose outcome is that of what writes its output to a file."""

    tee: Ran
    work: Launch

    @property
    def called(self) -> str:
        script = self.work.script
        return path_in_words(script) if script is not None else self.work.module or self.work.program


def pipes_into_tee(job: SlurmJob) -> bool:
    return job.is_shell and _TEE.search(job.text) is not None


def work_piped(job: SlurmJob) -> Piped | None:
    """The job's last work, where nothing looks at it and what comes behind only tells of its end."""
    if is_template(job.text) or _LOOKS_AT_PIPES.search(job.text) is not None:
        return None
    ran = [each for each in job.walked.ran if each.words[0].known not in _ONLY_TELLS]
    # What a step is given to run stands at the step's own place.
    works = {each.ran.place: each for each in job.launches if each.is_python or each.step is not None}
    if len(ran) < 2 or ran[-1].words[0].known != "tee":
        return None
    work = works.get(ran[-2].place)
    if work is None or work.ran.guard or work.ran.background or not _is_one_pipe(job, work.ran, ran[-1]):
        return None
    return Piped(ran[-1], work)


def _is_one_pipe(job: SlurmJob, work: Ran, tee: Ran) -> bool:
    """Whether tee stands in the same command, which may go on over several lines."""
    if work.place.path != job.place.path:
        return False
    rows = job.text.split("\n")[work.place.row - 1 : tee.place.row]
    return all(each.rstrip().endswith(("\\", "|")) for each in rows[:-1]) and "|" in "".join(rows)


def _is_work(ran: Ran) -> bool:
    """A container, or a program that is handed a script of Python's, as a monitor is."""
    return ran.words[0].known in _CONTAINERS or any((each.known or "").endswith(".py") for each in ran.words[1:])
