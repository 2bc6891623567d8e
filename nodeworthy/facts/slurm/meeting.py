"""What each launcher needs so that its ranks on several nodes meet, and what of it is wrong."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping

from nodeworthy.boot.shell.nested import SHELLS
from nodeworthy.boot.text import Hole, Text
from nodeworthy.facts.slurm.job import SlurmJob
from nodeworthy.facts.slurm.launch import Launch
from nodeworthy.facts.slurm.ran import FILLED, Ran, path_in_words
from nodeworthy.facts.slurm.ranks import Spread, is_local, nodes_of, same_for_all, unset
from nodeworthy.facts.slurm.words import Peeled, peel_words
from nodeworthy.patterns import pattern
from nodeworthy.records import dataclass
from nodeworthy.verdict import Draft, fail, unknown

# What a job starts on several nodes by a variable that nothing in it sets.


@dataclass(frozen=True, slots=True)
class Hidden:
    ran: Ran
    shown: str
    why: str
    nodes: int


def hidden_launches(job: SlurmJob) -> Iterator[Hidden]:
    if not job.is_shell or job.unreadable is not None:
        return
    for ran in job.walked.ran:
        found = peel_words(ran.words, ran.environment)
        if found.step is None or found.step.program != "srun":
            continue
        hole = _hole(found)
        if hole is None:
            continue
        nodes = nodes_of(job, found.step)
        if nodes > 1:
            yield Hidden(ran, hole.shown, hole.why.removeprefix(FILLED), nodes)


def _hole(found: Peeled) -> Hole | None:
    """The hole in the place of what is started: `srun $CMD`, `srun bash -c "$CMD"`."""
    word = found.words[0] if found.words and not found.program else None
    if found.program in SHELLS and len(found.words) > 2 and found.words[1].string.endswith("c"):
        word = found.words[2]
    first = next((each for each in word.pieces if isinstance(each, Hole) or each.strip()), None) if word else None
    return first if isinstance(first, Hole) else None


_TORCH = ("torchrun", "torch.distributed.launch")
_OF_A_TASK = pattern(r"SLURM_(?:PROCID|LOCALID)|PMI_RANK")


def flaws(launch: Launch, where: Spread) -> Iterator[Draft]:
    """The flaws of a launcher that is started on several nodes."""
    yield from _CHECKS[launch.program](launch, where)


# `--num_nodes 2` of Lightning, `hydra.launcher.nnodes=2`: what a program is told that starts its ranks itself.
_OF_NODES = pattern(r"(?:[\w.+-]*[.+-])?(?:nnodes|num[_-]nodes|n[_-]nodes|num[_-]machines)(?:=(\d{1,6}))?")
# Started on a node for what it says: `head_ip=$(srun -w "$head" hostname -i)`.
_ASK_ONLY = ("hostname", "ip", "getent", "nvidia-smi", "echo", "date", "uname")
# They ask Slurm, or others that they have started, for the rest.
_ASKS_FOR_MORE = pattern(r"(?i)submitit|\bray\b|\bdask")


def told_of_more(job: SlurmJob, launch: Launch) -> Iterator[Draft]:
    """A program that is told of several nodes and runs on the first, where nothing runs on the others."""
    told = _nodes_told(launch)
    if told <= 1 or job.request.nodes <= 1 or _ASKS_FOR_MORE.search(job.text) or _reaches_others(job):
        return
    called = path_in_words(launch.script) if launch.script is not None else launch.module
    yield fail(
        launch.place,
        f"{called} is told of {told} nodes, and is started on the first only",
        is_="no srun before it",
        should=f"srun --nodes={told} --ntasks-per-node=1 {launch.program} …, each with its own rank",
        cause="a batch script runs on the first node of its job: it waits there for the others for ever",
    )


def _nodes_told(launch: Launch) -> int:
    words = [each.shown() for each in launch.arguments]
    for word, behind in zip(words, [*words[1:], ""], strict=False):
        found = _OF_NODES.fullmatch(word)
        number = (found[1] or behind) if found is not None else ""
        if number.isdecimal():
            return int(number)
    return 0


def _reaches_others(job: SlurmJob) -> bool:
    """Whether something starts the other ranks there, whichever way."""
    return any(each.step is not None and each.program not in _ASK_ONLY for each in job.launches)


_A_VARIABLE = pattern(r"\$\{?(\w{1,64})\}?")
# They come back at once, and what they have started goes on.
_LETS_GO = pattern(r"\b(?:screen|tmux|nohup)\b|\bssh\b[^|;]{0,60}? -[a-zA-Z]{0,4}f\b")


def one_after_another(job: SlurmJob, launch: Launch) -> Draft | None:
    """A node's part of a launch that a loop starts in the foreground: the next begins when this one has ended."""
    rank, several = launch.option("node_rank", "machine_rank"), launch.option("nnodes", "num_machines")
    if launch.step is None or not launch.ran.in_loop or launch.ran.background or rank is None or several is None:
        return None
    if several.known in ("", "1") or not _is_counted(job, rank) or _LETS_GO.search(launch.said):
        return None
    by = launch.step.program
    return fail(
        launch.place,
        f"the loop starts {launch.program} on one node, and goes on to the next when it has ended",
        is_=f"{by} without & behind it",
        should=f"{by} … & in the loop, and wait behind it",
        cause="the first node waits for the others, which are started when it has ended: for ever",
    )


