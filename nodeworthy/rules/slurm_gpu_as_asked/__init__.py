"""The GPU that was asked for is the GPU that is there.

`--gres=gpu:4` takes any four GPUs that a partition has: a job for A100s lands on what is free. `--gres=gpu:a100:4`
takes those that the cluster's configuration calls a100, which is a name and no proof: a job that asked for V100s ran
on A6000s. A type that nobody makes, one that its partition or its constraint contradicts, two types in two options
(Slurm adds them up), and more GPUs than a node can have are seen here; what the device says of itself is seen when it
runs (`nvidia-smi -L`).

Of two lines with `--constraint` sbatch takes the last, and the GPU that the first one names is not asked for: they
belong in one, with `&` between them.

A request in a line that begins almost as Slurm's do (`#SBTACH`) is a comment, and the job gets no GPU at all. Nor does
one whose `--constraint` names nodes with A100s, and that asks for none of their GPUs.

The request also has to hold what the job starts: eight processes of torchrun on four GPUs, or four devices of
`CUDA_VISIBLE_DEVICES` where one was asked for, find none (`invalid device ordinal`). Four processes on eight GPUs leave
four of them idle, which is a warning: one process may take two. So do eight tasks with eight GPUs of which only one is
started, without srun; all nodes but the first of a job that starts nothing on them (`--nodes=2`, and `python train.py`
without srun); and all GPUs of a job whose Python runs in Apptainer or Singularity without `--nv`. Slurm sets
`SLURM_GPUS` for `--gpus` only, and `SLURM_GPUS_PER_NODE` for `--gpus-per-node`: a launcher that counts by one of them
in a job with `--gres=gpu:2` is given nothing. `SLURM_GPUS_ON_NODE` is always there.

What nodes have is what `slurm.conf` says, and each node's `gres.conf` has to bear it out: slurmd finds the devices of
its `File=`, and a node with fewer than `Gres=gpu:8` promises is taken out of service; two lines that name the GPUs of
one node and neither a `File` nor a `Type` are one too many, and slurmd ends over them, as it does over a device that
two lines name; a node that no line is for has none. Slurm manages no generic resources by itself: without
`GresTypes=gpu`, or without a `Gres` on any node, every job that asks for a GPU is refused. Where one `slurm.conf` lies
in the repository of a job, its nodes are those that the job may get, and a type is what that file calls it: `a100` is
not `nvidia_a100`. A node set of Slinky's whose pods ask Kubernetes for GPUs has none for Slurm until its `extraConf`
says `Gres=`: a `gres` beside it is no field.
"""

from __future__ import annotations

from collections.abc import Sequence

from nodeworthy.facts.slurm.gpus import (
    GpuNamedElsewhere,
    OneOfMany,
    apart,
    beyond,
    chosen_gpus,
    dead_requests,
    empty_counts,
    gpu_named_by,
    idle_gpus,
    misspelt_requests,
    none_asked_for,
    one_gpu_each,
    one_of_many,
    said_by_script,
    same,
    shut_out,
    type_of,
)
from nodeworthy.facts.slurm.job import SlurmJob
from nodeworthy.facts.slurm.request import GpuAsk, SlurmRequest
from nodeworthy.known.slurm import is_plain, most_of, near, says_mig
from nodeworthy.patterns import pattern
from nodeworthy.rule import Rule
from nodeworthy.verdict import Draft, Findings, Known, Related, Severity, fail, skip, unknown

RULE = Rule(
    "slurm-gpu-as-asked",
    severity=Severity.ERROR,
    incident="E",
    title="The GPU that was asked for is the GPU that is there",
    remedy="#SBATCH --gres=gpu:TYPE:COUNT as `sinfo -o '%P %G'` spells them; `nvidia-smi -L` first of all in the job",
)

_IN = {"partition": "in a partition", "constraint": "under a constraint"}
# gpu_40g+, vram80, a100.
_NAMES_A_GPU = pattern(r"(?i)gpu|vram|\b(?:[abhlv]\d{1,3}|rtx\w+|gh?200)\b")
_NEVER = "no node ever fits: sbatch refuses it (Requested node configuration is not available), or it pends for ever"


