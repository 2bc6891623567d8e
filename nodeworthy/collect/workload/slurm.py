"""The batch scripts of a run on Slurm: bounded, below all other work, never begun again, and gone with their folder."""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from typing import ClassVar

from nodeworthy.collect.workload.askings import Asking
from nodeworthy.collect.workload.jobs import (
    RENDEZVOUS_SECONDS,
    SPARE_SECONDS,
    group_tests,
    held_seconds,
    limits,
    neighbours,
    node_tests,
    program_files,
    serving,
)
from nodeworthy.collect.workload.room import ROOM_OF_A_SLICE, Room, room_for, slice_profile
from nodeworthy.facts.accept.measure import Shape
from nodeworthy.known.acceptance import Level
from nodeworthy.records import dataclass

# Behind everybody who asks for the same nodes.
NICE = 10000
# Enough for Python and for the driver's own library.
_MIB_OF_AN_ASKING = 4096
# Slurm looks at its clock about every half minute, so that a signal comes earlier or later than asked.
_SIGNAL_SECONDS = 90
# Before the run's name: of what somebody watches, and of what he submits by hand, which nobody else clears away.
WATCHED, BY_HAND = "nodeworthy-accept-", "nodeworthy-"
# For the scheduler to begin what is watched: whoever killed its watcher would find it begin hours later.
_BEGINS_MINUTES = 2


