"""What a job makes on its first node alone, and starts on all of them."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise

from nodeworthy.boot.text import Text
from nodeworthy.facts.slurm.job import SlurmJob
from nodeworthy.facts.slurm.ran import Ran
from nodeworthy.facts.slurm.ranks import nodes_of
from nodeworthy.facts.slurm.words import Peeled, peel_words
from nodeworthy.patterns import pattern
from nodeworthy.records import dataclass

# Each node has its own.
_OF_ONE_NODE = pattern(r"/(?:var/)?tmp/[^\s:]|/dev/shm/[^\s:]")
_RUNS_A_FILE = pattern(r"(?:ba|z)?sh|python(?:\d(?:\.\d+)?)?")
# What makes the file that it names behind `-o`, or last.
_COMPILERS = frozenset(
    "cc c++ clang clang++ gcc g++ gfortran hipcc icc icx ifx mpicc mpicxx mpic++ mpif90 mpifort nvcc".split()
)
_COPIES = frozenset(("cp", "mv", "install", "rsync"))
_SENDS = frozenset(("sbcast", "pdcp", "clush", "scp"))
_OF_AN_IMAGE = ("container_image", "container_name")


@dataclass(frozen=True, slots=True)
class OnFirstNode:
    started: Ran
    path: str
    nodes: int
    made: Ran | None


def only_on_the_first_node(job: SlurmJob) -> Iterator[OnFirstNode]:
    """A script or a program below /tmp that the batch script has made, and that srun starts on several nodes."""
    if not job.is_shell or job.unreadable is not None:
        return
    for ran in job.walked.ran:
        found = peel_words(ran.words, ran.environment)
        path = _started(found)
        if path is None or found.step is None or _is_sent(job, ran, path):
            continue
        made = next((each for each in job.walked.before(ran) if _makes(each, path)), None)
        if (made is not None or path in job.walked.made) and (nodes := nodes_of(job, found.step)) > 1:
            yield OnFirstNode(ran, path, nodes, made)


def _started(found: Peeled) -> str | None:
    """The path that every node looks for, as it is written."""
    if found.step is None or found.step.program != "srun" or found.in_container or not found.words:
        return None
    if any(each in found.step.options for each in _OF_AN_IMAGE):
        return None
    first, *others = (each.shown() for each in found.words)
    if _RUNS_A_FILE.fullmatch(first):
        first = next((each for each in others if not each.startswith("-")), "")
    return first if _OF_ONE_NODE.match(first) else None


def _makes(ran: Ran, path: str) -> bool:
    program, words = ran.words[0].string.rpartition("/")[2], ran.words[1:]
    if program in _COMPILERS:
        return any(one.known == "-o" and other.shown() == path for one, other in pairwise(words))
    return program in _COPIES and len(words) > 1 and _ends_at(words[-1], words[-2], path)


def _ends_at(target: Text, source: Text, path: str) -> bool:
    shown = target.shown()
    return path in (shown, f"{shown.rstrip('/')}/{source.shown().rpartition('/')[2]}")


def _is_sent(job: SlurmJob, started: Ran, path: str) -> bool:
    """Whether anything before it works on all nodes with that file, or with its folder."""
    folder = path.rpartition("/")[0]
    named = (path, f"{folder}/") if _OF_ONE_NODE.match(folder) else (path,)
    for ran in job.walked.before(started):
        is_everywhere = ran.words[0].known in _SENDS or peel_words(ran.words, ran.environment).step is not None
        if is_everywhere and any(name in f"{each.shown()}/" for each in ran.words for name in named):
            return True
    return False