@RULE.check
def the_request_says_which_gpus(job: SlurmJob) -> Findings:
    dead = [option for request in job.requests for option in dead_requests(request)]
    misspelt = misspelt_requests(job)
    named = none_asked_for(job) if not dead and not misspelt and not any(each.gpus for each in job.requests) else None
    if not any(request.gpus for request in job.requests) and not dead and not misspelt and named is None:
        skip("it asks for no GPUs")
    if named is not None and job.python_launches:
        yield _none_asked_for(named)
    for mark, option in misspelt:
        yield fail(
            option.place,
            f"the job gets no GPU: {mark} is a comment to Slurm",
            is_=f"{mark} {option.written}",
            should=f"#SBATCH {option.written}",
            cause="sbatch reads the lines that begin with #SBATCH, and no others",
            remedy="write #SBATCH",
        )
    for option in dead:
        yield fail(
            option.place,
            "the job gets no GPU: its request stands behind the first command",
            is_=option.written,
            should="above the first command",
            cause="Slurm reads no #SBATCH line behind a command",
        )
    for request in job.requests:
        for ask in request.gpus:
            yield from _type(request, ask)
            yield from _count(request, ask)
        yield from _two_types(request)
        yield from _overruled(request)
    if len(job.requests) == 1:
        yield from _untyped(job)


def _none_asked_for(named: GpuNamedElsewhere) -> Draft:
    some = " or ".join(named.gpus)
    return fail(
        named.place,
        f"the job gets no GPU: its constraint names nodes with {some}, and nothing asks for one",
        is_=f"{named.written}, and neither --gres nor --gpus",
        should="#SBATCH --gres=gpu:1 beside it",
        cause="a constraint chooses nodes: of their GPUs a job is given those that it asks for, and where devices are "
        "fenced off it sees no other",
        remedy="add #SBATCH --gres=gpu:COUNT",
        severity=Severity.WARNING,
    )


@RULE.check
def what_it_starts_has_its_gpus(job: SlurmJob) -> Findings:
    if not job.is_shell or len(job.requests) > 1 or job.request.gpus_per_node is None:
        skip("how many GPUs what it starts has is not said")
    asked = [Related(ask.place, f"{ask.option.written} is asked for") for ask in job.request.gpus]
    for each in beyond(job):
        yield fail(
            each.launch.place,
            f"{each.launch.program} takes more GPUs than the job asks for",
            is_=f"{each.written} on {each.has} GPUs",
            should=f"{each.has}, or #SBATCH --gres=gpu:{each.wanted}",
            related=asked,
            cause="the processes beyond them find no device: CUDA error: invalid device ordinal",
            remedy="--nproc_per_node=$SLURM_GPUS_ON_NODE, or ask for as many",
        )
    idle = idle_gpus(job)
    if idle is not None:
        yield fail(
            idle.launch.place,
            f"{idle.has - idle.wanted} of {idle.has} GPUs of each node stay idle, unless a process takes several",
            is_=f"--nproc_per_node={idle.wanted} on {idle.has} GPUs",
            should=f"--nproc_per_node={idle.has}, or a request for {idle.wanted}",
            related=asked,
            cause=f"{idle.launch.program} starts one process for a GPU, and nothing else runs in this job",
            remedy="--nproc_per_node=$SLURM_GPUS_ON_NODE, or ask for as many as are used",
            severity=Severity.WARNING,
        )
    alone = one_of_many(job)
    if alone is not None:
        yield _one_of_many(alone, asked)
    for devices in chosen_gpus(job):
        if devices.count > job.request.gpus_per_node:
            yield fail(
                devices.place,
                "CUDA_VISIBLE_DEVICES names more GPUs than the job asks for",
                is_=f"CUDA_VISIBLE_DEVICES={devices.devices}",
                should="not set: Slurm sets it to what the job was given",
                related=asked,
                cause="where devices are fenced off the others are not there; elsewhere they are somebody else's",
                remedy="leave the line out",
            )


