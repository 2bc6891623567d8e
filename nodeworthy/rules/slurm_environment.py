"""OMP_NUM_THREADS and TOKENIZERS_PARALLELISM are set; caches are on scratch, not in $HOME.

A Slurm job sees all CPUs of its node and may use few of them: without `OMP_NUM_THREADS` every process starts a thread
for each CPU that it sees. Without `TOKENIZERS_PARALLELISM` every worker of a data loader warns about its fork, and may
hang. Models and compiled kernels are gigabytes; without a variable that says otherwise vLLM, Hugging Face and Triton
keep them under `~/.cache`, where the quota of a home folder ends the job, and that of everybody else of this user.

What is set has to be exported. `$SLURM_CPUS_PER_TASK` is set only where the job asks for `--cpus-per-task`. Looked at
are jobs with GPUs that run Python; vLLM reads `VLLM_CACHE_ROOT`, and knows no `VLLM_CACHE_DIR`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from nodeworthy.boot.text import Text
from nodeworthy.facts.slurm.caches import VLLM, Cache, in_home, is_moved, used
from nodeworthy.facts.slurm.job import SlurmJob
from nodeworthy.facts.slurm.launch import Launch
from nodeworthy.rule import Rule
from nodeworthy.verdict import Finding, Findings, Severity, fail, skip, unknown

RULE = Rule(
    "slurm-environment",
    severity=Severity.WARNING,
    incident="E",
    title="OMP_NUM_THREADS and TOKENIZERS_PARALLELISM are set, caches are not in $HOME",
    remedy='above the launch: export OMP_NUM_THREADS="${SLURM_CPUS_PER_TASK:-1}"; export TOKENIZERS_PARALLELISM=false; '
    'export HF_HOME="$SCRATCH/hf" VLLM_CACHE_ROOT="$SCRATCH/vllm"',
)

_NEEDED = {
    "OMP_NUM_THREADS": ("$SLURM_CPUS_PER_TASK", "every process starts a thread for each CPU of the node"),
    "TOKENIZERS_PARALLELISM": ("false", "every worker that forks warns about its tokenizer, and may hang"),
}


@RULE.check
def what_runs_finds_its_settings(job: SlurmJob) -> Findings:
    launches = job.python_launches
    if not launches:
        skip("it runs no Python that could be seen")
    if not any(
        request.option("gres", "gpus", "gpus-per-node", "gpus-per-task") for request in job.requests
    ) and not any(launch.is_distributed or launch.program == "vllm" for launch in launches):
        skip("it asks for no GPUs")
    first = launches[0]
    for name in _NEEDED:
        yield from _is_set(job, first, name)
    told: set[str] = set()
    for launch in launches:
        for found in _caches(job, launch, _environment(job, launch)):
            if found.message not in told:
                told.add(found.message)
                yield found


def _environment(job: SlurmJob, launch: Launch) -> Mapping[str, Text]:
    """With what `--export=ALL,NAME=value` brings: srun's own, or the job's."""
    step = launch.step.options.get("export") if launch.step is not None else None
    brought = f"{job.request.shown('export')},{step.shown() if step is not None else ''}"
    pairs = (each.partition("=") for each in brought.split(",") if "=" in each)
    return {**launch.environment, **{name: Text.of(value) for name, _, value in pairs}}


def _is_set(job: SlurmJob, launch: Launch, name: str) -> Iterator[Finding]:
    should, cause = _NEEDED[name]
    value = _environment(job, launch).get(name)
    empty = value is not None and (
        value.known == "" or value.shown() in ("$SLURM_CPUS_PER_TASK", "$SLURM_CPUS_PER_GPU")
    )
    if value is not None and not (empty and _is_unset(job, value)):
        return
    if value is None and job.walked.sourced:
        yield unknown(
            launch, f"whether {name} is set is not known: {job.walked.sourced[0]} may set it, and was not read"
        )
        return
    is_ = "not set"
    if value is not None:
        is_ = f"empty: {value.shown() or 'nothing'} is not set, for the job asks for no --cpus-per-task"
    elif name in launch.ran.kept:
        is_ = "set, and not exported: what is started here does not see it"
    yield fail(
        launch.place,
        f"{name} is not set for what this job runs" if value is None else f"{name} is set to nothing",
        is_=is_,
        should=f"export {name}={should}",
        cause=cause,
    )


def _is_unset(job: SlurmJob, value: Text) -> bool:
    return value.known == "" or job.request.option("cpus-per-task") is None


def _caches(job: SlurmJob, launch: Launch, environment: Mapping[str, Text]) -> Iterator[Finding]:
    for name, value in in_home(environment):
        yield fail(
            launch.place,
            f"{name} points into the home folder",
            is_=value,
            should=f"export {name}=$SCRATCH/…",
            cause="models and kernels fill the home folder's quota",
        )
    for cache in used(launch):
        if is_moved(cache, environment) or launch.in_container:
            continue
        if job.walked.sourced:
            yield unknown(
                launch, f"where {cache.called} keeps its cache is not known: {job.walked.sourced[0]} was not read"
            )
        else:
            yield _at_home(launch, cache, environment)


def _at_home(launch: Launch, cache: Cache, environment: Mapping[str, Text]) -> Finding:
    misled = cache is VLLM and "VLLM_CACHE_DIR" in environment
    return fail(
        launch.place,
        f"{cache.called} keeps its cache in the home folder",
        is_=f"{cache.holds}: VLLM_CACHE_DIR is set, which vLLM does not read" if misled else cache.holds,
        should=f"export {cache.variables[0]}=$SCRATCH/…",
        cause="models and compiled kernels fill the home folder's quota",
    )
