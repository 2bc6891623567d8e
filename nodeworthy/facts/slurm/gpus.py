"""The GPUs that a job asks for, against what the rest of it says."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from nodeworthy.boot.text import Text
from nodeworthy.facts.slurm.job import SlurmJob
from nodeworthy.facts.slurm.launch import Launch
from nodeworthy.facts.slurm.lines import Option, misspelt_options
from nodeworthy.facts.slurm.ranks import script_text, spread, unset
from nodeworthy.facts.slurm.request import GpuAsk, SlurmRequest
from nodeworthy.known.slurm import gpu_of_type, gpus_in, most_of, says_mig
from nodeworthy.patterns import pattern
from nodeworthy.records import dataclass
from nodeworthy.verdict import Known, Place

_SAYS_TYPE = pattern(r"--(?:gpu|device|accelerator)[-_](?:type|name|model)(?:=|\s+)[\"']?([\w.-]+)", re.IGNORECASE)
# How many processes of its own each launcher starts on a node, and vLLM how many GPUs it takes.
_PER_NODE = {
    "torchrun": ("nproc_per_node",),
    "torch.distributed.launch": ("nproc_per_node",),
    "deepspeed": ("num_gpus",),
    "vllm": ("tensor_parallel_size", "tp"),
}
_OF_LIGHTNING = pattern(r"(?<!\S)(?:--|\+{0,2})trainer\.(devices|gpus)[= ]([0-9]{1,4})(?!\S)")
_ON_NO_GPU = pattern(r"accelerator[= ](?:cpu|tpu|mps)|fast_dev_run[= ]true", re.IGNORECASE)
# These start one process for a GPU.
_ONE_A_GPU = ("torchrun", "torch.distributed.launch")


@dataclass(frozen=True, slots=True)
class GpuNamedElsewhere:
    """Where something else than the request names a GPU."""

    gpus: tuple[str, ...]
    written: str
    place: Place


def gpu_named_by(request: SlurmRequest, name: str) -> GpuNamedElsewhere | None:
    option = request.option(name)
    if option is None or (name == "constraint" and re.search(r"[!*]", request.shown(name))):
        return None
    found = tuple(dict.fromkeys(gpu for word in request.named(name) for gpu in gpus_in(word)))
    # A list of partitions of which one names none may lead anywhere.
    unsure = name == "partition" and any(not gpus_in(word) for word in request.named(name))
    return GpuNamedElsewhere(found, option.written, option.place) if found and not unsure else None


# Where somebody asks for GPUs, or says how others should.
_ASKED_ANYWHERE = pattern(r"--g(?:res|pus)\b|--gpus-per|--tres-per|\bSBATCH_G(?:RES|PUS)|(?<![\w-])-G[ =]?\d")


def none_asked_for(job: SlurmJob) -> GpuNamedElsewhere | None:
    """A constraint that only nodes with certain GPUs meet, of a job that asks for none, wherever one looks in it."""
    if len(job.requests) > 1 or job.request.option("exclusive") is not None or _ASKED_ANYWHERE.search(job.text):
        return None
    said = gpu_named_by(job.request, "constraint")
    all_of = re.split(r"&(?![^()]*\))", job.request.shown("constraint"))
    words = (re.findall(r"[\w.+-]+", each) for each in all_of)
    return said if any(each and all(map(gpus_in, each)) for each in words) else None


def same(one: str, other: str) -> bool:
    """Whether both may be the same, by names that clusters shorten: RTX6000 may be any of three."""
    first, second = (re.sub(r"[^a-z0-9]|quadro|ada", "", each.lower()) for each in (one, other))
    return first.rstrip("sgx") == second.rstrip("sgx")


def type_of(ask: GpuAsk) -> str | None:
    return gpu_of_type(ask.type) if ask.type is not None else None


def apart(request: SlurmRequest) -> Iterator[tuple[GpuAsk, GpuAsk]]:
    """Two options that ask for GPUs of two types: Slurm adds them up. A list in one option may well mean both."""
    typed = [each for each in request.gpus if type_of(each) is not None]
    for index, later in enumerate(typed):
        for first in typed[:index]:
            one, other = type_of(first), type_of(later)
            if first.option.name != later.option.name and one and other and not same(one, other):
                yield first, later
                return


def said_by_script(job: SlurmJob) -> GpuNamedElsewhere | None:
    """What a launch's own arguments, or the job's name, call the GPU that it is for."""
    for launch in job.launches if job.is_shell else ():
        found = _SAYS_TYPE.search(launch.said)
        if found is not None and (gpus := gpus_in(found[1])):
            return GpuNamedElsewhere(gpus, found[0], launch.place)
    return gpu_named_by(job.request, "job-name")


@dataclass(frozen=True, slots=True)
class TooMany:
    launch: Launch
    wanted: int
    has: int
    written: str


def beyond(job: SlurmJob) -> Iterator[TooMany]:
    """Launchers that start more processes on a node than the job has GPUs there."""
    for launch in job.python_launches:
        if job.request.gpus_per_node is None or "cpu" in launch.options:
            continue
        where = spread(job, launch)
        yield from _beyond(job, launch, 1 if where.only_first else where.nodes)


def _beyond(job: SlurmJob, launch: Launch, nodes: int) -> Iterator[TooMany]:
    has = _has(job, launch)
    for name in _PER_NODE.get(launch.program, ()):
        wanted = job.known(launch.option(name))
        if wanted is not None and wanted > has and not (launch.program == "vllm" and job.request.nodes > 1):
            yield TooMany(launch, wanted, has, f"--{name}={wanted}")
    if launch.program == "python" and (told := _told_of_devices(launch)) is not None and int(told[2]) > has:
        yield TooMany(launch, int(told[2]), has, told[0])
    if launch.program == "accelerate":
        wanted, machines = job.known(launch.option("num_processes")), job.known(launch.option("num_machines"))
        if wanted is not None and wanted > has * max(nodes, machines or 1):
            yield TooMany(launch, wanted, has * max(nodes, machines or 1), f"--num_processes={wanted}")


# What hands a container the host's driver and devices, wherever it is written.
_HANDS_OVER = pattern(
    r"--(?:nv|nvccli|rocm|gpus)\b|(?:APPTAINER|SINGULARITY)_(?:NV|NVCCLI|ROCM)\b|nvidia-container-cli"
)
_SHUT = pattern(r"(?<![\w-])(?:apptainer|singularity)\s")
_OTHERS = pattern(r"\b(?:docker|podman|enroot|shifter|ch-run|container-image)\b")


def shut_out(job: SlurmJob) -> Launch | None:
    """The first Python of a job all of whose Python runs in containers that see no GPU of the host."""
    if job.walked.sourced or _HANDS_OVER.search(job.text) or not _SHUT.search(job.text) or _OTHERS.search(job.text):
        return None
    all_shut = all(each.in_container for each in job.python_launches)
    return job.python_launches[-1] if all_shut and job.python_launches else None


def _told_of_devices(launch: Launch) -> re.Match[str] | None:
    """`trainer.devices=4`, as Lightning's trainers are told by Hydra and by its own command line."""
    said = " ".join(each.shown() for each in launch.arguments)
    return _OF_LIGHTNING.search(said) if not _ON_NO_GPU.search(said) else None


