"""Each input goes through each door in a process of its own, which may take so much time and memory and no more."""

from __future__ import annotations

import faulthandler
import gc
import importlib
import json
import os
import pkgutil
import resource
import select
import shutil
import signal
import tempfile
import time
import traceback
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import nodeworthy
from nodeworthy.rules import catalogue
from tests.fuzz.doors import DOORS, through
from tests.fuzz.inputs import Input, cases, made

# Of computing time: a clock would judge what else the machine does.
SECONDS = 5
BYTES = 1024**3
# Who waits for something computes nothing, and is found by the clock.
_PATIENCE_S = 120


@dataclass(frozen=True)
class Fault:
    seed: int
    door: str
    why: str


def prepared() -> None:
    """What every input needs is read once, all of our code included but for what runs by itself elsewhere."""
    elsewhere = ("nodeworthy.__main__", "nodeworthy.lab", "nodeworthy.collect.plan", "nodeworthy.programs.")
    for each in pkgutil.walk_packages(nodeworthy.__path__, "nodeworthy."):
        if not each.name.startswith(elsewhere):
            importlib.import_module(each.name)
    catalogue()
    cases()
    gc.collect()
    gc.freeze()


def faults(seed: int) -> Iterator[Fault]:
    case = made(seed)
    doors = [each for each in DOORS if _fits(each, case)]
    with tempfile.TemporaryDirectory() as folder:
        write(case, Path(folder))
        for door in doors:
            yield from (Fault(seed, door, why) for why in _apart(door, case, Path(folder)))


def _fits(door: str, case: Input) -> bool:
    if door in ("boot", "editor"):
        return case.command[0] == "check" and not case.changed.endswith((".json", ".tf"))
    return door != "answer" or case.command[0] == "node" or len(case.files) == 1


def write(case: Input, folder: Path) -> None:
    for name, data in case.files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)


def keep(seed: int, folder: Path) -> Path:
    """The input, and the command that shows it again."""
    case, at = made(seed), folder / str(seed)
    shutil.rmtree(at, ignore_errors=True)
    write(case, at)
    (at / "COMMAND").write_text(f"nodeworthy {' '.join(case.command)}  # changed: {case.changed}\n", encoding="utf-8")
    return at


def _apart(door: str, case: Input, folder: Path) -> list[str]:
    """In a child: what hangs, grows or dies takes nobody with it."""
    reads, writes = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(reads)
        _limited()
        os.chdir(folder)
        _tell(writes, door, case)
        os._exit(0)
    os.close(writes)
    said, late = _heard(reads, child)
    _, status = os.waitpid(child, 0)
    if late:
        return [f"it has not ended after {_PATIENCE_S} s"]
    if os.WIFSIGNALED(status):
        number = os.WTERMSIG(status)
        over = number in (signal.SIGXCPU, signal.SIGKILL)
        return [f"it takes more than {SECONDS} s" if over else f"it dies of {signal.Signals(number).name}"]
    told: list[str] = (
        json.loads(said) if said else [f"it ends with {os.waitstatus_to_exitcode(status)}, and says nothing"]
    )
    return told


def _limited() -> None:
    held = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[0]) * resource.getpagesize()
    faulthandler.disable()  # a child that is ended on purpose prints no stack
    resource.setrlimit(resource.RLIMIT_AS, (held + BYTES, held + BYTES))
    resource.setrlimit(resource.RLIMIT_CPU, (SECONDS, SECONDS + 2))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


def _tell(writes: int, door: str, case: Input) -> None:
    try:
        told = through(door, case)
    except MemoryError:
        told = [f"it takes more than {BYTES // 2**20} MiB"]
    except BaseException:  # noqa: BLE001 - whatever it is, it is a fault
        told = [traceback.format_exc()[-3_000:]]
    with os.fdopen(writes, "w", encoding="utf-8") as pipe:
        json.dump([each[:3_000] for each in told], pipe)


def _heard(reads: int, child: int) -> tuple[str, bool]:
    said, until = b"", time.monotonic() + _PATIENCE_S
    with os.fdopen(reads, "rb", buffering=0) as pipe:
        while True:
            ready, _, _ = select.select([pipe], [], [], max(until - time.monotonic(), 0))
            if not ready:
                os.kill(child, signal.SIGKILL)
                return "", True
            piece = pipe.read(65_536)
            if not piece:
                return said.decode("utf-8", "replace"), False
            said += piece
