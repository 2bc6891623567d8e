"""The batch scripts of a run on Slurm: bounded, below all other work, never begun again, and gone with their folder."""

from __future__ import annotations

import shlex
from collections.abc import Sequence

from nodeworthy.collect.workload.jobs import (
    RENDEZVOUS_SECONDS,
    SPARE_SECONDS,
    limits,
    of_groups,
    of_nodes,
    program_files,
)
from nodeworthy.known.acceptance import HELD, Level
from nodeworthy.records import dataclass

# Behind everybody who asks for the same nodes.
NICE = 10000
_CPUS_A_GPU = 4
# Slurm looks at its clock about every half minute, so that a signal comes earlier or later than asked.
_SIGNAL_SECONDS = 90


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


def scripts(terms: SlurmTerms) -> dict[str, str]:
    """By their names: one that each node is given, and one of the group."""
    found: dict[str, str] = {}
    alone, together = of_nodes(terms.tests), of_groups(terms.tests)
    if alone:
        found |= {f"node-{each or 'any'}": _script(terms, alone, (each,)) for each in terms.nodes or ("",)}
    if together and len(terms.nodes) > 1:
        found["group"] = _script(terms, together, terms.nodes)
    return found


def _script(terms: SlurmTerms, tests: Sequence[str], nodes: Sequence[str]) -> str:
    seconds = limits(terms.tests, HELD[terms.level], tests)
    whole = sum(seconds.values())
    lines = ["#!/bin/bash", *(f"#SBATCH {each}" for each in _options(terms, whole + SPARE_SECONDS, nodes)), "set -u"]
    if terms.setup:
        lines += [terms.setup.rstrip("\n")]
    return "\n".join([*lines, *_environment(terms, whole), *_programs(), *_start(terms, seconds, len(nodes))]) + "\n"


def _options(terms: SlurmTerms, seconds: int, nodes: Sequence[str]) -> list[str]:
    minutes = -(-seconds // 60)
    count = int(terms.gpus.rpartition(":")[2])
    given = {
        "partition": terms.partition,
        "account": terms.account,
        "qos": terms.qos,
        "reservation": terms.reservation,
        "nodelist": ",".join(filter(None, nodes)),
    }
    return [
        f"--job-name=nodeworthy-{terms.run}",
        f"--comment=nodeworthy/{terms.run}",
        f"--nodes={len(nodes)}",
        "--ntasks-per-node=1",
        f"--gpus-per-node={terms.gpus}",
        f"--cpus-per-task={_CPUS_A_GPU * count}",
        f"--time={minutes}",
        f"--deadline=now+{2 * minutes + 60}minutes",
        f"--signal=B:USR1@{_SIGNAL_SECONDS}",
        f"--nice={NICE}",
        "--no-requeue",
        "--open-mode=append",
        f"--output={terms.scratch}/nodeworthy-{terms.run}-%j-%N.log",
        *(f"--{name}={value}" for name, value in given.items() if value),
    ]


def _environment(terms: SlurmTerms, seconds: int) -> list[str]:
    folder = f"{terms.scratch}/nodeworthy-{terms.run}-$SLURM_JOB_ID"
    said = {
        "NODEWORTHY_NONCE": shlex.quote(terms.nonce),
        "NODEWORTHY_DEADLINE": str(seconds),
        "NODEWORTHY_BARRIER": str(RENDEZVOUS_SECONDS),
        "NODEWORTHY_SCRATCH": f'"{folder}"',
        "OMP_NUM_THREADS": str(_CPUS_A_GPU),
        "TOKENIZERS_PARALLELISM": "false",
        "TORCHINDUCTOR_CACHE_DIR": f'"{folder}/inductor"',
        "NODEWORTHY_NODES": '"$SLURM_JOB_NUM_NODES"',
        "MASTER_ADDR": '"$(scontrol show hostnames "$SLURM_JOB_NODELIST" | head -n 1)"',
        # Two jobs on one node take two ports.
        "MASTER_PORT": "$((20000 + SLURM_JOB_ID % 20000))",
    }
    made = ['mkdir -p "$NODEWORTHY_SCRATCH" || exit 1', "trap 'rm -rf -- \"$NODEWORTHY_SCRATCH\"' EXIT"]
    return [*(f"export {name}={value}" for name, value in said.items()), *made]


def _programs() -> list[str]:
    """In the job's own folder, of a name that no other job has."""
    lines = []
    for name, text in program_files().items():
        lines += [f"cat >\"$NODEWORTHY_SCRATCH/{name}\" <<'END_OF_{name}'", text.rstrip("\n"), f"END_OF_{name}"]
    return lines


def _start(terms: SlurmTerms, seconds: dict[str, int], nodes: int) -> list[str]:
    """The signal becomes a file that every step looks for: torchrun would die of it, and leave its workers."""
    words = " ".join(f"{test}={limit}" for test, limit in seconds.items())
    whole = f'export NODEWORTHY_NODE="$SLURMD_NODENAME" NODE_RANK="$SLURM_PROCID"; exec {shlex.quote(terms.python)}'
    inside = f'{whole} "$NODEWORTHY_SCRATCH/launch.py" {words}'
    return [
        "trap 'touch \"$NODEWORTHY_SCRATCH/stop\"' USR1",
        f"srun --nodes={nodes} --ntasks-per-node=1 --kill-on-bad-exit=1 bash -c {shlex.quote(inside)} &",
        "wait $! || wait $!",
    ]
