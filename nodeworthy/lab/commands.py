"""Programs of this machine: each with a deadline, and what it said where it failed."""

from __future__ import annotations

import subprocess
from collections.abc import Mapping, Sequence
from pathlib import Path

from nodeworthy.errors import CouldNotLook

TAIL_LINES = 15
# The kernel kills a program when whoever started it is killed, which no `finally` would see. A program says it: no code
# of ours runs between fork and exec, where another thread's locks are held for ever.
WITH_US = ("setpriv", "--pdeathsig", "KILL", "--")


class LabError(CouldNotLook):
    """A node could not be made, booted or looked at."""


def run(argv: Sequence[str | Path], *, seconds: float, stdin: str = "", env: Mapping[str, str] | None = None) -> str:
    """What it printed; ends with the end of what it said where it fails or takes too long."""
    shown = " ".join(str(each) for each in argv)[:200]
    try:
        done = subprocess.run(
            [*WITH_US, *argv],
            input=stdin,
            capture_output=True,
            text=True,
            errors="replace",
            timeout=seconds,
            env=env,
            check=False,
        )
    except subprocess.TimeoutExpired:
        raise LabError(f"not done after {seconds:.0f} s: {shown}") from None
    except OSError as broken:
        raise LabError(f"{broken.strerror}: {shown}") from None
    if done.returncode != 0:
        raise LabError(f"{shown} ended with {done.returncode}: {tail(done.stdout + done.stderr)}")
    return done.stdout


def tail(text: str) -> str:
    return "\n".join(["", *text.splitlines()[-TAIL_LINES:]])