def _has(job: SlurmJob, launch: Launch) -> int:
    """The GPUs on a node; a step may ask for fewer than its job has, or for more in its own options."""
    step = launch.step.options if launch.step is not None else {}
    own = [step.get(name) for name in ("gres", "gpus_per_node", "gpus", "gpus_per_task")]
    counts = [int(found[1]) for each in own if each is not None and (found := re.search(r"(\d+)$", each.shown()))]
    return max([*counts, job.request.gpus_per_node or 0])


@dataclass(frozen=True, slots=True)
class Chosen:
    """`CUDA_VISIBLE_DEVICES=0,1` set by hand."""

    place: Place
    devices: str
    count: int


def chosen_gpus(job: SlurmJob) -> Iterator[Chosen]:
    """The GPUs that the batch step chooses. In a step of its own Slurm sets the variable anew, whatever the batch shell
    exported."""
    for launch in job.launches:
        if launch.step is not None:
            continue
        value = launch.environment.get("CUDA_VISIBLE_DEVICES")
        known = value.known if value is not None else None
        if known and re.fullmatch(r"\d+(,\d+)*", known):
            yield Chosen(launch.place, known, len(known.split(",")))
            return


@dataclass(frozen=True, slots=True)
class Empty:
    """`--nproc_per_node=$SLURM_GPUS` in a job that Slurm gives no such variable."""

    launch: Launch
    variable: str
    # As it is written: `--nproc_per_node=$SLURM_GPUS`.
    written: str
    # The option for which Slurm would set it.
    option: str

    @property
    def asked_before(self) -> Place | None:
        """The place where the script asks for the variable before it starts anything; None if it does not."""
        asked = (each.question for each in self.launch.ran.guard)
        return next((each.place for each in asked if re.search(rf"\b{self.variable}\b", each.text)), None)