@dataclass(frozen=True)
class SlurmTerms:
    run: str
    nonce: str
    level: Level
    tests: tuple[str, ...]
    # A count, or a type and a count, such as h100:8.
    gpus: str
    python: str
    scratch: str
    nodes: tuple[str, ...] = ()
    partition: str | None = None
    account: str | None = None
    qos: str | None = None
    reservation: str | None = None
    setup: str | None = None
    job_seconds: int | None = None
    is_watched: bool = False
    without_torch: bool = False
    # How long a node is held to burn it; nobody else asks.
    burn_seconds: int | None = None
    # What a node downloads, to see how fast.
    download: str | None = None
    # A folder with a model that vLLM serves; without it, one of random weights is.
    model: str | None = None
    # An image with torch, which Pyxis runs: then `python` is that of the image.
    container: str | None = None
    on: ClassVar[str] = "slurm"

    @property
    def image(self) -> str:
        """The container, or else the Python, that has torch."""
        return self.container or self.python

    @property
    def held(self) -> int:
        return held_seconds(self.level, self.burn_seconds, self.job_seconds)

    @property
    def name(self) -> str:
        return f"{WATCHED if self.is_watched else BY_HAND}{self.run}"

    def node_name(self, number: int, _: Shape) -> str:
        """A job's name, which no other job of this cluster has."""
        return f"{self.name}-{number}"

    def group_pieces(self, shapes: Sequence[Shape]) -> dict[str, tuple[Shape, ...]]:
        return {f"{self.name}-group{number}": each for number, each in neighbours(shapes).items() if len(each) > 1}

    def minutes(self, tests: Sequence[str]) -> int:
        """Slurm's own unit."""
        return -(-(sum(limits(self.tests, self.held, tests).values()) + SPARE_SECONDS) // 60)

    def seconds_of(self, tests: Sequence[str]) -> int:
        """The seconds from the submission of a job to its end."""
        return 60 * (self.minutes(tests) + _BEGINS_MINUTES)


def scripts(terms: SlurmTerms) -> dict[str, str]:
    """The scripts by name: one for each node, and one for the group."""
    found: dict[str, str] = {}
    alone, together = node_tests(terms.tests), group_tests(terms.tests)
    for each in (terms.nodes or ("",)) if alone else ():
        found[f"node-{each or 'any'}"] = script(terms, terms.name, alone, [Shape(each)])
    if together and len(terms.nodes) > 1:
        found["group"] = script(terms, terms.name, together, [*map(Shape, terms.nodes)])
    return found


def script(
    terms: SlurmTerms, job: str, tests: Sequence[str], shapes: Sequence[Shape], asking: Asking | None = None
) -> str:
    """The script of a job on these nodes, or on any node where the only one has no name."""
    seconds, nodes = limits(terms.tests, terms.held, tests), [each.node for each in shapes]
    kind, _, count = terms.gpus.rpartition(":")
    is_slice = bool(slice_profile(kind))
    room = ROOM_OF_A_SLICE if is_slice else room_for(int(count), shapes)
    options = _options(terms, job, terms.minutes(tests), nodes, room)
    if is_slice:  # without it, it would be a share of the node
        options.append(f"--mem={room.memory_gib}G")
    elif asking is not None:  # beside another; without it, one may be given all the memory of a node
        options.append(f"--mem={_MIB_OF_AN_ASKING}M")
    lines = ["#!/bin/bash", *(f"#SBATCH {each}" for each in options), "set -u"]
    if terms.setup:  # meanwhile the signal would end the script itself
        lines += ["trap : USR1", terms.setup.rstrip("\n")]
    said = _environment(terms, sum(seconds.values()), room, asking)
    return "\n".join([*lines, *said, *_programs(), *_start(terms, seconds, len(nodes))]) + "\n"


def _options(terms: SlurmTerms, job: str, minutes: int, nodes: Sequence[str], room: Room) -> list[str]:
    beyond = _BEGINS_MINUTES if terms.is_watched else minutes + 60
    given = {
        "partition": terms.partition,
        "account": terms.account,
        "qos": terms.qos,
        "reservation": terms.reservation,
        "nodelist": ",".join(filter(None, nodes)),
    }
    return [
        f"--job-name={job}",
        f"--comment=nodeworthy/{terms.run}",
        f"--nodes={len(nodes)}",
        "--ntasks-per-node=1",
        f"--gpus-per-node={terms.gpus}",
        f"--cpus-per-task={room.cpus}",
        f"--time={minutes}",
        f"--deadline=now+{minutes + beyond}minutes",
        f"--signal=B:USR1@{_SIGNAL_SECONDS}",
        f"--nice={NICE}",
        "--no-requeue",
        "--open-mode=append",
        f"--output={output_of(terms, '%j')}",
        *(f"--{name}={value}" for name, value in given.items() if value),
    ]


def output_of(terms: SlurmTerms, job: str, task: str = "") -> str:
    """The output file of a job, or of each of its tasks where there are several: what two print at once cannot be told
    apart."""
    return f"{terms.scratch}/{terms.name}-{job}{f'-{task}' if task else ''}.log"


def _environment(terms: SlurmTerms, seconds: int, room: Room, asking: Asking | None) -> list[str]:
    folder = f"{terms.scratch}/{terms.name}-$SLURM_JOB_ID"
    said = {
        "NODEWORTHY_NONCE": shlex.quote(terms.nonce),
        "NODEWORTHY_DEADLINE": str(seconds),
        "NODEWORTHY_BARRIER": str(RENDEZVOUS_SECONDS),
        "NODEWORTHY_SCRATCH": f'"{folder}"',
        "NODEWORTHY_LOCAL": '"${TMPDIR:-/tmp}"',
        "OMP_NUM_THREADS": str(room.threads),
        "TOKENIZERS_PARALLELISM": "false",
        "TORCHINDUCTOR_CACHE_DIR": f'"{folder}/inductor"',
        "NODEWORTHY_NODES": '"$SLURM_JOB_NUM_NODES"',
        **({"NODEWORTHY_WITHOUT_TORCH": "1"} if terms.without_torch else {}),
        **({"NODEWORTHY_BURN": "1"} if terms.level is Level.BURN else {}),
        **({"NODEWORTHY_DOWNLOAD": shlex.quote(terms.download)} if terms.download else {}),
        **(_of_model(terms.model, folder) if terms.model else {}),
        **({name: shlex.quote(value) for name, value in _environment_of(asking).items()} if asking is not None else {}),
        "MASTER_ADDR": '"$(scontrol show hostnames "$SLURM_JOB_NODELIST" | head -n 1)"',
        # Two jobs on one node take other ports, each two: all are counted at the one beside it.
        "MASTER_PORT": "$((10000 + SLURM_JOB_ID % 5000 * 2))",
    }
    made = ['mkdir -m 700 "$NODEWORTHY_SCRATCH" || exit 1', "trap 'rm -rf -- \"$NODEWORTHY_SCRATCH\"' EXIT"]
    return [*(f"export {name}={value}" for name, value in said.items()), *made]


def _of_model(model: str, folder: str) -> dict[str, str]:
    caches = {name: f'"{value}"' for name, value in serving(folder).items()}
    return {"NODEWORTHY_MODEL": shlex.quote(model), **caches}


def _environment_of(asking: Asking) -> dict[str, str]:
    return {"NODEWORTHY_GPUS": str(asking.gpus), **asking.environment}


def _programs() -> list[str]:
    """The lines that write our programs into the job's own folder, whose name no other job has."""
    lines = []
    for name, text in program_files().items():
        lines += [f"cat >\"$NODEWORTHY_SCRATCH/{name}\" <<'END_OF_{name}'", text.rstrip("\n"), f"END_OF_{name}"]
    return lines


def _start(terms: SlurmTerms, seconds: dict[str, int], nodes: int) -> list[str]:
    """The signal becomes a file that every step looks for: torchrun would die of it, and leave its workers."""
    words = " ".join(f"{test}={limit}" for test, limit in seconds.items())
    whole = f'export NODEWORTHY_NODE="$SLURMD_NODENAME" NODE_RANK="$SLURM_PROCID"; exec {shlex.quote(terms.python)}'
    inside = f'{whole} "$NODEWORTHY_SCRATCH/launch.py" {words}'
    apart = f'--output="{output_of(terms, "%j", "%t")}" ' if nodes > 1 else ""
    within = f"{_within(terms.container, terms.model)} " if terms.container else ""
    return [
        "trap 'touch \"$NODEWORTHY_SCRATCH/stop\"' USR1",
        f"srun --nodes={nodes} --ntasks-per-node=1 --kill-on-bad-exit=1 {within}{apart}bash -c {shlex.quote(inside)} &",
        "wait $! || wait $!",
    ]


def _within(image: str, model: str | None) -> str:
    """The options of Pyxis: the container sees the job's own folder on the node and the model, and nothing else."""
    read = f",{shlex.quote(f'{model}:{model}:ro')}" if model else ""
    mounted = f'--container-mounts="$NODEWORTHY_SCRATCH:$NODEWORTHY_SCRATCH"{read}'
    return f"--container-image={shlex.quote(image)} {mounted} --no-container-mount-home"
