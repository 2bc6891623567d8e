"""A MIG job asks for 1 CPU and at most 16G.

A slice of a GPU comes with a slice of its node: clusters give MIG partitions a QOS that allows one CPU and 16G a job.
A job that asks for more is taken by sbatch and pends for ever (`QOSMaxCpuPerJobLimit`, `QOSMaxMemoryPerJob`), and so
is one that says nothing: what the cluster then works out by itself is a share of the node (54G of one with 2T), and
CPUs enough for that memory. Both numbers have to stand there. `sbatch --test-only` does not see the QOS.

It is a limit that sites set, and no law of Slurm: one of the smallest slice, a seventh of a GPU (`1g.10gb`), and of
partitions that do not say how large theirs are. Larger slices have to say both numbers, whatever they are. Where the
jobs of a repository ask for more, three others at least, their site allows it: nobody keeps jobs that never began.
"""

from __future__ import annotations

from nodeworthy.facts.slurm.job import SlurmJob
from nodeworthy.facts.slurm.lines import Option
from nodeworthy.facts.slurm.request import (
    CPUS,
    MEMORY,
    MOST_CPUS,
    MOST_MEMORY,
    SlurmRequest,
    cpus_of,
    is_large,
    memory_of,
)
from nodeworthy.rule import Rule
from nodeworthy.verdict import Draft, Findings, Place, Related, Severity, fail, skip, unknown

RULE = Rule(
    "slurm-mig-request",
    severity=Severity.ERROR,
    incident="E",
    title="A MIG job asks for 1 CPU and at most 16G",
    remedy="#SBATCH --cpus-per-task=1 and #SBATCH --mem=16G, above the first command; `sacctmgr show qos` says what "
    "the partition allows",
)

_USUAL = "a limit that sites set by a QOS, and no law of Slurm; where yours is this one"
_CPUS = "the job pends for ever with QOSMaxCpuPerJobLimit"
_MEMORY = "the job pends for ever with QOSMaxMemoryPerJob"


@RULE.check
def it_asks_for_no_more_than_a_slice(job: SlurmJob) -> Findings:
    slices = [(request, request.mig) for request in job.requests]
    if not any(says for _, says in slices):
        skip("it asks for no MIG slice")
    for request, says in slices:
        if says is not None:
            yield from _cpus(job, request, says)
            yield from _memory(job, request, says)


def _cpus(job: SlurmJob, request: SlurmRequest, says: Option) -> Findings:
    option = request.option(*CPUS)
    if option is None:
        yield _absent(request, says, "cpus-per-task", "a MIG job does not say how many CPUs it takes", _CPUS)
        return
    cpus, tasks = cpus_of(request, option)
    if cpus > max(MOST_CPUS, job.slices.cpus) and not is_large(says):
        yield fail(
            option,
            "a MIG job asks for more than one CPU",
            is_=f"{cpus} CPUs" if tasks == 1 else f"{cpus} CPUs ({option.written}, {tasks} tasks)",
            should="--cpus-per-task=1, with one task",
            related=[_mig(says)],
            cause=f"{_USUAL}: {_CPUS}",
        )


def _memory(job: SlurmJob, request: SlurmRequest, says: Option) -> Findings:
    option = request.option(*MEMORY)
    if option is None:
        yield _absent(request, says, "mem", "a MIG job does not say how much memory it takes", _MEMORY)
        return
    memory = memory_of(request, option)
    if memory is None:
        yield unknown(option, f"how much memory {option.written} is can't be read")
        return
    if not memory or (memory > max(MOST_MEMORY, job.slices.memory) and not is_large(says)):
        yield fail(
            option,
            "a MIG job asks for more than 16G of memory",
            is_=f"{memory / 1024:g}G" if memory else "all memory of a node (0)",
            should="--mem=16G, or less",
            related=[_mig(says)],
            cause=f"{_USUAL}: {_MEMORY}",
        )


def _absent(request: SlurmRequest, says: Option, name: str, message: str, cause: str) -> Draft:
    dead = request.dead(name)
    place = dead.place if dead is not None else says.place
    is_ = f"{dead.written}, behind the first command: Slurm does not read it there" if dead is not None else "nothing"
    should = "--cpus-per-task=1" if name == "cpus-per-task" else "--mem=16G"
    related = [_mig(says)] if place != says.place else []
    why = f"the cluster derives it from the node: {cause}"
    return fail(
        Place(place.path, place.line, place.column), message, is_=is_, should=should, related=related, cause=why
    )


def _mig(says: Option) -> Related:
    return Related(says.place, f"{says.written} asks for a MIG slice")