def _is_counted(job: SlurmJob, rank: Text) -> bool:
    """Whether the job itself counts the nodes: by a variable that it sets, or its loop does."""
    found = _A_VARIABLE.fullmatch(rank.shown())
    name = found[1] if found is not None else ""
    return name in job.walked.assigned or (
        name != "" and re.search(rf"\bfor (?:\(\( ?)?{name}\b", job.text) is not None
    )


def single_start_drafts(launch: Launch, nodes: int) -> Iterator[Draft]:
    """The flaws of a launcher that is started on the first of several nodes."""
    if launch.program == "deepspeed":
        if launch.option("hostfile", "H") is None and "DLTS_HOSTFILE" not in launch.environment:
            is_, cause = "no --hostfile", "without one DeepSpeed starts on this node only, and the others are idle"
            yield fail(
                launch.place,
                f"deepspeed is not told of the job's {nodes} nodes",
                is_=is_,
                should="--hostfile=hosts, made of scontrol show hostnames",
                cause=cause,
            )
        return
    yield fail(
        launch.place,
        f"{launch.program} is started on the first node only, of {nodes}",
        is_="no srun before it",
        should=f"srun --nodes={nodes} --ntasks-per-node=1 {launch.program} …",
        cause="a batch script runs on the first node of its job: the others are idle, or it waits for them for ever",
    )


def _torch(launch: Launch, where: Spread) -> Iterator[Draft]:
    if "standalone" in launch.options:
        yield _alone(launch, "--standalone", where)
        return
    nnodes = _option(launch, "nnodes")
    yield from _nnodes(launch, nnodes, "--nnodes", where)
    if where.per_node > 1:
        yield _too_often(launch, where)
    if nnodes is None:
        return  # of itself alone it needs to be told nothing
    endpoint, backend = _option(launch, "rdzv_endpoint"), _option(launch, "rdzv_backend")
    if backend is not None and backend.known != "static":
        yield from _address(launch, endpoint, "--rdzv_endpoint", "$MASTER_ADDR:29500")
        return
    yield from _rank(launch, _option(launch, "node_rank"), "--node_rank", where)
    address = _option(launch, "master_addr") if endpoint is None else endpoint
    yield from _address(launch, address, "--master_addr", "$MASTER_ADDR")


def _option(launch: Launch, name: str) -> Text | None:
    """torchrun takes every option from the environment as well, with `PET_` before it."""
    return launch.option(name) or launch.environment.get(f"PET_{name.upper()}")


def _nnodes(launch: Launch, value: Text | None, name: str, where: Spread) -> Iterator[Draft]:
    if value is None:
        yield _alone(launch, f"no {name}", where)
    elif missing := unset(launch, value):
        yield _not_set(launch, missing, name)
    elif value.known is not None:
        least, _, most = value.known.partition(":")
        if not least.isdigit() or not (most or least).isdigit():
            return
        if not int(least) <= where.nodes <= int(most or least):
            yield fail(
                launch.place,
                f"{launch.program} is told of another number of nodes than it is started on",
                is_=f"{name}={value.known}",
                should=f"{name}={where.nodes}, or $SLURM_NNODES",
                cause="it waits for nodes that never come"
                if int(least) > where.nodes
                else "each node trains by itself",
            )