def empty_counts(job: SlurmJob) -> list[Empty]:
    """Each launch's first. Where the script looks first, and starts another one instead, it has seen to it."""
    if not job.request.empty:
        return []
    found = [(launch, _empty_count(job, launch)) for launch in job.launches]
    others = any(each is None and launch.is_python for launch, each in found)
    return [each for _, each in found if each is not None and not (others and each.asked_before)]


def _empty_count(job: SlurmJob, launch: Launch) -> Empty | None:
    options = (*launch.options.items(), *(launch.step.options.items() if launch.step is not None else ()))
    for name, value in options:
        variable = unset(launch, value) if len(value.pieces) == 1 else None
        if variable is not None and variable in job.request.empty:
            return Empty(launch, variable, f"--{name}={value.shown()}", job.request.empty[variable])
    return None


_ASKS_FOR_GPUS = ("gres", "gpus", "gpus-per-node", "gpus-per-task")


def misspelt_requests(job: SlurmJob) -> list[tuple[str, Option]]:
    """Requests for GPUs that Slurm takes for comments, in a job that has no other."""
    if any(request.gpus for request in job.requests):
        return []
    almost = misspelt_options(job.text, job.place)
    return [each for each in almost if each[1].name in _ASKS_FOR_GPUS and _is_of_gpus(each[1])]


def _is_of_gpus(option: Option) -> bool:
    return option.name != "gres" or "gpu" in option.written


@dataclass(frozen=True, slots=True)
class TooFew:
    launch: Launch
    wanted: int
    has: int


def idle_gpus(job: SlurmJob) -> TooFew | None:
    """The one launcher of a job starts fewer processes on a node than the job has GPUs there. Others beside it, tasks
    that share the node, or devices that somebody chose may well use the rest."""
    asked = _gpus_of_a_node(job.request)
    if asked is None or len(job.launches) != 1 or any("cpu" in each.options for each in job.launches):
        return None
    launch = job.launches[0]
    counted = job.known(launch.option("nproc_per_node")) if launch.program in _ONE_A_GPU else None
    step = launch.step.options if launch.step is not None else {}
    if counted is None or any(each in step for each in ("gres", "gpus", "gpus_per_node", "gpus_per_task")):
        return None
    if "CUDA_VISIBLE_DEVICES" in launch.environment or spread(job, launch).per_node != 1:
        return None
    return TooFew(launch, counted, asked) if 1 < counted < asked else None


@dataclass(frozen=True, slots=True)
class OneOfMany:
    launch: Launch
    tasks: int
    # It reads from Slurm how many others there are, and waits for them.
    waits: bool


