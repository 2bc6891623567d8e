"""Where a job's files lie, seen from where it begins."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

from nodeworthy.boot.text import Text
from nodeworthy.facts.slurm.lines import Option, is_template
from nodeworthy.facts.slurm.ran import HOME, Ran
from nodeworthy.patterns import pattern
from nodeworthy.records import dataclass
from nodeworthy.verdict import Known

if TYPE_CHECKING:
    from nodeworthy.facts.slurm.job import SlurmJob

# Folders of the cluster, by what names them there.
_OF_THE_CLUSTER = pattern(r"/|~|\$\{?(?:HOME|SCRATCH|WORK|TMPDIR|SLURM_TMPDIR)\}?(?:/|$)")
_PLAIN = pattern(r"[\w.-]{1,80}")
_JOB_NAME = pattern(r"\$\{?SLURM_JOB_NAME\}?", words=("SLURM_JOB_NAME",))
# `/shared/logs`: a disk's own folder is there.
_BELOW_A_DISK = 2
# What lies on the cluster's disks for other things too (/scratch/me/results) is mostly there before the first job.
_FOR_LOGS = pattern(r"/[^/]*(?:logs?|slurm|std(?:out|err))(?![a-z])[^/]*(?:/|$)")
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


@dataclass(frozen=True, slots=True)
class MadeTooLate:
    """A folder of the job's log, which the job makes once Slurm should have opened the log in it."""

    option: Option
    folder: str
    made: Ran


def logs_made_too_late(job: SlurmJob) -> Iterator[MadeTooLate]:
    """One of each folder that nobody is seen to make before the job begins."""
    if job.within or job.filled or not job.is_shell or is_template(job.text) or job.request.option("chdir") is not None:
        return
    name = _job_name(job)
    # Of logs/%x the job may make either.
    found = ((_folder_of_log(option, each), option) for option in _log_options(job) for each in {name: 1, "": 1})
    folders = {folder: option for folder, option in found if folder is not None}
    for folder, option in folders.items() if "mkdir" in job.text else ():
        made = next((each for each in job.walked.ran if _makes(each, folder, name)), None)
        if made is not None and folder not in job.log_folders and not _is_spoken_of(job.text, folder):
            yield MadeTooLate(option, folder, made)


def _job_name(job: SlurmJob) -> str:
    """What `%x` stands for; empty where the job does not say it, or not in so many letters."""
    option = job.request.option("job-name")
    state = option.value.state if option is not None else None
    name = state.value if isinstance(state, Known) else ""
    return name if _PLAIN.fullmatch(name) else ""


def _log_options(job: SlurmJob) -> Iterator[Option]:
    for request in job.requests:
        found = (request.option(name) for name in ("error", "output"))
        yield from (each for each in found if each is not None and not each.dead and each not in job.given)


def _folder_of_log(option: Option, name: str) -> str | None:
    """The log's folder as it is written, above what Slurm fills in (`logs` of logs/%j/%t.out); None where the log is in
    no folder, in one that a shell fills in, or in one of the cluster's own that holds other things."""
    written = option.value.state.value if isinstance(option.value.state, Known) else ""
    folder, filled, _ = posixpath.dirname(written.replace("%x", name or "%x")).partition("%")
    if filled:
        folder = posixpath.dirname(folder)
    if not folder or re.search(r"[$~`]", folder) or (folder.startswith("/") and not _is_for_logs_alone(folder, name)):
        return None
    return posixpath.normpath(folder)


def _is_for_logs_alone(folder: str, name: str) -> bool:
    """By its name, or by the job's; a disk's own folder is there."""
    is_named_so = _FOR_LOGS.search(folder) is not None or (name != "" and posixpath.basename(folder) == name)
    return folder.count("/") >= _BELOW_A_DISK and is_named_so


def _makes(ran: Ran, folder: str, name: str) -> bool:
    return ran.words[0].known == "mkdir" and any(folder in _paths(each, ran, name) for each in ran.words[1:])


def _paths(word: Text, ran: Ran, name: str) -> Iterator[str]:
    """What `mkdir` makes by this word: one who goes to a folder of the cluster's first has submitted the job there."""
    written = _JOB_NAME.sub(name or "$0", word.shown())
    path = path_of(Text.of(written) if written != word.shown() else word, ran.folder)
    if path is not None:
        yield path
        if path.startswith("/") and word.known is not None:
            yield posixpath.normpath(written)


def _is_spoken_of(text: str, folder: str) -> bool:
    """A comment tells whoever submits the job to make it."""
    return any(row.startswith("#") and "mkdir" in row and folder in row for row in text.splitlines())
