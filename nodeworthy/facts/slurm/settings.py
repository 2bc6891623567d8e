"""What the programs of a job find set in their environment, and what of it is wrong."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from itertools import pairwise

from nodeworthy.boot.text import Text
from nodeworthy.facts.slurm.job import SlurmJob
from nodeworthy.facts.slurm.launch import Launch
from nodeworthy.facts.slurm.ran import path_in_words
from nodeworthy.facts.slurm.ranks import script_text, spread
from nodeworthy.facts.slurm.walk import KNOWN
from nodeworthy.known.slurm import has_own_pool, sets_threads
from nodeworthy.patterns import pattern
from nodeworthy.records import dataclass
from nodeworthy.verdict import Place

# Where a setting that is missing belongs.


def place_for(job: SlurmJob, launch: Launch) -> Place:
    """The last export above the launch that is made on the launch's own way; the launch itself where there is none."""
    before = [each.place for each in job.walked.exports if each.guard == launch.ran.guard[: len(each.guard)]]
    above = [each for each in before if each.path == launch.place.path and each.row < launch.place.row]
    return max(above, key=lambda each: each.row, default=launch.place)


# Where a job's programs keep their caches: each has a variable of its own, and `~/.cache` without it.

_HOME = pattern(r"(?:\$\{?HOME\}?|~[\w.-]*|/root|/home\d?/|/users?/|/u/)(?:/|$|\w)", re.IGNORECASE)
# `~/scratch`, `~/projects/def-…`: what a site links there from its large disks, where a home has no quota to fill.
_LINKED = pattern(r"(?i)/[\w.-]{0,20}(?:scratch|lustre|gpfs|nobackup)|/projects?/(?:def|rrg|rpp|ctb)-")
# Modules that load models from the Hub.
_LOADERS = ("vllm", "transformers", "lm_eval", "trl", "axolotl", "sglang")
_MODELS = ("model", "model_name_or_path", "model_path", "pretrained_model_name_or_path", "base_model")
# A name on the Hub, and no folder: `org/name`.
_ON_THE_HUB = pattern(r"(?!(?:models?|checkpoints?|ckpts?|outputs?|data|weights|results|runs|exp\w*)/)"
                      r"[A-Za-z0-9][\w.-]*/[\w.-]+")  # fmt: skip
_OFFLINE = ("HF_HUB_OFFLINE", "TRANSFORMERS_OFFLINE")


@dataclass(frozen=True, slots=True)
class Cache:
    called: str
    # The variables that move it, the usual one first.
    variables: tuple[str, ...]
    holds: str


VLLM = Cache("vLLM", ("VLLM_CACHE_ROOT", "XDG_CACHE_HOME"), "~/.cache/vllm")
HUGGING_FACE = Cache(
    "Hugging Face", ("HF_HOME", "HF_HUB_CACHE", "HUGGINGFACE_HUB_CACHE", "TRANSFORMERS_CACHE", "XDG_CACHE_HOME"),
    "~/.cache/huggingface",
)  # fmt: skip


def used_caches(launch: Launch) -> Iterator[Cache]:
    """The caches that this command is known to fill."""
    if launch.program == "vllm":
        yield VLLM
    if not any(name in launch.environment for name in _OFFLINE) and _loads(launch):
        yield HUGGING_FACE


def _loads(launch: Launch) -> bool:
    """Whether it gets a model from the Hub, and puts it where the cache is."""
    if "download_dir" in launch.options:
        return False
    words = [each.known for each in launch.arguments]
    # `vllm serve NAME`; a module's own options stand among its arguments.
    named = [words[1]] if launch.program == "vllm" and words[:1] == ["serve"] and len(words) > 1 else []
    pairs = [*pairwise(words), *(each.split("=", 1) for each in words if each and "=" in each)]
    named += [value for name, value in pairs if name and name.lstrip("-").replace("-", "_") in _MODELS]
    if launch.program == "vllm" or launch.module.partition(".")[0] in _LOADERS:
        return any(each is not None and not each.startswith(("/", ".", "~", "$")) for each in named)
    return any(each is not None and _ON_THE_HUB.fullmatch(each) for each in named)