_RANKS_OF_SLURM = pattern(r"SLURM_(?:PROCID|NTASKS)\b")
_SHARES_THE_WORK = pattern(r"-\S*(?:deepspeed|fsdp|ddp)(?![a-z])", re.IGNORECASE)
_STARTS_OTHERS = pattern(r"\bspawn\b|\bsubprocess\b|multiprocessing")


def one_of_many(job: SlurmJob) -> OneOfMany | None:
    """A job that asks for as many tasks as GPUs, and starts its one program by itself, as a single process. A program
    that does not divide its work among ranks may well use all of the GPUs."""
    request, asked = job.request, _gpus_of_a_node(job.request)
    if asked is None or request.nodes != 1 or not 1 < request.tasks == asked or len(job.launches) != 1:
        return None
    launch = job.launches[0]
    text = script_text(job, launch) or ""
    if launch.program != "python" or launch.step is not None or launch.inline or launch.ran.in_loop:
        return None
    if launch.ran.background or _STARTS_OTHERS.search(text) or _STARTS_OTHERS.search(launch.said):
        return None
    waits = _RANKS_OF_SLURM.search(text) is not None
    return OneOfMany(launch, asked, waits) if waits or _SHARES_THE_WORK.search(launch.said) else None


# How a program takes the GPU of its rank, and how it takes care that there is one.
_BY_LOCAL_RANK = pattern(
    r"(?i)\bset_device\(\s{0,4}(?:[\"']cuda:|f[\"']cuda:\{)?(?:args\.|self\.)?local_?rank\b|[\"']cuda:\{(?:args\.|self\.)?local_?rank\}"
)
_COUNTS_ITS_DEVICES = pattern(r"device_count\(|CUDA_VISIBLE_DEVICES")


@dataclass(frozen=True, slots=True)
class OneEach:
    """Tasks of which each sees one GPU, as 0, and that take theirs by their number on the node."""

    launch: Launch
    written: str
    place: Place
    tasks: int


def one_gpu_each(job: SlurmJob) -> OneEach | None:
    for launch in job.launches:
        step = launch.step
        if launch.program != "python" or step is None or step.program != "srun" or "CUDA_VISIBLE_DEVICES" in job.text:
            continue
        bound = _bound_by(job, step.options)
        text = script_text(job, launch) if bound is not None else None
        if bound is None or text is None or not _BY_LOCAL_RANK.search(text) or _COUNTS_ITS_DEVICES.search(text):
            continue
        if (tasks := spread(job, launch).per_node) > 1:
            return OneEach(launch, bound.written, bound.place, tasks)
    return None


def _bound_by(job: SlurmJob, step: Mapping[str, Text]) -> Option | None:
    """`--gpus-per-task=1`, which binds each task to its own GPU unless somebody says otherwise; None where not."""
    option = job.request.option("gpus-per-task")
    if option is None or any(name in step for name in ("gpu_bind", "gpus_per_task", "gpus", "gres", "tres_bind")):
        return None
    if job.request.option("gpu-bind", "tres-bind") is not None:
        return None
    asked = option.value.state.value if isinstance(option.value.state, Known) else ""
    return option if asked.rpartition(":")[2] == "1" else None


def _gpus_of_a_node(request: SlurmRequest) -> int | None:
    """The whole GPUs of one request that a node may have; how Slurm adds several requests up is not known here."""
    if len(request.gpus) != 1 or request.gpus[0].per != "node" or says_mig(request.gpus[0].type or ""):
        return None
    asked = request.gpus[0]
    return asked.count if asked.count <= most_of(type_of(asked)) else None


def dead_requests(request: SlurmRequest) -> Iterator[Option]:
    for name in _ASKS_FOR_GPUS:
        dead = request.dead(name)
        if dead is not None and not request.gpus:
            yield dead
