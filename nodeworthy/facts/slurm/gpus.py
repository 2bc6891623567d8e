"""The GPUs that a job asks for, against what the rest of it says."""

from __future__ import annotations

import re
from collections.abc import Iterator

from nodeworthy.facts.slurm.job import SlurmJob
from nodeworthy.facts.slurm.launch import Launch
from nodeworthy.facts.slurm.lines import Option
from nodeworthy.facts.slurm.ranks import spread, unset
from nodeworthy.facts.slurm.request import GpuAsk, SlurmRequest
from nodeworthy.known.slurm import gpu_of_type, gpus_in
from nodeworthy.patterns import pattern
from nodeworthy.records import dataclass
from nodeworthy.verdict import Place

_SAYS_TYPE = pattern(r"--(?:gpu|device|accelerator)[-_](?:type|name|model)(?:=|\s+)[\"']?([\w.-]+)", re.IGNORECASE)
# How many processes of its own each launcher starts on a node, and vLLM how many GPUs it takes.
_PER_NODE = {
    "torchrun": ("nproc_per_node",),
    "torch.distributed.launch": ("nproc_per_node",),
    "deepspeed": ("num_gpus",),
    "vllm": ("tensor_parallel_size", "tp"),
}


@dataclass(frozen=True, slots=True)
class Said:
    """Where something else than the request names a GPU."""

    gpus: tuple[str, ...]
    written: str
    place: Place


def gpu_named_by(request: SlurmRequest, name: str) -> Said | None:
    option = request.option(name)
    if option is None or (name == "constraint" and re.search(r"[!*]", request.shown(name))):
        return None
    found = tuple(dict.fromkeys(gpu for word in request.named(name) for gpu in gpus_in(word)))
    # A list of partitions of which one names none may lead anywhere.
    unsure = name == "partition" and any(not gpus_in(word) for word in request.named(name))
    return Said(found, option.written, option.place) if found and not unsure else None


def same(one: str, other: str) -> bool:
    """By names that clusters shorten: RTX6000 may be any of three."""
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


def said_by_script(job: SlurmJob) -> Said | None:
    """What a launch's own arguments, or the job's name, call the GPU that it is for."""
    for launch in job.launches if job.is_shell else ():
        found = _SAYS_TYPE.search(launch.said)
        if found is not None and (gpus := gpus_in(found[1])):
            return Said(gpus, found[0], launch.place)
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
    if launch.program == "accelerate":
        wanted, machines = job.known(launch.option("num_processes")), job.known(launch.option("num_machines"))
        if wanted is not None and wanted > has * max(nodes, machines or 1):
            yield TooMany(launch, wanted, has * max(nodes, machines or 1), f"--num_processes={wanted}")


def _has(job: SlurmJob, launch: Launch) -> int:
    """On a node; a step may ask for fewer than its job has, or be given more by what it says itself."""
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
    """In the batch step: of a step of its own Slurm sets the variable anew, whatever the batch shell exported."""
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
        """Where the script looks whether it is empty before it starts anything."""
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


def dead_requests(request: SlurmRequest) -> Iterator[Option]:
    for name in ("gres", "gpus", "gpus-per-node", "gpus-per-task"):
        dead = request.dead(name)
        if dead is not None and not request.gpus:
            yield dead
