"""Whether the scripts that a job starts are there, as far as that can be seen from beside it."""

from __future__ import annotations

import re
from collections.abc import Iterator
from enum import Enum
from functools import lru_cache
from itertools import islice

from nodeworthy.boot.text import Hole, Text
from nodeworthy.facts.slurm.job import SlurmJob
from nodeworthy.facts.slurm.launch import Launch
from nodeworthy.facts.slurm.lines import is_filled_in
from nodeworthy.facts.slurm.paths import is_on_the_cluster, path_of
from nodeworthy.facts.slurm.ran import FILLED, HOME, Ran, path_in_words
from nodeworthy.facts.slurm.words import peel_words
from nodeworthy.known.slurm import is_known_to_torchrun, program_meant
from nodeworthy.patterns import pattern
from nodeworthy.records import dataclass
from nodeworthy.verdict import Place

# What brings files that nobody can see here.
_BRINGS = frozenset(
    "git wget curl cp rsync tar unzip ln mv scp gsutil aws s5cmd rclone svn hf huggingface-cli sbcast".split()
)
# Slurm runs a copy of the script: its own path is no path to what lies beside it.
_OWN_PATH = pattern(r"\$\{?0\}?|BASH_SOURCE")

_VARIABLE = pattern(r"\$\{?([A-Za-z_]\w*)")
_IS_SET = pattern(r"(?m)^[ \t]{0,40}(?:(?:export|readonly|local)[ \t]+)?(?P<name>[A-Za-z_]\w*)=(?P<to>[^\n]*)")
_OF_A_FOLDER = pattern(r"dirname|%/\*")
# `${ROOT:-…}`, `… || pwd`: there is another way.
_HAS_A_CHOICE = pattern(r":[-=+]|\|\||SLURM_SUBMIT_DIR|scontrol")
_STEP_UP = pattern(
    r"[\"']?(?:\$\{?\w+\}?(?:/\.\.)*|\$\((?:cd|realpath|readlink|dirname)[^\n]*\))[\"']?[ \t]*(?:#[^\n]*)?"
)

# What only reads the file that it names last. The copy itself is there, and may be read.
_READERS = frozenset("awk cat cut gawk grep head mapfile readarray sed sort tail wc".split())
_BESIDE_ITSELF = pattern(
    r"(?:dirname[^\n]{0,80}?(?:\$\{?0\b|BASH_SOURCE)|(?:\$\{0|BASH_SOURCE\[0\])%/\*)[^\n]{0,80}/[\w.-]+\.\w+$"
)
_AN_OPTION = pattern(r"-(?:-[a-z][\w-]*(?:=.*)?|[A-Za-z][\w-]*)")
_A_PROGRAM = pattern(r"(?:/[\w.-]+)*/?(?:python[\d.]*|srun|mpirun|bash|sh|torchrun|accelerate|deepspeed)")
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
    # Why it is not known; where it should be.
    why: str = ""
    # Where it went elsewhere.
    went: Place | None = None


def scripts(job: SlurmJob) -> Iterator[Script]:
    """The scripts of every launch that runs a file."""
    for launch in job.launches:
        if launch.module or launch.inline or not (launch.is_python or launch.program == "bash"):
            went = _went(job, launch.ran) if launch.is_python and launch.module else None
            if went is not None and _leads_to_copy(job, went):
                yield Script(launch, There.BESIDE_COPY, launch.module, went=went.place)
        elif launch.script is None or not launch.script.shown().strip():
            yield Script(launch, There.NONE_NAMED, "")
        elif launch.program != "bash" or launch.script.shown().endswith((".sh", ".bash")):
            yield _script(job, launch, launch.script)


def cut_off(job: SlurmJob) -> Iterator[tuple[Place, str]]:
    """Options that are run as programs, for the line that they belong to has ended: where, and the first of them."""
    inside = (each.ran for each in job.launches if each.per_task)
    seen: set[tuple[Place, str]] = set()
    for ran in (*job.walked.ran, *inside):
        first = ran.words[0].string
        if _AN_OPTION.fullmatch(first) and (ran.place, first) not in seen:
            seen.add((ran.place, first))
            yield ran.place, first


def misspelt_programs(job: SlurmJob) -> Iterator[tuple[Place, str, str]]:
    """`pyhton train.py`: where, what is written, and what was meant."""
    inside = (each.ran for each in job.launches if each.per_task)
    for ran in (*job.walked.ran, *inside):
        program = peel_words(ran.words, ran.environment).program
        meant = program_meant(program)
        if meant and not re.search(rf"\balias\s+{program}=|\b{program}\s*\(\)|/{program}\b", job.text):
            yield ran.place, program, meant