def _alone(launch: Launch, is_: str, where: Spread) -> Draft:
    cause = "each node trains by itself, on all of the data, and writes over the others' checkpoints"
    should = "--nnodes=$SLURM_NNODES --node_rank=$SLURM_NODEID --master_addr=$MASTER_ADDR"
    if launch.program == "accelerate":
        should = "--num_machines=$SLURM_NNODES --machine_rank=$SLURM_NODEID --main_process_ip=$MASTER_ADDR"
    return fail(
        launch.place,
        f"{launch.program} is not told that it runs on {where.nodes} nodes",
        is_=is_,
        should=f"{should}, in what each task expands",
        cause=cause,
    )


def _too_often(launch: Launch, where: Spread) -> Draft:
    return fail(
        launch.place,
        f"{where.per_node} of {launch.program} are started on {'each' if where.nodes > 1 else 'the'} node",
        is_=f"{where.per_node} tasks on a node",
        should="--ntasks-per-node=1: it starts the processes of its node by itself",
        cause="they take each other's port and GPUs: Address already in use, and a hang",
    )


def crowding_draft(launch: Launch, where: Spread, cards: Callable[[], int | None]) -> Draft | None:
    """What is wrong where a launcher is started several times on its only node: a later one meets at the port of the
    first, or works on the same GPUs. `cards` is how many GPUs all of its tasks see."""
    if where.only_first or where.nodes > 1 or where.per_node < 2:
        return None
    if "standalone" in launch.options:
        return _side_by_side(launch, where, cards)
    if not _at_one_port(launch):
        return None
    told = _option(launch, "nnodes") if launch.program in _TORCH else launch.option("num_machines")
    most = _most(told)
    alone = launch.program == "accelerate" and _most(launch.option("num_processes")) == 1
    if most is None or most >= where.per_node or alone:
        return None
    return _too_often(launch, where)


def _side_by_side(launch: Launch, where: Spread, cards: Callable[[], int | None]) -> Draft | None:
    """Launches with ports of their own: the same work, twice at once on the same GPUs."""
    told = _option(launch, "nproc_per_node")
    if told is None or told.known is None or _is_each_tasks_own(launch):
        return None
    seen = cards()
    every = told.known in ("gpu", "auto")
    processes = seen if every else int(told.known) if told.known.isdigit() else None
    if seen is None or processes is None or processes < 2 or processes * where.per_node <= seen:
        return None
    return fail(
        launch.place,
        f"{where.per_node} of {launch.program} are started on the node, each with {processes} processes",
        is_=f"{where.per_node} tasks on a node with {seen} GPUs, and --standalone",
        should="--ntasks-per-node=1: it starts the processes of its node by itself",
        cause=f"{where.per_node} trainings run at once on the same GPUs, and write over each other's checkpoints",
    )


def _is_each_tasks_own(launch: Launch) -> bool:
    """Whether each task chooses its GPUs or its work by what Slurm tells it."""
    return "CUDA_VISIBLE_DEVICES" in launch.environment or (
        launch.per_task and _OF_A_TASK.search(launch.ran.raw) is not None
    )


def _most(told: Text | None) -> int | None:
    """The larger number of `1` or `1:4`; one where nothing is said, None where that is not known."""
    if told is None:
        return 1
    last = told.string.rpartition(":")[2]
    return int(last) if last.isdigit() else None


def _at_one_port(launch: Launch) -> bool:
    """The same for each task: none of them chooses another one, or any that is free."""
    ports = (_option(launch, name) for name in ("rdzv_endpoint", "master_port", "main_process_port"))
    said = [each for each in (*ports, launch.environment.get("MASTER_PORT")) if each is not None]
    free = any(each.string.rpartition(":")[2] == "0" for each in said)
    return not free and (not launch.per_task or all(same_for_all(each) for each in said))


