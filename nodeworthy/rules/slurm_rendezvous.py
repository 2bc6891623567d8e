"""Every rank of a multi-node job has its rendezvous variables.

A batch script runs on the first node of its job. What it starts without `srun` runs there alone; what it starts with
`srun` runs on every node with the same words. So each node has to be told which one it is by something that it expands
itself: `--node_rank=$SLURM_NODEID` outside of `srun bash -c '…'` is 0 everywhere, for the batch script has filled it
in. For an address that is right: `srun torchrun … --rdzv_endpoint=$(hostname):29500` and
`export MASTER_ADDR=$(hostname)` name the first node, on all of them; within `srun bash -c '…'` each node would name
itself.

Launchers (torchrun, accelerate, deepspeed) are started once a node, know the number of nodes, and are told one address
where they meet, `MASTER_ADDR`, or a `--rdzv_endpoint` with a `--rdzv_backend`, which needs no rank. torchrun reads no
`NODE_RANK` by itself: it has to stand behind `--node_rank`. A launch behind a variable is followed on each branch that
gives it a value; where nothing in the script does, what runs on the nodes is not known. Once a node holds for a job of
one node as well: `srun torchrun` with two tasks starts two of it, of which one finds the port taken, or no place left;
with `--standalone` each has a port of its own, and both train on the same GPUs.

A loop that starts the launcher on one node after the other (`for node in …; do ssh $node torchrun --node_rank=$i …`)
has to put each into the background: in the foreground the second is started when the first has ended, which waits for
it.

Ray's parts meet where one is told `--head` and the others its `--address`. What srun passes on is what its `--export`
names, with `ALL` everything; in a job with `#SBATCH --export=NONE` nothing, until somebody unsets `SLURM_EXPORT_ENV`:
MASTER_ADDR then stays with the batch script.

A program that starts its ranks itself and is told of several nodes (`--num_nodes 2`, `hydra.launcher.nnodes=2`) waits
for the others, where it runs on the first node and nothing runs on them. Python that is started by srun itself takes
its ranks from the environment (`RANK`, `WORLD_SIZE`, `LOCAL_RANK`) or from Slurm's own variables; which of them is read
from the script, where that lies beside the job, or in it (`srun python - <<EOF`). In an image that pyxis starts
(`--container-image`) a hook of enroot's may set the first ones, and whether the cluster has it stands in no job.
"""

from __future__ import annotations

from nodeworthy.facts.slurm.job import SlurmJob
from nodeworthy.facts.slurm.launch import Launch
from nodeworthy.facts.slurm.meeting import (
    Hidden,
    crowding_draft,
    flaws,
    hidden_launches,
    one_after_another,
    single_start_drafts,
    told_of_more,
)
from nodeworthy.facts.slurm.ran import path_in_words
from nodeworthy.facts.slurm.ranks import (
    Spread,
    asks_its_environment,
    gpus_of_each_task,
    is_local,
    reads_slurm,
    same_for_all,
    spread,
)
from nodeworthy.records import replace
from nodeworthy.rule import Rule
from nodeworthy.verdict import Draft, Findings, Known, Related, Severity, fail, skip, unknown

_MEETING = "export MASTER_ADDR=$(scontrol show hostnames $SLURM_JOB_NODELIST | head -n1) MASTER_PORT=29500"

RULE = Rule(
    "slurm-rendezvous",
    severity=Severity.ERROR,
    incident="E",
    title="Every rank of a multi-node job has its rendezvous variables",
    remedy=f"{_MEETING}, then srun --ntasks-per-node=1 bash -c 'torchrun --nnodes=$SLURM_NNODES "
    "--node_rank=$SLURM_NODEID --master_addr=$MASTER_ADDR --master_port=$MASTER_PORT …'",
)

# By a launcher's own options, where they are not torchrun's.
_REMEDIES = {
    "accelerate": f"{_MEETING}, then srun --ntasks-per-node=1 bash -c 'accelerate launch --num_machines=$SLURM_NNODES "
    "--machine_rank=$SLURM_NODEID --main_process_ip=$MASTER_ADDR --main_process_port=$MASTER_PORT …'",
    "deepspeed": 'scontrol show hostnames $SLURM_JOB_NODELIST | sed "s/$/ slots=$SLURM_GPUS_ON_NODE/" > hosts, then '
    "deepspeed --hostfile=hosts … once, without srun: it starts the others by ssh",
}
_OF_PYXIS = frozenset({"container_image", "container_name"})
_OF_A_RANK = ("RANK", "LOCAL_RANK", "NODE_RANK")