def misplaced_options(job: SlurmJob) -> Iterator[tuple[Launch, str]]:
    """What stands before the script and is none of torchrun's: most likely the script's own."""
    for launch in job.launches:
        if launch.program == "torchrun" and launch.script is not None and not launch.filled_in:
            unknown = (name for name in launch.options if not is_known_to_torchrun(name))
            yield from ((launch, name) for name in islice(unknown, 1))


def programs_for_scripts(job: SlurmJob) -> Iterator[tuple[Launch, str]]:
    """`torchrun … python train.py`: a launcher brings Python itself, and takes the word for the script's name."""
    for launch in job.launches:
        name = launch.script.string if launch.script is not None else ""
        if launch.is_distributed and "no_python" not in launch.options and _A_PROGRAM.fullmatch(name):
            yield launch, name


def sourced_beside_copy(job: SlurmJob) -> Iterator[Ran]:
    """What it sources from beside Slurm's copy of itself, on every way: `source "$(dirname "$0")/env.sh"`."""
    for ran in () if job.within else job.walked.ran:
        if ran.words[0].known in ("source", ".") and len(ran.words) > 1 and not ran.guard and not _is_tried(job, ran):
            went, shown = _went(job, ran), ran.words[1].shown()
            is_beside = shown.startswith(("./", "../")) and went is not None and _leads_to_copy(job, went)
            if is_beside or (_OWN_PATH.search(shown) and _is_in_the_copy(job, ran)):
                yield ran


def read_beside_copy(job: SlurmJob) -> Iterator[tuple[Ran, Text]]:
    """What it reads from beside Slurm's copy of itself: `sed -n "${N}p" "$(dirname "$0")/params.txt"`."""
    for ran in () if job.within else job.walked.ran:
        if ran.words[0].known in _READERS and len(ran.words) > 1 and not ran.guard and not _is_tried(job, ran):
            path = ran.words[-1]
            is_beside = _BESIDE_ITSELF.search(path.shown()) is not None and _is_in_the_copy(job, ran)
            if is_beside and path.shown() not in job.walked.made:
                yield ran, path


def _is_tried(job: SlurmJob, ran: Ran) -> bool:
    """Whether the script has an alternative (`||`) behind it, and so expects that it may be missing."""
    rows = job.text.splitlines()
    at = ran.place.row - (job.place.line or 1)
    return any("||" in row for row in rows[at : at + 2])


def _script(job: SlurmJob, launch: Launch, script: Text) -> Script:
    shown, path, went = script.shown(), path_in_words(script), _went(job, launch.ran)
    if launch.is_distributed and _A_PROGRAM.fullmatch(shown):
        return Script(launch, There.OUT_OF_SIGHT, path, "it is a program, and no script")
    if _OWN_PATH.search(shown) and not _is_in_the_copy(job, launch.ran):
        return Script(launch, There.OUT_OF_SIGHT, path, "it lies beside another script, which the job runs")
    if _OWN_PATH.search(shown) or (not shown.startswith(("/", "$", "~")) and went and _leads_to_copy(job, went)):
        return Script(launch, There.BESIDE_COPY, path, went=went.place if went is not None else None)
    if shown in job.walked.made:
        return Script(launch, There.YES, path)
    if script.known is not None and is_filled_in(shown):
        return Script(launch, There.OUT_OF_SIGHT, path, "it is filled in before there is a job")
    if launch.in_container and (shown.startswith("/") or _has_own_folder(launch)):
        return Script(launch, There.OUT_OF_SIGHT, path, "it lies in a container")
    name = path_of(script, launch.ran.folder)
    if name is None:
        return _hidden(job, launch, script)
    if f"{HOME}/{name}" in job.walked.made or name in job.walked.made:
        return Script(launch, There.YES, path)
    return _looked_for(job, launch, path, name)


def _hidden(job: SlurmJob, launch: Launch, script: Text) -> Script:
    """Where its path is not known. What lies in a folder that only the cluster knows can't be looked for from here; a
    script that is named by a variable of whoever submits the job is theirs to know."""
    path = path_in_words(script)
    if is_on_the_cluster(script.shown()) or (_is_relative(script.shown()) and _begins_elsewhere(job, launch.ran)):
        return Script(launch, There.OUT_OF_SIGHT, path, _ON_ITS_DISKS)
    first = script.pieces[0] if script.pieces else ""
    if isinstance(first, Hole) and len(script.pieces) > 1 and str(script.pieces[1])[:1] == "/":
        return Script(launch, There.OUT_OF_SIGHT, path, f"only the cluster knows where {first.shown} leads")
    if script.known is None and all(_is_asked_for(hole, job) for hole in script.holes):
        return Script(launch, There.NOBODY_KNOWS, path, "its path depends on variables that the job does not set")
    return Script(launch, There.OUT_OF_SIGHT, path, "which script this is is known only when it runs")


