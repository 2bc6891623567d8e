"""What the programs of a job find set in their environment, and what of it is wrong."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from nodeworthy.boot.text import Text
from nodeworthy.facts.slurm.caches import HUGGING_FACE, VLLM, Cache, in_home, is_moved, used
from nodeworthy.facts.slurm.job import SlurmJob
from nodeworthy.facts.slurm.launch import Launch
from nodeworthy.facts.slurm.ran import said
from nodeworthy.facts.slurm.threads import started_by_launcher, too_many
from nodeworthy.facts.slurm.tokenizers import VARIABLE as TOKENIZERS
from nodeworthy.facts.slurm.tokenizers import sign
from nodeworthy.patterns import pattern
from nodeworthy.records import dataclass
from nodeworthy.verdict import Place

THREADS = "OMP_NUM_THREADS"
_OF_THE_CPUS = {"$SLURM_CPUS_PER_TASK": ("cpus-per-task",), "$SLURM_CPUS_PER_GPU": ("cpus-per-gpu",)}
_FILLS = "models and compiled kernels fill the home folder's quota"
_FORKS = "every worker that forks warns about its tokenizer, and may hang"
# `module load model-huggingface/all  # sets HF_HOME`.
_SPEAKS_OF_CACHES = pattern(r"\bmodule\s+load\b.*hugging|^\s*#.*\b(?:HF_HOME|VLLM_CACHE_ROOT)\b", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Fault:
    name: str
    launch: Launch
    message: str
    is_: str
    # What to write, behind `export`; "" where that is not what helps.
    value: str
    cause: str
    # Where it is set to what is wrong; None where nobody sets it.
    place: Place | None = None
    # It is not there: a file that was sourced and not read may set it.
    missing: bool = False
    should: str = ""


def faults(job: SlurmJob) -> list[Fault]:
    """One for each setting, of the first launch that it is wrong for."""
    found: dict[tuple[str, bool], Fault] = {}
    for launch in job.python_launches or _whatever_runs(job):
        environment = _environment(job, launch)
        for fault in (*_threads(job, launch, environment), *_tokenizers(job, launch, environment),
                      *_caches(job, launch, environment)):  # fmt: skip
            found.setdefault((fault.name, fault.missing), fault)
    return sorted(found.values(), key=lambda each: each.missing)


def _whatever_runs(job: SlurmJob) -> list[Launch]:
    """Where no Python is seen (`lm_eval`, a program of somebody's own): the last command, with all that is exported."""
    own = [each for each in job.walked.ran if each.places]
    return [Launch(own[-1], "", None, own[-1].environment)] if own else []


def _environment(job: SlurmJob, launch: Launch) -> Mapping[str, Text]:
    """With what `--export=ALL,NAME=value` brings: srun's own, or the job's."""
    step = launch.step.options.get("export") if launch.step is not None else None
    brought = f"{job.request.shown('export')},{step.shown() if step is not None else ''}"
    pairs = (each.partition("=") for each in brought.split(",") if "=" in each)
    own = {name: Text.of(value) for name, _, value in pairs}
    return {**launch.environment, **own} if own else launch.environment


def _threads(job: SlurmJob, launch: Launch, environment: Mapping[str, Text]) -> Iterator[Fault]:
    value = environment.get(THREADS)
    if value is None:
        yield from _no_threads(job, launch)
        return
    why = _is_empty(job, value)
    if why is not None:
        should = f"#SBATCH --cpus-per-task=…, or export {THREADS}=${{SLURM_CPUS_PER_TASK:-1}}"
        message, cause = f"{THREADS} is set to nothing", "every process starts a thread for each CPU that it sees"
        yield Fault(THREADS, launch, message, f"{THREADS}={value.shown()}{why}", "${SLURM_CPUS_PER_TASK:-1}", cause,
                    launch.ran.places.get(THREADS, launch.place), should=should)  # fmt: skip


def _no_threads(job: SlurmJob, launch: Launch) -> Iterator[Fault]:
    kept = launch.ran.kept.get(THREADS)
    if kept is not None:
        cause = "every process starts a thread for each CPU that it sees"
        if started_by_launcher(job, launch):
            cause = f"{launch.program} sets 1 where it finds nothing"
        yield _kept(THREADS, launch, kept, cause)
        return
    found = too_many(job, launch)
    if found is not None:
        message, cause = (
            f"{THREADS} is not set for what this job runs",
            f"{found.why}, starts a thread for each of them",
        )
        yield Fault(THREADS, launch, message, "not set", found.share, cause, missing=True)


def _is_empty(job: SlurmJob, value: Text) -> str | None:
    if value.known is not None:
        return "" if value.known == "" else None
    name = value.shown().replace("{", "").replace("}", "")
    options = _OF_THE_CPUS.get(name)
    if options is None or job.request.option(*options) is not None:
        return None
    return f", and Slurm sets no {name} for a job that asks for no --{options[0]}"


def _tokenizers(job: SlurmJob, launch: Launch, environment: Mapping[str, Text]) -> Iterator[Fault]:
    if TOKENIZERS in environment:
        return
    kept = launch.ran.kept.get(TOKENIZERS)
    if kept is not None:
        yield _kept(TOKENIZERS, launch, kept, _FORKS)
        return
    why = sign(job, launch)
    if why is not None:
        message = f"{TOKENIZERS} is not set for what this job runs"
        yield Fault(TOKENIZERS, launch, message, f"not set: {why}", "false", _FORKS, missing=True)


def _kept(name: str, launch: Launch, place: Place, cause: str) -> Fault:
    message = f"{name} is not set for what this job runs"
    return Fault(name, launch, message, "set, and not exported: what is started does not see it", "", cause, place,
                 should=f"export {name}")  # fmt: skip


def _caches(job: SlurmJob, launch: Launch, environment: Mapping[str, Text]) -> Iterator[Fault]:
    for name, value in in_home(environment):
        # A container brings its own /root; Apptainer brings everybody's own home.
        if not (launch.in_container and (launch.has_own_home or value.shown().startswith("/root"))):
            yield Fault(name, launch, f"{name} points into the home folder", f"{name}={said(value)}",
                        _elsewhere(name), _FILLS, launch.ran.places.get(name, launch.place))  # fmt: skip
    if launch.in_container:
        return
    for cache in used(launch):
        misled = cache is VLLM and "VLLM_CACHE_DIR" in environment
        # A file that was not read, or the user's own profile, may well say where it is: no word for each of them.
        hidden = job.walked.personal or bool(job.walked.sourced) or _SPEAKS_OF_CACHES.search(job.text) is not None
        if not is_moved(cache, environment) and (misled or not hidden):
            yield _at_home(launch, cache, misled=misled)


def _at_home(launch: Launch, cache: Cache, *, misled: bool) -> Fault:
    name = cache.variables[0]
    message = f"{cache.called} keeps its cache in the home folder"
    if not misled:
        return Fault(name, launch, message, cache.holds, _elsewhere(name), _FILLS, missing=True)
    is_ = f"{cache.holds}: VLLM_CACHE_DIR is set, which vLLM does not read"
    return Fault(name, launch, message, is_, _elsewhere(name), _FILLS, launch.ran.places.get("VLLM_CACHE_DIR"))


def _elsewhere(name: str) -> str:
    folders = {HUGGING_FACE.variables[0]: "hf", VLLM.variables[0]: "vllm", "XDG_CACHE_HOME": "cache"}
    return f"$SCRATCH/{folders.get(name, name.partition('_')[0].lower())}"
