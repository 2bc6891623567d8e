"""Which node a launch runs on, and what its ranks need to find each other."""

from __future__ import annotations

import re
from functools import lru_cache

from nodeworthy.boot.text import Text
from nodeworthy.facts.slurm.job import SlurmJob
from nodeworthy.facts.slurm.launch import Launch
from nodeworthy.facts.slurm.paths import module_file, path_of
from nodeworthy.facts.slurm.ran import FILLED, HOME
from nodeworthy.facts.slurm.request import least
from nodeworthy.facts.slurm.words import Step
from nodeworthy.patterns import pattern
from nodeworthy.records import dataclass
from nodeworthy.verdict import NotKnown

_LOCAL = pattern(r"(?:localhost|127\.0\.0\.1|0\.0\.0\.0|\[?::1\]?)(?::|$)")
_OWN_NAME = pattern(
    r"(?:\$\(|`)\s*(?:hostname\b|uname\s+-n\b|cat\s+/etc/hostname\b)|\$\{?(?:HOSTNAME|SLURMD_NODENAME)\b"
)
# A script that takes its ranks from Slurm by itself, or from a library that does.
_READS_SLURM = pattern(
    r"SLURM_|lightning|submitit|idr_torch|mpi4py|SlurmEnvironment|hostlist|ray\.|jax|horovod|tensorflow|deepspeed\.init"
)
_READS_TORCH = pattern(
    r"init_process_group|torch\.distributed|environ(?:\.get)?[\[(]\s*[\"'](?:RANK|WORLD_SIZE|MASTER_ADDR)"
)
# A program that has to be given them.
_NEEDS_RANKS = pattern(
    r"environ\[\s{0,4}[\"'](?:RANK|WORLD_SIZE|MASTER_ADDR)[\"']|init_process_group\(\s{0,4}(?:backend\s{0,4}=\s{0,4})?[\"']\w{1,10}[\"']\s{0,4}\)"
)
# What is told of its ranks by arguments of its own: sglang's --node-rank, --dist-init-addr.
_OWN_ARGUMENTS = pattern(
    r"(?:^|\s)--(?:node[-_]?rank|dist[-_]init[-_]\w+|rank|world[-_]size|machine[-_]rank)\b|SLURM_PROCID"
    # `--wireup_method mpi`, `--launcher=slurm`, `--backend mpi`: who tells its ranks.
    r"|(?:^|\s)--[\w-]+[= ][\"']?(?:mpi|openmpi|slurm)\b"
)
# Where the script can't be read: what a job says of such a library, or installs.
_SPEAKS_OF = pattern(
    r"(?<![a-z])(?:lightning|submitit|idr_torch|mpi4py|jax|horovod|tensorflow|ray)(?![a-z])", re.IGNORECASE
)


# Options by which a step is sent to some of the job's nodes.
_CHOOSES_NODES = ("nodelist", "relative")


@dataclass(frozen=True)
class Spread:
    """The number of nodes on which a launch runs, and how often it runs on each."""

    nodes: int
    per_node: int
    # It is started where the script runs, and nowhere else.
    only_first: bool
    # Others like it are started beside it, and each may be told its own rank.
    one_of_several: bool = False