@RULE.check
def every_rank_can_find_the_others(job: SlurmJob) -> Findings:
    launches = job.python_launches
    if not any(each.step is not None for each in launches):
        # Once a job: what stands behind the first is behind the others.
        yield from (_not_known(each) for each in list(hidden_launches(job))[:1])
    if not launches:
        skip("it runs no Python that could be seen")
    if len(job.requests) > 1 and any(each.is_distributed for each in launches):
        yield unknown(launches[0], "which part of a heterogeneous job its steps run on is not followed")
        return
    if job.request.nodes <= 1 and not any(_waits(job, each) or _several(job, each) for each in launches):
        skip("it runs on one node")
    started = [each for each in launches if each.step is not None and each.is_distributed]
    for launch in launches:
        if launch.filled_in:
            yield unknown(launch.place, f"what {launch.program} is told is filled in before there is a job")
            continue
        for flaw in _flaws(job, launch, alone=not started):
            yield replace(_draft_of_flaw(job, flaw), remedy=flaw.remedy or _REMEDIES.get(launch.program))


@RULE.check
def slurm_itself_fills_in_what_it_knows(job: SlurmJob) -> Findings:
    if not job.early or job.request.nodes <= 1:
        skip("whoever submits it fills in nothing that only Slurm knows")
    for name, place in dict(reversed(job.early)).items():
        yield fail(
            place,
            f"{name} is filled in by the shell that submits the job, where it is empty",
            is_="a here-document without quotes",
            should=f"sbatch <<'EOF', or \\${name}",
            cause="an unquoted here-document is expanded before there is a job",
        )


@RULE.check
def no_node_waits_for_one_that_is_started_behind_it(job: SlurmJob) -> Findings:
    found = [draft for each in job.launches if job.is_shell and (draft := one_after_another(job, each)) is not None]
    if not found:
        skip("no loop of it starts the nodes of one launch, each when the one before has ended")
    yield from found


@RULE.check
def ray_is_told_whom_it_joins(job: SlurmJob) -> Findings:
    alone = [each for each in job.launches if _joins_nobody(each)] if job.is_shell else []
    if not alone:
        skip("it starts no part of Ray that is told neither to begin a cluster nor whose to join")
    for each in alone:
        yield fail(
            each.place,
            "ray start is told neither that it is the head nor where that is",
            is_=each.said[:80],
            should="ray start --head on one node, and ray start --address=$HEAD:6379 on the others",
            cause="it ends with an error on every node, and no cluster comes about",
        )


def _joins_nobody(launch: Launch) -> bool:
    """Whether it starts a Ray that is neither a head nor told of one, where all of its words are known."""
    words = launch.said.split()
    said = launch.program == "ray" and "start" in words and "$" not in launch.said and "`" not in launch.said
    return said and not any(each.startswith(("--head", "--address", "--help")) for each in words)


def _not_known(each: Hidden) -> Draft:
    why = f"what is started on {each.nodes} nodes is not known: {each.shown}: {each.why}"
    return unknown(each.ran.place, why, remedy="write the launch out in the job, or set the variable there")


def _waits(job: SlurmJob, launch: Launch) -> bool:
    """Whether it is told of more nodes than the job has; to torchrun each of several tasks on a node may be one."""
    told = job.known(launch.option("nnodes", "num_machines"))
    if not launch.is_distributed or told is None:
        return False
    return told > max(1, job.request.nodes, spread(job, launch).per_node)


def _several(job: SlurmJob, launch: Launch) -> bool:
    return launch.is_distributed and spread(job, launch).per_node > 1


def _flaws(job: SlurmJob, launch: Launch, *, alone: bool) -> list[Draft]:
    where = spread(job, launch)
    if launch.is_distributed:
        if where.only_first:
            if job.request.nodes > 1:
                return list(single_start_drafts(launch, job.request.nodes)) if alone else []
            return [_too_few(launch)] if _waits(job, launch) else []
        if where.nodes > 1:
            return list(flaws(launch, where))
        if _waits(job, launch) and job.request.nodes <= 1:
            return [_too_few(launch)]
        twice = crowding_draft(launch, where, lambda: gpus_of_each_task(job, launch))
        return [twice] if twice is not None else []
    if where.only_first and launch.program == "python":
        return list(told_of_more(job, launch))
    return _of_python(job, launch, where)


def _too_few(launch: Launch) -> Draft:
    told = launch.option("nnodes", "num_machines")
    is_ = f"--nnodes={told.shown() if told is not None else ''}, and the job asks for one node"
    cause = "the first node waits for the others for ever"
    return fail(
        launch.place,
        f"{launch.program} waits for more nodes than the job has",
        is_=is_,
        should="#SBATCH --nodes, and srun",
        cause=cause,
    )