@RULE.check
def each_task_takes_the_gpu_that_it_sees(job: SlurmJob) -> Findings:
    each = one_gpu_each(job) if job.is_shell and len(job.requests) == 1 and job.unreadable is None else None
    if each is None:
        skip("no tasks that see one GPU each are seen to take another")
    yield fail(
        each.launch.place,
        f"{each.tasks - 1} of {each.tasks} tasks of a node take a GPU that they do not see",
        is_="cuda:LOCAL_RANK, in tasks of which each sees one GPU, as 0",
        should="cuda:0 in every task, or #SBATCH --gpus-per-node in place of --gpus-per-task",
        related=[Related(each.place, f"{each.written} gives each task one GPU of its own")],
        cause="Slurm binds a task to the GPUs that --gpus-per-task asks for (--gpu-bind=per_task), and CUDA counts "
        "them from 0: with LOCAL_RANK 1 and above, CUDA error: invalid device ordinal",
        remedy="torch.cuda.set_device(local_rank % torch.cuda.device_count()); or srun --gpu-bind=none",
        severity=Severity.WARNING,
    )


@RULE.check
def its_container_sees_them(job: SlurmJob) -> Findings:
    if not job.is_shell or not job.request.gpus:
        skip("it asks for no GPUs")
    launch = shut_out(job)
    if launch is not None:
        yield fail(
            launch.place,
            f"{launch.program} runs in a container that sees no GPU",
            is_=launch.said[:80],
            should="apptainer exec --nv IMAGE …",
            related=[Related(ask.place, f"{ask.option.written} is asked for") for ask in job.request.gpus],
            cause="Apptainer and Singularity hand over the host's driver where --nv, or APPTAINER_NV=1, says so: "
            "without it torch.cuda.is_available() is False, and the GPUs idle",
            remedy="write --nv behind exec",
            severity=Severity.WARNING,
        )


def _one_of_many(alone: OneOfMany, asked: Sequence[Related]) -> Draft:
    waits = f"it reads from Slurm that there are {alone.tasks} ranks, and waits for the others"
    return fail(
        alone.launch.place,
        f"{alone.tasks} tasks are asked for, and one process is started",
        is_=f"{alone.launch.said[:60]}, without srun",
        should=f"srun python {alone.launch.script.shown() if alone.launch.script is not None else ''} …",
        related=asked,
        cause=waits if alone.waits else f"what a batch script starts by itself runs once: {alone.tasks - 1} GPUs idle",
        remedy="write srun before it, or torchrun --nproc_per_node=$SLURM_GPUS_ON_NODE with --ntasks=1",
        severity=Severity.WARNING,
    )


@RULE.check
def what_it_counts_by_is_set(job: SlurmJob) -> Findings:
    if not job.is_shell or not job.request.gpus:
        skip("it asks for no GPUs")
    asked = [Related(ask.place, f"{ask.option.written} is asked for") for ask in job.request.gpus]
    for each in empty_counts(job):
        ends = f"{each.launch.program} is told no number by {each.written}, and ends with an error"
        never = f"the script looks for it, and never comes to {each.launch.program} {each.written}"
        yield fail(
            each.asked_before or each.launch.place,
            f"{each.variable} is empty in this job: Slurm sets it for --{each.option} only",
            is_=f"${each.variable}",
            should="$SLURM_GPUS_ON_NODE, which every job with GPUs has",
            related=asked,
            cause=never if each.asked_before else ends,
            remedy=f"write $SLURM_GPUS_ON_NODE, or ask for the GPUs by #SBATCH --{each.option}",
        )