def spread(job: SlurmJob, launch: Launch) -> Spread:
    step = launch.step
    if step is None:
        return Spread(1, 1, only_first=True)
    nodes, several = nodes_of(job, step), _is_one_of_several(job, launch)
    if step.program != "srun":
        return Spread(nodes, 1, only_first=False, one_of_several=several)
    per_node = _count(step, "ntasks_per_node", "tasks_per_node")
    tasks = _count(step, "ntasks")
    if per_node is None:
        per_node = -(-tasks // nodes) if tasks is not None else job.request.tasks_per_node
    return Spread(nodes, per_node, only_first=False, one_of_several=several)


def _is_one_of_several(job: SlurmJob, launch: Launch) -> bool:
    """A loop's, or one in the background that is sent to nodes by name, or that others in the background are beside:
    the only one there (`srun … & wait`, so that a trap can answer) runs on all nodes with the same words."""
    if launch.ran.in_loop or not launch.ran.background:
        return launch.ran.in_loop
    chosen = launch.step is not None and not launch.step.options.keys().isdisjoint(_CHOOSES_NODES)
    beside = [each for each in job.launches if each.program == launch.program and each.ran.background]
    return chosen or len(beside) > 1


def nodes_of(job: SlurmJob, step: Step) -> int:
    if step.program != "srun":
        return job.request.nodes
    nodes = _count(step, "nodes")
    if nodes is not None:
        return nodes
    return 1 if _count(step, "ntasks") == 1 else job.request.nodes


def gpus_of_each_task(job: SlurmJob, launch: Launch) -> int | None:
    """How many GPUs each task of a step sees: all of the node's, unless Slurm gives each its own. None where that is
    not known."""
    step = launch.step.options if launch.step is not None else {}
    apart = ("gpus_per_task", "gpu_bind", "tres_per_task", "tres_bind")
    if any(name in step or job.request.option(name.replace("_", "-")) is not None for name in apart):
        return None
    if any(name in step for name in ("gres", "gpus", "gpus_per_node", "exact")):
        return None
    return job.request.gpus_per_node


def _count(step: Step, *names: str) -> int | None:
    text = next((step.options[name] for name in names if name in step.options), None)
    count = least(text.known) if text is not None and text.known is not None else None
    if count == 0:
        raise NotKnown(f"srun --{names[0].replace('_', '-')}=0 starts nothing")
    return count


def is_local(launch: Launch, address: Text) -> bool:
    """An address by which every node means itself. What the batch shell expands is the first node's for all of them."""
    if _LOCAL.match(address.string):
        return True
    holes = [] if not launch.per_task else [each for each in address.holes if _OWN_NAME.match(each.shown)]
    return any(not each.why.startswith(FILLED) for each in holes)


def unset(launch: Launch, *values: Text | None) -> str | None:
    """The variable that a value asks for and that nobody sets."""
    shown = (hole.shown.strip("${}") for value in values if value is not None for hole in value.holes)
    return next((name for name in shown if name in launch.ran.unset), None)


def reads_slurm(job: SlurmJob, launch: Launch) -> bool | None:
    """Whether the script finds its ranks by itself; None where it can't be read."""
    if _OWN_ARGUMENTS.search(" ".join(each.shown() for each in launch.arguments)):
        return True
    text = script_text(job, launch)
    if text is None:
        return True if _speaks_of(job.text) else None
    return _READS_SLURM.search(text) is not None or _READS_TORCH.search(text) is None


@lru_cache(maxsize=8)
def _speaks_of(text: str) -> bool:
    """Asked for each of a job's launches."""
    return _SPEAKS_OF.search(text) is not None


def asks_its_environment(launch: Launch) -> bool:
    """Whether a program that stands in the job itself ends where its environment has no rank: not one with a default,
    nor one that says its rank itself."""
    return _NEEDS_RANKS.search(_written_in_the_job(launch)) is not None


def _written_in_the_job(launch: Launch) -> str:
    """The program behind `python -c`, or in its here-document."""
    if launch.ran.stdin is not None:
        return launch.ran.stdin.text.shown()
    return launch.arguments[0].shown() if launch.arguments else ""


def script_text(job: SlurmJob, launch: Launch) -> str | None:
    if launch.inline:
        return _written_in_the_job(launch)
    script = launch.script or (Text.of(module_file(launch.module)) if launch.module else None)
    name = path_of(script, launch.ran.folder if launch.script is not None else HOME) if script is not None else None
    found = job.beside.get(job.copied.get(name, name)) if name is not None else None
    if script is None or (found is not None and found.text is not None):
        return found.text if found is not None else None
    paths = (script.shown(), f"{HOME}/{name}")
    return next((made.text.shown() for path, made in reversed(job.walked.texts) if path in paths), None)


def same_for_all(rank: Text) -> bool:
    """A rank that every node is given alike: a number, or what the batch script filled in."""
    return rank.known is not None or all(hole.why.startswith(FILLED) for hole in rank.holes)
