"""Runs the tests of one pod or one task, one after the other: each in a group of processes and with a limit of its own,
and none beyond the deadline of all. Needs nothing but Python.

    launch.py TEST=SECONDS…

What the programs print goes on between the two marks. Whoever hangs in a driver is killed with all that he began; after
gpu-sanity has failed nothing else is tried on this node.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time

import meet

HERE = os.path.dirname(os.path.abspath(__file__))
NONCE = os.environ.get("NODEWORTHY_NONCE", "")
# The most that is passed on; more than this nobody believes.
MOST_BYTES = 1 << 20
# From being asked to end until being killed.
GRACE_SECONDS = 5.0
# Those of several nodes: nobody holds GPUs for a group that does not come together.
OF_GROUPS = ("multi-node",)
_RUNNING: list[subprocess.Popen[bytes]] = []


def processes() -> int:
    """One for each GPU of this pod; without any, one."""
    given = os.environ.get("NODEWORTHY_GPUS") or os.environ.get("SLURM_GPUS_ON_NODE") or "1"
    return max(1, int(given)) if given.isdigit() else 1


def command(test: str) -> list[str] | None:
    """None of what no program of ours measures."""
    scratch = os.environ.get("NODEWORTHY_SCRATCH", "/scratch")
    programs: dict[str, list[str]] = {
        "gpu-sanity": [*ranks(), "sanity.py", "gpu-sanity"],
        "allocation": [sys.executable, "allocation.py"],
        "gpu-as-asked": [*ranks(), "sanity.py", "gpu-as-asked"],
        "inference": [sys.executable, "decoding.py", "inference"],
        "moe": [*ranks(), "decoding.py", "moe"],
        "ddp": [*ranks(), "training.py", "ddp"],
        "fsdp": [*ranks(), "training.py", "fsdp"],
        "multi-node": [*group(), "collectives.py"],
        "checkpoint-restart": [sys.executable, "training.py", "checkpoint", scratch],
        "data-loading": [sys.executable, "feeding.py", "data-loading"],
        "disk-and-network": [sys.executable, "feeding.py", "disk-and-network", scratch],
    }
    if os.environ.get("NODEWORTHY_WITHOUT_TORCH"):
        programs |= {each: [sys.executable, "look.py", each] for each in ("gpu-sanity", "gpu-as-asked")}
    found = programs.get(test)
    if found is None:
        return None
    return [os.path.join(HERE, each) if each.endswith(".py") else each for each in found]


def ranks() -> list[str]:
    return [sys.executable, "-m", "torch.distributed.run", "--standalone", f"--nproc_per_node={processes()}"]


def group() -> list[str]:
    """The command that starts the group; other nodes are awaited for a minute and no longer."""
    there = os.environ
    return [
        sys.executable,
        "-m",
        "torch.distributed.run",
        f"--nnodes={there.get('NODEWORTHY_NODES', '1')}",
        f"--node_rank={there.get('NODE_RANK', '0')}",
        f"--nproc_per_node={processes()}",
        f"--master_addr={there.get('MASTER_ADDR', '127.0.0.1')}",
        f"--master_port={there.get('MASTER_PORT', '29400')}",
        "--max_restarts=0",
        "--rdzv_conf=timeout=60",
    ]


def run(test: str, seconds: float) -> bool:
    """Whether it ended by itself, and well."""
    words = command(test)
    if words is None:
        return True
    if test in OF_GROUPS and int(os.environ.get("NODEWORTHY_NODES", "1")) > 1:
        kind, text = meet.all_there(NONCE)
        if kind:
            pass_on(end_of(test, kind, text))
            return False
    until = {"NODEWORTHY_SECONDS": str(seconds), "NODEWORTHY_UNTIL": str(time.monotonic() + seconds)}
    environment = {**os.environ, **until, "PYTHONDONTWRITEBYTECODE": "1"}
    started = subprocess.Popen(words, stdout=subprocess.PIPE, start_new_session=True, cwd=HERE, env=environment)
    _RUNNING.append(started)
    try:
        said, _ = started.communicate(timeout=seconds)
    except subprocess.TimeoutExpired:
        kill(started)
        said, _ = started.communicate()
        said += end_of(test, "timeout", f"it did not end within {seconds:g} s")
    finally:
        _RUNNING.remove(started)
    if started.returncode and test.encode() not in said:
        said += end_of(test, _kind(words), f"it ended with {started.returncode} before it said anything")
    pass_on(said)
    return started.returncode == 0


def _kind(words: list[str]) -> str:
    """The kind of trouble; without torch its launcher is not there either."""
    looked = subprocess.run([words[0], "-c", "import torch"], capture_output=True, check=False, timeout=120)
    return "torch-missing" if b"No module named 'torch'" in looked.stderr else "program"


def end_of(test: str, kind: str, text: str) -> bytes:
    node = os.environ.get("NODEWORTHY_NODE", "")
    data = {"v": 1, "nonce": NONCE, "test": test, "host": node, "rank": 0, "world": 1, "end": True, "ok": False}
    return (json.dumps({**data, "error": {"kind": kind, "text": text}}) + "\n").encode()


def pass_on(said: bytes) -> None:
    """Whole, for a part of it means nothing; what is too much is cut, and then not believed."""
    sys.stdout.buffer.write(said[: MOST_BYTES + 1])
    sys.stdout.buffer.flush()


def kill(process: subprocess.Popen[bytes]) -> None:
    for sent, wait in ((signal.SIGTERM, GRACE_SECONDS), (signal.SIGKILL, GRACE_SECONDS)):
        try:
            os.killpg(process.pid, sent)
            process.wait(timeout=wait)
        except (ProcessLookupError, subprocess.TimeoutExpired):
            continue


def end(number: int, _: object) -> None:
    """Asked to end, by an eviction or a deadline: so is all that we began, and the mark of the end stays away."""
    for each in _RUNNING:
        kill(each)
    os._exit(128 + number)


def main(arguments: list[str]) -> int:
    signal.signal(signal.SIGTERM, end)
    until = time.monotonic() + float(os.environ.get("NODEWORTHY_DEADLINE", "900"))
    print(f"==== nodeworthy {NONCE} begins ====", flush=True)
    for each in arguments:
        test, _, seconds = each.partition("=")
        left = until - time.monotonic()
        if left <= 0:
            break
        is_well = run(test, min(float(seconds), left))
        if test == "gpu-sanity" and not is_well:
            break
    print(f"==== nodeworthy {NONCE} ends ====", flush=True)
    return 0


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