def variables_in_home(environment: Mapping[str, Text], names: Sequence[str] = KNOWN) -> Iterator[tuple[str, Text]]:
    """The variables that point into the home folder, and what they say."""
    for name in names:
        value = environment.get(name)
        if value is not None and is_home(value):
            yield name, value


def is_home(value: Text) -> bool:
    return _HOME.match(value.shown()) is not None and _LINKED.search(value.shown()) is None


def is_moved(cache: Cache, environment: Mapping[str, Text]) -> bool:
    """Whether somebody says where it is; a home folder that was moved moves it, too."""
    home = environment.get("HOME")
    moved_home = home is not None and home.shown() != "$HOME" and not is_home(home)
    return moved_home or any(environment.get(name) for name in cache.variables)


# How many threads what a job runs would start, and whether somebody else has seen to that.

# Programs that see to it themselves.
_BY_ITSELF = pattern(r"OMP_NUM_THREADS|set_num_threads|threadpool_limits")
_IMPORTED = pattern(r"^\s*(?:import|from)\s+(\w+)", re.MULTILINE)
_CPUS = ("cpus-per-task", "cpus-per-gpu", "mincpus", "cores-per-socket", "threads-per-core")


@dataclass(frozen=True, slots=True)
class TooMany:
    """Several processes, each of which would start a thread for every CPU that it sees."""

    why: str
    # What each of them may have.
    share: str


def too_many(job: SlurmJob, launch: Launch) -> TooMany | None:
    """None where a launcher or Slurm sees to it."""
    if launch.inline or started_by_launcher(job, launch) or _sees_to_it(job, launch):
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


def _sees_to_it(job: SlurmJob, launch: Launch) -> bool:
    text = script_text(job, launch) or ""
    imports = {each[1] for each in _IMPORTED.finditer(text)}
    has_pool = has_own_pool(launch.module) or (any(map(has_own_pool, imports)) and "torch" not in imports)
    return has_pool or _BY_ITSELF.search(text) is not None


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


# Whether what a job runs has to do with Hugging Face's tokenizers, and by what sign.

VARIABLE = "TOKENIZERS_PARALLELISM"
_LIBRARIES = r"(?:transformers|tokenizers|trl|vllm)"
_IMPORTS = pattern(rf"^\s*(?:import|from)\s+({_LIBRARIES})\b")
# Without a fork nobody warns.
_FORKING = pattern(r"DataLoader|num_workers|num_proc|Trainer|multiprocessing|concurrent|joblib|vllm|\.map\(|fork")
# In words for people, and where they are installed; no part of a path or of another name.
_SPOKEN = pattern(rf"(?<![\w./@-])({_LIBRARIES})(?![\w/-]|\.\w)")
_INSTALLS = pattern(r"\b(?:pip3?|conda|mamba|uv)\b.*\binstall\b")


def sign(job: SlurmJob, launch: Launch) -> str | None:
    """None where there is none, or where the program sets the variable itself."""
    module = launch.module.partition(".")[0]
    if launch.program == "vllm" or module in ("transformers", "tokenizers", "trl", "vllm"):
        return f"it runs {module or launch.program}"
    text = script_text(job, launch)
    if text is not None:
        return _in_script(text, launch)
    if launch.script is None or launch.script.known is None:
        return None
    spoken = _spoken_of(job.text)
    return f"the job itself speaks of {spoken}" if spoken is not None else None


def _in_script(text: str, launch: Launch) -> str | None:
    if VARIABLE in text or "okeniz" not in text or not _FORKING.search(text):
        return None
    found = next(filter(None, map(_IMPORTS.match, text.splitlines())), None)
    name = launch.script.shown().rsplit("/", 1)[-1] if launch.script is not None else "it"
    return f"{name} imports {found[1]}" if found is not None else None


@lru_cache(maxsize=8)
def _spoken_of(text: str) -> str | None:
    """Asked for each of a job's launches."""
    return next(filter(None, map(_spoken, text.splitlines())), None)