def _of_python(job: SlurmJob, launch: Launch, where: Spread) -> list[Draft]:
    if where.only_first or where.nodes <= 1 or launch.program != "python" or _has_mpi(launch):
        return []
    if launch.inline and not asks_its_environment(launch):
        return []
    environment = launch.environment
    address = environment.get("MASTER_ADDR")
    if address is not None and is_local(launch, address):
        cause = "each node waits for the others at its own address"
        return [
            fail(
                launch.place,
                "every node is told to meet at itself by MASTER_ADDR",
                is_=path_in_words(address),
                should=_ADDRESS,
                cause=cause,
            )
        ]
    if address is not None and (kept := _kept_back(job, launch)) and not reads_slurm(job, launch):
        return [_not_passed_on(launch, kept)]
    for name in _OF_A_RANK:
        if (rank := environment.get(name)) is not None and same_for_all(rank):
            cause = "the batch script fills it in on the first node, before srun starts any task: all ranks are equal"
            should = f"srun bash -c 'export {name}=$SLURM_PROCID; python …'"
            return [
                fail(
                    launch.place,
                    f"every rank is given the same {name}",
                    is_=f"{name}={path_in_words(rank)}",
                    should=should,
                    cause=cause,
                )
            ]
    return _variables(job, launch)


def _kept_back(job: SlurmJob, launch: Launch) -> str:
    """The option by which srun passes on less than MASTER_ADDR; empty where it does not."""
    passed = launch.step.options.get("export") if launch.step is not None else None
    written = f"srun --export={passed.known}" if passed is not None and passed.known else ""
    names = passed.known if passed is not None else None
    option = job.request.option("export")
    if passed is None and option is not None and "SLURM_EXPORT_ENV" not in job.text:
        state = option.value.state
        # Of what sbatch itself is told, srun is given on only that there is nothing to give.
        names = state.value if isinstance(state, Known) and state.value.upper() == "NONE" else None
        written = option.written
    if not names or launch.step is None or launch.step.program != "srun":
        return ""
    said = {each.partition("=")[0].strip().upper() for each in names.split(",")}
    return written if said.isdisjoint({"ALL", "MASTER_ADDR"}) else ""


def _not_passed_on(launch: Launch, written: str) -> Draft:
    return fail(
        launch.place,
        f"MASTER_ADDR does not reach {_target_in_words(launch)}: srun passes on what --export names, and no more",
        is_=written,
        should="srun --export=ALL,… (and `unset SLURM_EXPORT_ENV` where the job asks for --export=NONE)",
        cause="the ranks do not know where to meet: MASTER_ADDR expected, but not set",
    )


_ADDRESS = "export MASTER_ADDR=$(scontrol show hostnames $SLURM_JOB_NODELIST | head -n1)"


def _has_mpi(launch: Launch) -> bool:
    step = launch.step
    return step is not None and (step.program != "srun" or "mpi" in step.options)


def _runs_in_an_image(launch: Launch) -> bool:
    return launch.step is not None and not _OF_PYXIS.isdisjoint(launch.step.options)


def _variables(job: SlurmJob, launch: Launch) -> list[Draft]:
    needed = ("MASTER_ADDR", "MASTER_PORT", "RANK", "WORLD_SIZE")
    missing = [name for name in needed if name not in launch.environment]
    reads = reads_slurm(job, launch) if missing else True
    if reads:
        return []
    if reads is None and "MASTER_ADDR" in launch.environment:
        # The batch script knows no rank: who tells all tasks where they meet has the script ask Slurm for it.
        return []
    if reads is None:
        why = f"whether it takes its ranks from Slurm is not known: {_target_in_words(launch)} could not be read"
        are = "is" if len(missing) == 1 else "are"
        return [unknown(launch.place, f"{why}, and {', '.join(missing)} {are} not set")]
    if _runs_in_an_image(launch):
        given = f"{_target_in_words(launch)} is given {', '.join(missing)}"
        why = f"whether {given} is not known: enroot's hook for PyTorch's images"
        return [unknown(launch.place, f"{why} (50-slurm-pytorch.sh) sets them where a cluster has switched it on")]
    cause = f"{_target_in_words(launch)} takes its rank from the environment, and Slurm sets none of these"
    should = "srun bash -c 'export RANK=$SLURM_PROCID WORLD_SIZE=$SLURM_NTASKS LOCAL_RANK=$SLURM_LOCALID; python …'"
    return [
        fail(
            launch.place,
            f"{_target_in_words(launch)} is not given {', '.join(missing)}",
            is_="not set",
            should=should,
            cause=cause,
        )
    ]


def _target_in_words(launch: Launch) -> str:
    if launch.inline:
        return "the program in the job"
    return path_in_words(launch.script) if launch.script is not None else launch.module or "what it runs"


def _draft_of_flaw(job: SlurmJob, flaw: Draft) -> Draft:
    nodes = job.request.option("nodes", "ntasks", "gpus")
    asked = f"{job.request.nodes} node{'s' * (job.request.nodes != 1)}"
    related = [Related(nodes.place, f"{nodes.written} asks for {asked}")] if nodes is not None else []
    dead = job.request.dead("nodes", "ntasks")
    if nodes is None and dead is not None:
        related = [Related(dead.place, f"{dead.written} stands behind the first command, where Slurm reads nothing")]
    return flaw.with_more(related=related)
