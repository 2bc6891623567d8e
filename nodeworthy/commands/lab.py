"""Boots fresh nodes on this machine, as root: a real systemd, a real cloud-init, a real containerd, in a container.

`lab up` boots one with a boot script, says how to reach it, and stays until Ctrl-C. `lab faults` injects every known
fault into a fresh node of its own, runs the node suite on it, and prints which rules turned red. Exit codes of `lab
faults`: 0 where each fault turned exactly its rule red and no other, 1 where one did not, 3 where no node could be
booted or looked at. The system that nodes start from is made by apt once, in about two minutes, and kept.
"""

from __future__ import annotations

import argparse
import importlib.util
import signal
import sys
from pathlib import Path
from types import FrameType
from typing import TYPE_CHECKING

from nodeworthy.errors import CouldNotLook, InputError, MissingExtra
from nodeworthy.patterns import pattern

if TYPE_CHECKING:
    from collections.abc import Sequence

    from nodeworthy.lab.faults.injecting import Outcome

FORMATS = ("text", "json", "markdown")
JOBS = 2
NAME = "node"
IMAGE = "al2023"
HOST_NAME = pattern(r"[A-Za-z0-9]([A-Za-z0-9-]{0,61}[A-Za-z0-9])?")
# As lab/images.py has them.
IMAGES = ("debian", "al2023", "al2023-nvidia", "eks-ubuntu", "eks-ubuntu-nvidia", "gpu-node")
WITH_FAULTS = "gpu-node"


class Options:
    what: str
    user_data: str | None
    name: str | None
    image: str | None
    only: list[str] | None
    jobs: int | None
    format: str | None
    output: str | None


def configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("what", choices=("up", "faults"), help="a node to look at, or the table of faults")
    parser.add_argument("--user-data", metavar="FILE", help="up: the boot script, in any form; - is standard input")
    parser.add_argument("--name", metavar="NAME", help=f"up: the node's name ({NAME})")
    parser.add_argument("--image", choices=IMAGES, help=f"up: what it starts from ({IMAGE})")
    parser.add_argument("--only", action="append", metavar="ID", help="faults: this one, and no others (repeatable)")
    parser.add_argument("--jobs", metavar="N", type=int, help=f"faults: nodes at a time ({JOBS})")
    parser.add_argument("--format", choices=FORMATS, help=f"faults: how the table is written ({FORMATS[0]})")
    parser.add_argument("--output", metavar="FILE", help="faults: where it is written (standard output)")


def run(options: Options) -> int:
    for name, given in _of_the_other(options).items():
        if given is not None:
            raise InputError(f"lab {options.what} has no {name}")
    return _up(options) if options.what == "up" else _faults(options)


def _of_the_other(options: Options) -> dict[str, object]:
    if options.what == "up":
        return {
            "--only": options.only,
            "--jobs": options.jobs,
            "--format": options.format,
            "--output": options.output,
        }
    return {"--user-data": options.user_data, "--name": options.name, "--image": options.image}


def _up(options: Options) -> int:
    if options.user_data is None:
        raise InputError("lab up needs a boot script: --user-data FILE")
    name = NAME if options.name is None else options.name
    if not HOST_NAME.fullmatch(name):
        raise InputError(f"--name {name}: a host's name has letters, digits and hyphens, 63 of them at most")
    user_data = _read_user_data(options.user_data)
    image = options.image or IMAGE
    _can_boot(image)
    from nodeworthy.lab.up import stay_up

    stay_up(image, user_data, name, lambda line: print(line, flush=True))
    return 0


def _read_user_data(name: str) -> bytes:
    try:
        return sys.stdin.buffer.read() if name == "-" else Path(name).read_bytes()
    except OSError as problem:
        raise InputError(f"can't read {name}: {problem.strerror}") from None


def _faults(options: Options) -> int:
    jobs = JOBS if options.jobs is None else options.jobs
    if jobs < 1:
        raise InputError(f"--jobs {jobs}: at least one node at a time")
    if importlib.util.find_spec("testinfra") is None:
        raise MissingExtra("nodeworthy lab faults", "nodes")
    from nodeworthy.lab.faults.fault import choose_faults, with_healthy

    faults = with_healthy(choose_faults(options.only or ()))
    _can_boot(WITH_FAULTS)
    from nodeworthy.lab.faults.injecting import outcomes

    found = outcomes(faults, jobs, _tell if sys.stderr.isatty() else None)
    _deliver(options, found)
    if any(not each.as_expected and not each.why for each in found):
        return 1
    return 3 if any(each.why for each in found) else 0


def _deliver(options: Options, found: Sequence[Outcome]) -> None:
    from nodeworthy.commands.judging import hand_over
    from nodeworthy.lab.faults import injecting

    write = {"text": injecting.text, "json": injecting.as_json, "markdown": injecting.markdown}[
        options.format or FORMATS[0]
    ]
    written = write(found)
    hand_over(written, options.output)


def _can_boot(image: str) -> None:
    """Raises CouldNotLook where no node can be booted here. From here on, SIGTERM ends us as Ctrl-C does."""
    from nodeworthy.lab import host_requirements

    if missing := host_requirements.missing(image):
        raise CouldNotLook(f"no node can be booted on this machine, for want of: {', '.join(missing)}")
    signal.signal(signal.SIGTERM, _leave)


def _leave(number: int, _frame: FrameType | None) -> None:
    signal.signal(number, signal.SIG_IGN)
    raise SystemExit(128 + number)


def _tell(done: int, of: int, outcome: Outcome) -> None:
    end = "\n" if done == of else ""
    says = "as it must be" if outcome.as_expected else "NOT as it must be"
    print(f"\r\033[K{done} of {of} nodes, the last: {outcome.fault.name}, {says}", end=end, file=sys.stderr, flush=True)
