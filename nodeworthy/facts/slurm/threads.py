"""How many threads what a job runs would start, and whether somebody else has seen to that."""

from __future__ import annotations

import re

from nodeworthy.facts.slurm.job import SlurmJob
from nodeworthy.facts.slurm.launch import Launch
from nodeworthy.facts.slurm.ranks import script_text, spread
from nodeworthy.known.slurm import sets_threads
from nodeworthy.patterns import pattern
from nodeworthy.records import dataclass

# Programs that see to it themselves.
_BY_ITSELF = pattern(r"OMP_NUM_THREADS|set_num_threads|threadpool_limits")
_CPUS = ("cpus-per-task", "cpus-per-gpu", "mincpus", "cores-per-socket", "threads-per-core")


@dataclass(frozen=True, slots=True)
class TooMany:
    """Several processes, each of which would start a thread for every CPU that it sees."""

    why: str
    # What each of them may have.
    share: str


def too_many(job: SlurmJob, launch: Launch) -> TooMany | None:
    """None where a launcher or Slurm sees to it."""
    if launch.inline or started_by_launcher(job, launch) or _BY_ITSELF.search(script_text(job, launch) or ""):
        return None
    if launch.step is None:
        return _share_the_jobs(job, launch)
    if launch.step.program != "srun":
        return None
    where = spread(job, launch)
    if where.per_node <= 1 or not _is_unbound(job, launch):
        return None
    why = f"{where.per_node} tasks on a node, each of which sees all of its CPUs"
    return TooMany(why, f"$((SLURM_CPUS_ON_NODE / {where.per_node}))")


def started_by_launcher(job: SlurmJob, launch: Launch) -> bool:
    """Whether its launcher sets the variable where nobody has: torchrun does for more than one process on a node."""
    when = sets_threads(launch.program)
    if when != "several":
        return when == "always"
    count = launch.option("nproc_per_node") or launch.environment.get("PET_NPROC_PER_NODE")
    return count is not None and job.known(count) != 1


def _is_unbound(job: SlurmJob, launch: Launch) -> bool:
    """Slurm binds tasks to the CPUs that they ask for; a whole node that nobody divides is everybody's."""
    step = launch.step.options if launch.step is not None else {}
    binding = step.get("cpu_bind")
    if binding is not None and re.search(r"(?:^|,)no(?:ne)?(?:,|$)", binding.shown()):
        return True
    asked = job.request.option(*_CPUS) is not None or any(each.replace("-", "_") in step for each in _CPUS)
    return job.request.option("exclusive") is not None and not asked and binding is None


def _share_the_jobs(job: SlurmJob, launch: Launch) -> TooMany | None:
    """Programs in the background of the batch script: all of them see all CPUs of the job."""
    if not launch.ran.background or "taskset" in launch.ran.raw or "numactl" in launch.ran.raw:
        return None
    like = [
        each for each in job.python_launches
        if each.step is None and each.ran.background and (each.script, each.module) == (launch.script, launch.module)
    ]  # fmt: skip
    if len(like) < 2 and not launch.ran.in_loop:
        return None
    count = len(like) if len(like) > 1 else job.request.gpus_per_node or 1
    why = "several at once in the background, each of which sees all CPUs of the job"
    return TooMany(why, f"$((SLURM_CPUS_ON_NODE / {count}))" if count > 1 else "1")
