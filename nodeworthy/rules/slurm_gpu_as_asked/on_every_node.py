"""Each node that a job asks for, with its GPUs, is given something to do."""

from __future__ import annotations

from nodeworthy.facts.slurm.idle_nodes import idle_nodes
from nodeworthy.facts.slurm.job import SlurmJob
from nodeworthy.rules.slurm_gpu_as_asked import RULE
from nodeworthy.verdict import Findings, Related, Severity, fail, skip

_LONGEST = 60


@RULE.check
def each_of_its_nodes_has_work(job: SlurmJob) -> Findings:
    if not job.is_shell or len(job.requests) > 1 or not job.request.gpus or job.request.nodes <= 1:
        skip("it asks for no GPUs on several nodes")
    found = idle_nodes(job)
    if found is None:
        return
    rest = "the other one idles" if found.nodes == 2 else f"the other {found.nodes - 1} idle"
    yield fail(
        found.place,
        f"{found.nodes} nodes are asked for, and everything is started on the first",
        is_=f"{found.said[:_LONGEST].strip()}, without srun",
        should="srun --ntasks-per-node=1 before it, or #SBATCH --nodes=1",
        related=[Related(found.asked.place, f"{found.asked.written} asks for {found.nodes} nodes")],
        cause=f"a batch script runs on the first node of its job, and so does what it starts: {rest} with all GPUs, "
        "and is charged for",
        remedy="write srun before it; `srun -l hostname` in the job shows where its tasks run",
        severity=Severity.WARNING,
    )
