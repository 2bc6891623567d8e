"""The nodes of a job on which nothing is started: all that its script runs, it runs where it begins."""

from __future__ import annotations

import re

from nodeworthy.boot.shell.nested import SHELLS
from nodeworthy.facts.slurm.job import SlurmJob
from nodeworthy.facts.slurm.launch import Launch
from nodeworthy.facts.slurm.lines import Option
from nodeworthy.facts.slurm.ran import Ran
from nodeworthy.facts.slurm.ranks import script_text
from nodeworthy.facts.slurm.words import peel_words
from nodeworthy.known.slurm import stays_on_its_node
from nodeworthy.patterns import pattern
from nodeworthy.records import dataclass
from nodeworthy.verdict import Place

_COMMENT = pattern(r"^[ \t]*#[^\n]*", re.MULTILINE)
# What reaches another node, or is told which there are, wherever it stands in the job or in what it runs.
_REACHES = pattern(
    r"(?i)srun|sbatch|salloc|mpirun|mpiexec|mpi4py|\bp?ssh\b|pdsh|clush|parallel|paramiko|fabric|nodelist|nodeid|nnodes"
    r"|hostnames|hostfile|hostlist|submitit|\bray\b|dask|spark|horovod|parsl|balsam|radical|flux|launch|submit|sweep"
    r"|spawn|subprocess|nemo_run|colossalai|num_nodes|lightning|hydra|\beval\b|xargs"
)
_ON_A_CARD = ("nvidia-smi",)


@dataclass(frozen=True, slots=True)
class IdleNodes:
    """Where something is started, and the option that asks for more nodes than it reaches."""

    place: Place
    said: str
    asked: Option
    nodes: int


def idle_nodes(job: SlurmJob) -> IdleNodes | None:
    """A job of several nodes with GPUs whose every command is known, and stays where it is started. What a launcher of
    ranks that is started once does, is another question."""
    asked = job.request.option("nodes", "ntasks", "gpus")
    if asked is None or job.unreadable is not None or _REACHES.search(_COMMENT.sub("", job.text)):
        return None
    if any(each.program != "python" or _may_reach(job, each) for each in job.python_launches):
        return None
    work = [each for each in job.walked.ran if _is_work(each)]
    if not work or not all(_stays(each) for each in job.walked.ran):
        return None
    first = min(work, key=lambda each: each.place.row)
    return IdleNodes(first.place, _in_short(first), asked, job.request.nodes)


def _in_short(ran: Ran) -> str:
    """Its words, up to the first that is a text of its own: `python3 -c …`."""
    words = [each.shown() for each in ran.words]
    whole = next((at for at, each in enumerate(words) if len(each.split()) > 1), len(words))
    return " ".join([*words[:whole], *["…"][: len(words) - whole]])


def _may_reach(job: SlurmJob, launch: Launch) -> bool:
    return _REACHES.search(script_text(job, launch) or "") is not None


def _is_work(ran: Ran) -> bool:
    program = peel_words(ran.words, ran.environment).program
    return program.startswith("python") or program in _ON_A_CARD


def _stays(ran: Ran) -> bool:
    found = peel_words(ran.words, ran.environment)
    if found.program in SHELLS:
        # What stands behind -c is walked through, command by command; another script is not.
        return found.step is None and any(each.known == "-c" for each in found.words)
    return found.step is None and (found.program.startswith("python") or stays_on_its_node(found.program))