def _rank(launch: Launch, value: Text | None, name: str, where: Spread) -> Iterator[Draft]:
    should = f"{name}=$SLURM_NODEID in what each task expands: srun bash -c '… {name}=$SLURM_NODEID …'"
    cause = "all nodes are rank 0: Address already in use, or each waits for the others for ever"
    if value is None:
        yield fail(
            launch.place,
            f"{launch.program} is not told which of the {where.nodes} nodes it is on",
            is_=f"no {name}",
            should=should,
            cause=cause,
        )
    elif missing := unset(launch, value):
        yield _not_set(launch, missing, name)
    elif same_for_all(value) and not where.one_of_several:
        shown = path_in_words(value)
        early = "" if launch.option(name.strip("-")) is None or shown != "0" else _early(launch)
        yield fail(
            launch.place,
            f"every node is given the same {name}",
            is_=f"{name}={shown}{early}",
            should=should,
            cause=cause,
        )


def _early(launch: Launch) -> str:
    if (
        launch.per_task
        or "SLURM_NODEID" in launch.ran.raw
        or "SLURM_PROCID" in launch.ran.raw
        or "RANK" in launch.ran.raw
    ):
        return ": the batch script fills it in on the first node, before srun starts any task"
    return ""


def _address(launch: Launch, value: Text | None, name: str, should: str) -> Iterator[Draft]:
    should = f"{name}={should}, with MASTER_ADDR=$(scontrol show hostnames $SLURM_JOB_NODELIST | head -n1)"
    if value is None:
        yield fail(
            launch.place,
            f"{launch.program} is not told where its ranks meet",
            is_=f"no {name}",
            should=should,
            cause="each node takes itself for the meeting point, and waits there",
        )
    elif missing := unset(launch, value):
        yield _not_set(launch, missing, name)
    elif is_local(launch, value):
        yield fail(
            launch.place,
            f"every node is told to meet at itself by {name}",
            is_=path_in_words(value),
            should=should,
            cause="each node waits for the others at its own address",
        )


def _not_set(launch: Launch, missing: str, name: str) -> Draft:
    should = {"MASTER_ADDR": "$(scontrol show hostnames $SLURM_JOB_NODELIST | head -n1)", "MASTER_PORT": "29500"}
    is_, cause = f"{missing} is set nowhere in this script", "what is started gets an empty value"
    value = should.get(missing, "…")
    if missing in ("NODE_RANK", "RANK"):
        value = "$SLURM_NODEID, in what each task expands"
    return fail(
        launch.place,
        f"{name} is given a variable that nobody sets",
        is_=is_,
        should=f"export {missing}={value}",
        cause=cause,
    )


def _accelerate(launch: Launch, where: Spread) -> Iterator[Draft]:
    machines, rank = launch.option("num_machines"), launch.option("machine_rank")
    address = launch.option("main_process_ip")
    hidden = launch.option("config_file") is not None
    if hidden and (None in (machines, address) or (rank is None and not _meets_by_itself(launch))):
        what = "what stands in accelerate's --config_file was not read: it may say how its ranks meet"
        yield unknown(launch.place, what)
        return
    yield from _nnodes(launch, machines, "--num_machines", where)
    if where.per_node > 1:
        yield _too_often(launch, where)
    if machines is None:
        return  # of itself alone it needs to be told nothing
    if not _meets_by_itself(launch):
        yield from _rank(launch, rank, "--machine_rank", where)
    yield from _address(launch, address, "--main_process_ip", "$MASTER_ADDR")


def _meets_by_itself(launch: Launch) -> bool:
    """Whether the backend numbers the nodes as they come."""
    backend, conf = launch.option("rdzv_backend"), launch.option("rdzv_conf")
    if conf is not None and "c10d" in conf.shown():
        return True
    return backend is not None and backend.known != "static"


def _deepspeed(launch: Launch, where: Spread) -> Iterator[Draft]:
    if "no_ssh" in launch.options:
        yield from _rank(launch, launch.option("node_rank"), "--node_rank", where)
        yield from _address(launch, launch.option("master_addr"), "--master_addr", "$MASTER_ADDR")
        return
    yield fail(
        launch.place,
        "deepspeed is started on every node, and would start itself on all of them from each",
        is_="srun before it, without --no_ssh",
        should="--no_ssh --node_rank=$SLURM_NODEID --master_addr=$MASTER_ADDR, or no srun and a --hostfile",
        cause="each node starts a job of its own: Address already in use",
    )


_CHECKS: Mapping[str, Callable[[Launch, Spread], Iterator[Draft]]] = {
    **dict.fromkeys(_TORCH, _torch),
    "accelerate": _accelerate,
    "deepspeed": _deepspeed,
}
