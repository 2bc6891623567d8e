"""Turns a program's recipe into a binary in the cache, with the user's own Go."""

from __future__ import annotations

import fcntl
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TextIO

from recipes import Family, Program

OLDEST_GO = (1, 24)  # the first that knows the `tool` lines of our wrapper modules
HEARTBEAT_SECONDS = 15
TAIL_LINES = 20


class ToolError(Exception):
    """What the user has to know, in one sentence; `said` is the end of what a program said about it."""

    def __init__(self, sentence: str, said: str = "") -> None:
        super().__init__(sentence)
        self.said = "\n".join(said.strip().splitlines()[-TAIL_LINES:])


def say(sentence: str) -> None:
    print(f"tools: {sentence}", file=sys.stderr, flush=True)


def find_go() -> str:
    go = shutil.which("go")
    if go is None:
        raise ToolError("go is not on PATH; install Go {}.{} or newer".format(*OLDEST_GO))
    # Asked outside any module, where a newer Go than the installed one can't be meant.
    asked = subprocess.run([go, "env", "GOVERSION"], cwd="/", capture_output=True, text=True, check=False)
    answer = asked.stdout.strip()
    found = re.match(r"go(\d+)\.(\d+)", answer)
    if found and (int(found[1]), int(found[2])) < OLDEST_GO:
        raise ToolError("{} is {}; install Go {}.{} or newer".format(go, answer, *OLDEST_GO))
    return go


def build(program: Program, go: str) -> None:
    """Puts the program into the cache, whole and proven, or raises and leaves nothing there."""
    program.path.parent.mkdir(parents=True, exist_ok=True)
    with only_builder(program.family):
        if program.built:  # by the one that we waited for
            return
        with tempfile.TemporaryDirectory(dir=program.family.home, prefix=".building-") as scratch:
            binary = Path(scratch, program.name)
            seconds = compile_to(binary, program, go)
            prove(binary, program)
            binary.rename(program.path)
    say(f"{program}: built in {seconds:.0f} s, {program.path}")


@contextmanager
def only_builder(family: Family) -> Iterator[None]:
    """Two builds of one family at once would do the same minutes of work twice."""
    with (family.home / ".lock").open("w") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            say(f"{family.name}: waiting for another build of it to end")
            fcntl.flock(lock, fcntl.LOCK_EX)
        yield


def compile_to(binary: Path, program: Program, go: str) -> float:
    """Runs Go in the family's module; answers how many seconds it took."""
    command = [go, "build", *flags(program), "-o", str(binary), program.package]
    started = time.monotonic()
    with tempfile.TemporaryFile("w+") as log:
        exit_code = run_aloud(program, command, log)
        log.seek(0)
        if exit_code != 0:
            raise ToolError(f"{program} could not be built; go ended with {exit_code} and said last:", log.read())
    return time.monotonic() - started


def run_aloud(program: Program, command: Sequence[str], log: TextIO) -> int:
    """Minutes of silence look like a hang: says at once what is built, and then that it still is."""
    say(f"{program}: building")
    started = time.monotonic()
    with subprocess.Popen(
        command, cwd=program.family.folder, env=environment(program), stdout=log, stderr=subprocess.STDOUT
    ) as process:
        try:
            while True:
                with suppress(subprocess.TimeoutExpired):
                    return process.wait(timeout=HEARTBEAT_SECONDS)
                say(f"{program}: building, {time.monotonic() - started:.0f} s")
        except BaseException:
            process.kill()
            raise


def flags(program: Program) -> list[str]:
    """No paths and no repository in the binary: the same wherever it is built."""
    tags = ["-tags", program.tags] if program.tags else []
    return ["-trimpath", "-buildvcs=false", *tags, "-ldflags", program.linker_flags]


def environment(program: Program) -> Mapping[str, str]:
    """The user's own, proxy and all, but for what would build something else than `go.sum` pins."""
    return {**os.environ, "GOFLAGS": "-mod=readonly", "GOWORK": "off", "CGO_ENABLED": "1" if program.cgo else "0"}


def prove(binary: Path, program: Program) -> None:
    """Runs it: a binary that does not know its version was linked with flags that no longer fit."""
    answer = subprocess.run(
        [binary, *program.ask], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=60, check=False
    )
    if answer.returncode != 0 or program.number not in re.findall(r"\d+(?:\.\d+)+", answer.stdout):
        raise ToolError(f"{program} was built, but does not tell that version; it says:", answer.stdout)
