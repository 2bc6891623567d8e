"""A job of Slurm's fails where the work fails that it has started in the background."""

from __future__ import annotations

from nodeworthy.facts.slurm.job import SlurmJob
from nodeworthy.facts.slurm.ran import path_in_words
from nodeworthy.facts.slurm.unheard import pipes_into_tee, said_anyhow, unheard_work, work_piped, works_in_background
from nodeworthy.rules.failure_is_loud import MOST_RELATED, RULE
from nodeworthy.verdict import Findings, Related, fail, skip


@RULE.check
def the_job_fails_with_its_work(job: SlurmJob) -> Findings:
    if not works_in_background(job):
        skip("it starts no work in the background")
    found = unheard_work(job)
    if found is None:
        return
    first, *others = found.works
    called = path_in_words(first.script) if first.script is not None else first.module or first.program
    yield fail(
        found.wait.place,
        f"where {called} fails, the job is COMPLETED all the same: a bare `wait` is 0 whatever it has waited for",
        is_="wait",
        should='wait "$pid" for each of them, or wait -n, and an end with its status',
        related=[
            Related(first.place, "this is started in the background"),
            *(Related(each.place, "and so is this") for each in others[:MOST_RELATED]),
        ],
        cause="Slurm takes how its batch script ended for how the job ended: what waits for it (afterok) begins, "
        "and nobody is told",
        remedy='keep each number behind its `&` (pids+=("$!")), and end with: for pid in "${pids[@]}"; do wait "$pid" '
        "|| failed=1; done; exit ${failed:-0}",
    )


@RULE.check
def the_job_ends_as_its_work_does(job: SlurmJob) -> Findings:
    found = said_anyhow(job)
    if found is None:
        skip("its last command does not say how it ends")
    written = found.ran.raw.strip()
    ends = "CANCELLED" if found.cancels else "COMPLETED"
    yield fail(
        found.ran.place,
        f"the job is {ends} whatever becomes of {found.called}: its last command says so",
        is_=written,
        should="no such line: a job ends as its last command does",
        related=[Related(found.work.place, "this is the work")],
        cause="Slurm takes how its batch script ended for how the job ended: "
        + (
            "nothing that waits for its success (afterok) ever begins"
            if found.cancels
            else "what waits for it (afterok) begins, and nobody is told"
        ),
        remedy="take the line away",
    )


@RULE.check
def the_job_ends_as_its_pipe_begins(job: SlurmJob) -> Findings:
    if not pipes_into_tee(job):
        skip("it pipes nothing into tee")
    found = work_piped(job)
    if found is None:
        return
    yield fail(
        found.tee.place,
        f"where {found.called} fails, the job is COMPLETED all the same: the pipe ends as tee does",
        is_=found.tee.raw.strip() or "| tee",
        should="set -eo pipefail before it",
        related=[Related(found.work.place, "this is the work")] if found.work.place != found.tee.place else [],
        cause="Slurm takes how its batch script ended for how the job ended: what waits for it (afterok) begins, "
        "and nobody is told",
        remedy="begin the script with `set -eo pipefail`; or leave tee out: #SBATCH --output writes the same file",
    )