def _spoken(line: str) -> str | None:
    """The setting that a comment speaks of, or a line that installs what has it."""
    if line.startswith(("#SBATCH", "#!")):
        return None
    text = line.partition("#")[2] if "#" in line and not _INSTALLS.search(line) else line
    if text is line and not _INSTALLS.search(line):
        return None
    found = _SPOKEN.search(text)
    return found[1] if found is not None else None


THREADS = "OMP_NUM_THREADS"
_OF_THE_CPUS = {"$SLURM_CPUS_PER_TASK": ("cpus-per-task",), "$SLURM_CPUS_PER_GPU": ("cpus-per-gpu",)}
_FILLS = "models and compiled kernels fill the home folder's quota"
_FORKS = "every worker that forks warns about its tokenizer, and may hang"
# `module load model-huggingface/all  # sets HF_HOME`.
_SPEAKS_OF_CACHES = pattern(r"\bmodule\s+load\b.*hugging|^\s*#.*\b(?:HF_HOME|VLLM_CACHE_ROOT)\b", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class SettingFault:
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


def faults(job: SlurmJob) -> list[SettingFault]:
    """One for each setting, of the first launch that it is wrong for."""
    found: dict[tuple[str, bool], SettingFault] = {}
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
    """The environment with what `--export=ALL,NAME=value` brings: srun's own, or the job's."""
    step = launch.step.options.get("export") if launch.step is not None else None
    brought = f"{job.request.shown('export')},{step.shown() if step is not None else ''}"
    pairs = (each.partition("=") for each in brought.split(",") if "=" in each)
    own = {name: Text.of(value) for name, _, value in pairs}
    return {**launch.environment, **own} if own else launch.environment


def _threads(job: SlurmJob, launch: Launch, environment: Mapping[str, Text]) -> Iterator[SettingFault]:
    value = environment.get(THREADS)
    if value is None:
        yield from _no_threads(job, launch)
        return
    why = _is_empty(job, value)
    if why is not None:
        should = f"#SBATCH --cpus-per-task=…, or export {THREADS}=${{SLURM_CPUS_PER_TASK:-1}}"
        message, cause = f"{THREADS} is set to nothing", "every process starts a thread for each CPU that it sees"
        at = launch.ran.places.get(THREADS, launch.place)
        is_, new = f"{THREADS}={value.shown()}{why}", "${SLURM_CPUS_PER_TASK:-1}"
        yield SettingFault(THREADS, launch, message, is_, new, cause, at, should=should)


def _no_threads(job: SlurmJob, launch: Launch) -> Iterator[SettingFault]:
    kept = launch.ran.kept.get(THREADS)
    if kept is not None:
        cause = "every process starts a thread for each CPU that it sees"
        if started_by_launcher(job, launch):
            cause = f"{launch.program} sets 1 where it finds nothing"
        yield _set_and_not_exported(THREADS, launch, kept, cause)
        return
    found = too_many(job, launch)
    if found is not None:
        message, cause = (
            f"{THREADS} is not set for what this job runs",
            f"{found.why}, starts a thread for each of them",
        )
        yield SettingFault(THREADS, launch, message, "not set", found.share, cause, missing=True)


def _is_empty(job: SlurmJob, value: Text) -> str | None:
    if value.known is not None:
        return "" if value.known == "" else None
    name = value.shown().replace("{", "").replace("}", "")
    options = _OF_THE_CPUS.get(name)
    if options is None or job.request.option(*options) is not None:
        return None
    return f", and Slurm sets no {name} for a job that asks for no --{options[0]}"


def _tokenizers(job: SlurmJob, launch: Launch, environment: Mapping[str, Text]) -> Iterator[SettingFault]:
    if VARIABLE in environment:
        return
    kept = launch.ran.kept.get(VARIABLE)
    if kept is not None:
        yield _set_and_not_exported(VARIABLE, launch, kept, _FORKS)
        return
    why = sign(job, launch)
    if why is not None:
        message = f"{VARIABLE} is not set for what this job runs"
        yield SettingFault(VARIABLE, launch, message, f"not set: {why}", "false", _FORKS, missing=True)


def _set_and_not_exported(name: str, launch: Launch, place: Place, cause: str) -> SettingFault:
    message = f"{name} is not set for what this job runs"
    is_ = "set, and not exported: what is started does not see it"
    return SettingFault(name, launch, message, is_, "", cause, place, should=f"export {name}")


def _caches(job: SlurmJob, launch: Launch, environment: Mapping[str, Text]) -> Iterator[SettingFault]:
    for name, value in variables_in_home(environment):
        # A container brings its own /root; Apptainer brings everybody's own home.
        if not (launch.in_container and (launch.has_own_home or value.shown().startswith("/root"))):
            yield SettingFault(name, launch, f"{name} points into the home folder", f"{name}={path_in_words(value)}",
                        _elsewhere(name), _FILLS, launch.ran.places.get(name, launch.place))  # fmt: skip
    if launch.in_container:
        return
    for cache in used_caches(launch):
        misled = cache is VLLM and "VLLM_CACHE_DIR" in environment
        # A file that was not read, or the user's own profile, may well say where it is: no word for each of them.
        hidden = job.walked.personal or bool(job.walked.sourced) or _SPEAKS_OF_CACHES.search(job.text) is not None
        if not is_moved(cache, environment) and (misled or not hidden):
            yield _at_home(launch, cache, misled=misled)


def _at_home(launch: Launch, cache: Cache, *, misled: bool) -> SettingFault:
    name = cache.variables[0]
    message = f"{cache.called} keeps its cache in the home folder"
    if not misled:
        return SettingFault(name, launch, message, cache.holds, _elsewhere(name), _FILLS, missing=True)
    is_ = f"{cache.holds}: VLLM_CACHE_DIR is set, which vLLM does not read"
    return SettingFault(name, launch, message, is_, _elsewhere(name), _FILLS, launch.ran.places.get("VLLM_CACHE_DIR"))


def _elsewhere(name: str) -> str:
    folders = {HUGGING_FACE.variables[0]: "hf", VLLM.variables[0]: "vllm", "XDG_CACHE_HOME": "cache"}
    return f"$SCRATCH/{folders.get(name, name.partition('_')[0].lower())}"


# What a program asks for, and the job keeps to itself.

_ASKS_FOR = pattern(r"environ\[\s{0,4}[\"'](\w{1,60})[\"']\s{0,4}\](?!\s{0,4}=(?!=))", words=("environ[",))
_EXPORTS_ALL = pattern(r"(?m)^\s*set\s+-\w*a|allexport", words=("set", "allexport"))


@dataclass(frozen=True, slots=True)
class KeptFromProgram:
    launch: Launch
    # Where each is set.
    names: Mapping[str, Place]
    # Whoever submits the job may hand one over, and it is exported then: `OUT=${OUT:-/scratch}`.
    may_be_given: bool


def kept_from_programs(job: SlurmJob) -> KeptFromProgram | None:
    """The first program of which one knows that it can't do without a variable that the job sets above it and does not
    export."""
    if _EXPORTS_ALL.search(job.text):
        return None
    places = job.walked.places
    for launch in job.launches:
        text = script_text(job, launch) if launch.program == "python" else None
        names = dict.fromkeys(_ASKS_FOR.findall(text)) if text is not None else ()
        set_above = {each: places[each] for each in names if each in places and places[each].row < launch.place.row}
        told = {
            name: place
            for name, place in set_above.items()
            if name not in launch.environment and text is not None and not _is_given(text, name)
        }
        if told:
            return KeptFromProgram(launch, told, any(f"${{{each}:" in job.text for each in told))
    return None


def _is_given(text: str, name: str) -> bool:
    """Whether the program itself gives it a value, or looks whether there is one."""
    quoted = (f"'{name}'", f'"{name}"')
    marks = ("setdefault({}", "{} in os.environ", "environ[{}] =")
    return any(mark.format(each) in text for each in quoted for mark in marks)
