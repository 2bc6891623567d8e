"""Whether the scripts that a job starts are there, as far as that can be seen from beside it."""

from __future__ import annotations

import re
from collections.abc import Iterator
from enum import Enum

from nodeworthy.facts.slurm.job import SlurmJob
from nodeworthy.facts.slurm.launch import Launch
from nodeworthy.facts.slurm.paths import is_on_the_cluster, path_of
from nodeworthy.facts.slurm.ran import HOME, Ran
from nodeworthy.patterns import pattern
from nodeworthy.records import dataclass
from nodeworthy.verdict import Place

# What brings files that nobody can see here.
_BRINGS = frozenset(
    "git wget curl cp rsync tar unzip ln mv scp gsutil aws s5cmd rclone svn hf huggingface-cli sbcast".split()
)
# Slurm runs a copy of the script: its own path is no path to what lies beside it.
_OWN_PATH = pattern(r"\$\{?0\}?|BASH_SOURCE")

_ON_ITS_DISKS = "it lies on the cluster's disks"


class There(Enum):
    YES = "yes"
    NO = "no"
    NOBODY_KNOWS = "nobody knows"
    # On the cluster's disks, or in a container.
    OUT_OF_SIGHT = "out of sight"
    NONE_NAMED = "none named"
    BESIDE_COPY = "beside Slurm's own copy"


@dataclass(frozen=True, slots=True)
class Script:
    launch: Launch
    there: There
    path: str
    why: str = ""
    # Where it went elsewhere.
    went: Place | None = None


def scripts(job: SlurmJob) -> Iterator[Script]:
    """Of every launch that runs a file."""
    for launch in job.launches:
        if launch.module or launch.inline or not (launch.is_python or launch.program == "bash"):
            continue
        if launch.script is None or not launch.script.shown().strip():
            yield Script(launch, There.NONE_NAMED, "")
        elif launch.program != "bash" or launch.script.shown().endswith((".sh", ".bash")):
            yield _script(job, launch, launch.script.shown())


def _script(job: SlurmJob, launch: Launch, shown: str) -> Script:
    went = _went(job, launch.ran)
    if _OWN_PATH.search(shown) or (not shown.startswith(("/", "$", "~")) and went and _OWN_PATH.search(went.raw)):
        return Script(launch, There.BESIDE_COPY, shown, went=went.place if went is not None else None)
    if shown in job.walked.made:
        return Script(launch, There.YES, shown)
    if launch.in_container and (shown.startswith("/") or _has_own_folder(launch)):
        return Script(launch, There.OUT_OF_SIGHT, shown, "it lies in a container")
    name = path_of(launch.script, launch.ran.folder) if launch.script is not None else None
    if name is None:
        if is_on_the_cluster(shown) or (_is_relative(shown) and _begins_on_the_cluster(job, launch.ran)):
            return Script(launch, There.OUT_OF_SIGHT, shown, _ON_ITS_DISKS)
        hidden = launch.script is not None and launch.script.known is None
        why = "its path depends on variables" if hidden else "the job goes to another folder first"
        return Script(launch, There.NOBODY_KNOWS, shown, why, went.place if went is not None and not hidden else None)
    if f"{HOME}/{name}" in job.walked.made or name in job.walked.made:
        return Script(launch, There.YES, shown)
    return _looked_for(job, launch, shown, name)


def _looked_for(job: SlurmJob, launch: Launch, shown: str, name: str) -> Script:
    found = job.beside.get(name)
    if found is not None and found.path is not None:
        return Script(launch, There.YES, shown)
    if found is not None and found.elsewhere:
        why = f"it lies at {found.elsewhere}, so that it depends on where the job is submitted"
        return Script(launch, There.NOBODY_KNOWS, shown, why)
    if name.startswith("/"):
        return Script(launch, There.OUT_OF_SIGHT, shown, _ON_ITS_DISKS)
    if brings := _brought(job, launch.ran):
        return Script(launch, There.NOBODY_KNOWS, shown, f"`{brings}` may bring it")
    return Script(launch, There.NO, shown)


def _is_relative(shown: str) -> bool:
    return not shown.startswith(("/", "~")) and "$" not in shown and "`" not in shown


def _begins_on_the_cluster(job: SlurmJob, ran: Ran) -> bool:
    """Whether it runs in a folder that lies there, as far as its last ways say so."""
    for each in reversed(list(_before(job, ran))):
        if each.words[0].known not in ("cd", "pushd"):
            continue
        target = each.words[1].shown() if len(each.words) > 1 else "~"
        if is_on_the_cluster(target):
            return True
        if not _is_relative(target) or target == "-":
            return False
    return is_on_the_cluster(job.request.shown("chdir"))


def _has_own_folder(launch: Launch) -> bool:
    words = " ".join(each.shown() for each in launch.ran.words)
    return (
        re.search(r"--(?:pwd|workdir|containall|container-workdir|container-image)|(?:^|\s)-(?:W|w|c|C)\s", words)
        is not None
    )


def _before(job: SlurmJob, ran: Ran) -> Iterator[Ran]:
    for each in job.walked.ran:
        if each is ran:
            return
        yield each


def _went(job: SlurmJob, ran: Ran) -> Ran | None:
    """The last `cd` before it."""
    return next((each for each in reversed(list(_before(job, ran))) if each.words[0].known in ("cd", "pushd")), None)


def _brought(job: SlurmJob, ran: Ran) -> str:
    brings = (each.words[0].known or "" for each in _before(job, ran))
    return next((name for each in brings if (name := each.rsplit("/", 1)[-1]) in _BRINGS), "")