def _is_asked_for(hole: Hole, job: SlurmJob) -> bool:
    return not job.walked.sourced and hole.why.removeprefix(FILLED).endswith("is set nowhere in this script")


def _looked_for(job: SlurmJob, launch: Launch, shown: str, name: str) -> Script:
    found = job.beside.get(name)
    if found is not None and found.path is not None:
        return Script(launch, There.YES, shown)
    if name.startswith("/"):
        return Script(launch, There.OUT_OF_SIGHT, shown, _ON_ITS_DISKS)
    if found is None or not found.expected:
        return Script(launch, There.OUT_OF_SIGHT, shown, "nothing here shows from where the job is submitted")
    if brings := _brought(job, launch.ran):
        return Script(launch, There.NOBODY_KNOWS, shown, f"`{brings}` may bring it")
    return Script(launch, There.NO, shown, found.expected)


def _is_relative(shown: str) -> bool:
    return not shown.startswith(("/", "~")) and "$" not in shown and "`" not in shown


def _begins_elsewhere(job: SlurmJob, ran: Ran) -> bool:
    """Whether it runs in a folder of the cluster, or one that only a variable knows, as far as its ways say so."""
    for each in job.walked.moves_before(ran):
        target = each.words[1] if len(each.words) > 1 else Text.of("~")
        shown = target.shown()
        if is_on_the_cluster(shown) or (shown[:1] in "$`" and not shown.startswith(HOME)):
            return True
        if not _is_relative(shown) or shown == "-":
            return False
    return job.request.option("chdir") is not None


def _is_in_the_copy(job: SlurmJob, ran: Ran) -> bool:
    """Whether it stands in the job's own script, of which Slurm runs a copy. A script that the job runs stays where it
    lies."""
    return ran.place.path == job.place.path


def _leads_to_copy(job: SlurmJob, went: Ran) -> bool:
    """`cd "$(dirname "$0")"`, also by way of variables."""
    if not _is_in_the_copy(job, went):
        return False
    shown = [went.raw, *(each.shown() for each in went.words)]
    named = {name for text in shown for name in _VARIABLE.findall(text)}
    return any(_OWN_PATH.search(text) for text in shown) or bool(named & _beside_itself(job.text))


# More steps than these nobody takes from a script's own path to the root of its repository.
_STEPS = 3


@lru_cache(maxsize=64)
def _beside_itself(text: str) -> frozenset[str]:
    """The variables that lead to where Slurm's copy lies, or above it, whatever else is so: `ROOT=$(cd "$HERE/.." &&
    pwd)`, where `HERE` is the folder of `$0`."""
    set_: dict[str, list[str]] = {}
    for found in _IS_SET.finditer(text) if _OWN_PATH.search(text) else ():
        set_.setdefault(found["name"], []).append(found["to"])
    known: frozenset[str] = frozenset()
    for _ in range(_STEPS):
        known = frozenset(name for name, every in set_.items() if all(_is_beside(each, known) for each in every))
    return known


def _is_beside(to: str, known: frozenset[str]) -> bool:
    if _HAS_A_CHOICE.search(to):
        return False
    if _OWN_PATH.search(to):
        return _OF_A_FOLDER.search(to) is not None
    return bool(known.intersection(_VARIABLE.findall(to))) and _STEP_UP.fullmatch(to) is not None


def _has_own_folder(launch: Launch) -> bool:
    words = " ".join(each.shown() for each in launch.ran.words)
    return (
        re.search(r"--(?:pwd|workdir|containall|container-workdir|container-image)|(?:^|\s)-(?:W|w|c|C)\s", words)
        is not None
    )


def _went(job: SlurmJob, ran: Ran) -> Ran | None:
    """The last `cd` before it."""
    return next(job.walked.moves_before(ran), None)


def _brought(job: SlurmJob, ran: Ran) -> str:
    brings = (each.words[0].string for each in job.walked.before(ran))
    return next((name for each in brings if (name := each.rsplit("/", 1)[-1]) in _BRINGS), "")