def _overruled(request: SlurmRequest) -> Findings:
    """A constraint that a later line replaces: the GPU that the earlier line names is not asked for."""
    last = request.option("constraint")
    if last is None or not isinstance(last.value.state, Known):
        return
    told = last.value.state.value
    for each in request.options:
        said = each.value.state
        is_earlier = each.name == "constraint" and not each.dead and each is not last
        if is_earlier and isinstance(said, Known) and said.value != told and _NAMES_A_GPU.search(said.value):
            yield fail(
                each.place,
                f"the job does not ask for {said.value}: another constraint follows, and sbatch takes the last one",
                is_=f"{each.written} and {last.written}",
                should=f'--constraint="{said.value}&{told}"',
                related=[Related(last.place, f"{last.written} is what counts")],
                cause="the job lands on any node that the last constraint allows, with another GPU than was meant",
                remedy="write both in one line, with & between them",
            )


def _two_types(request: SlurmRequest) -> Findings:
    for first, later in apart(request):
        one, other = type_of(first), type_of(later)
        yield fail(
            later.place,
            f"the job asks for {one}s and {other}s on the same node",
            is_=f"{first.option.written} and {later.option.written}",
            should=f"one of them: --gres=gpu:{first.type}:{first.count}",
            related=[Related(first.place, f"{first.option.written} asks for {one}s")],
            cause=f"Slurm asks for both at once, which no node has: {_NEVER}",
            remedy="leave one of the two lines out",
        )


def _type(request: SlurmRequest, ask: GpuAsk) -> Findings:
    if ask.type is None or is_plain(ask.type):
        return
    gpu = type_of(ask)
    if gpu is not None:
        yield from _elsewhere(request, ask, gpu)
        return
    meant = near(ask.type)
    if says_mig(ask.type):
        return
    if meant:
        should = " or ".join(each.lower() for each in meant)
        yield fail(ask.place, f"there is no GPU {ask.type}", is_=ask.option.written, should=should, cause=_NEVER)
    else:
        why = f"which GPU this cluster calls {ask.type} is not known"
        remedy = "`sinfo -o '%P %G'` lists the types of each partition"
        yield unknown(ask.place, why, is_=ask.option.written, remedy=remedy)


def _elsewhere(request: SlurmRequest, ask: GpuAsk, gpu: str) -> Findings:
    for name, where in _IN.items():
        said = gpu_named_by(request, name)
        if said is not None and not any(same(gpu, each) for each in said.gpus):
            yield fail(
                ask.place,
                f"the job asks for {gpu}s {where} of others",
                is_=ask.option.written,
                should=" or ".join(each.lower() for each in said.gpus),
                related=[Related(said.place, f"{said.written} names {' and '.join(said.gpus)}")],
                cause=f"{_NEVER}; or it runs on what the label says and the device is not",
            )


def _count(request: SlurmRequest, ask: GpuAsk) -> Findings:
    gpu = type_of(ask)
    on_a_node = {"node": ask.count, "task": ask.count * request.tasks_per_node if request.option("ntasks-per-node")
                 else ask.count}.get(ask.per)  # fmt: skip
    if ask.per == "job" and request.option("nodes") is not None:
        on_a_node = -(-ask.count // request.nodes)
    if on_a_node is not None and on_a_node > most_of(gpu) and not says_mig(ask.type or ""):
        yield fail(
            ask.place,
            f"no node has {on_a_node} {gpu or 'GPU'}s",
            is_=ask.option.written,
            should=f"at most {most_of(gpu)} on a node, on more nodes",
            cause=_NEVER,
        )


def _untyped(job: SlurmJob) -> Findings:
    request = job.request
    if any(ask.type is not None for ask in request.gpus) or not request.gpus:
        return
    # A partition or a node may have GPUs of one type only.
    if any(request.option(name) for name in ("partition", "constraint", "nodelist", "qos", "prefer")):
        return
    said = said_by_script(job)
    if said is not None:
        yield fail(
            request.gpus[0].place,
            f"the job is for {' and '.join(said.gpus)}, and asks for any GPU",
            is_=request.gpus[0].option.written,
            should=f"--gres=gpu:{said.gpus[0].lower()}:{request.gpus[0].count}",
            related=[Related(said.place, f"{said.written} says so")],
            cause="it lands on whatever is free",
        )
