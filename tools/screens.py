"""Pictures for docs/: what terminals show of cases that anybody can run, and the fleet's own drawing."""

from __future__ import annotations

import fcntl
import os
import pty
import shlex
import struct
import subprocess
import sys
import termios
from dataclasses import dataclass
from pathlib import Path

import terminal_svg
from case_examples import CASES, ROOT, elsewhere

from nodeworthy.fleet.read import read_fleet_file
from nodeworthy.report.fleet_html import DRAWING, PALETTE
from nodeworthy.report.fleet_html import svg as drawn
from nodeworthy.report.fleet_picture import picture_of

COLUMNS, ROWS = 140, 400
STACK = "prod"


@dataclass(frozen=True)
class Screen:
    name: str
    heading: str
    says: str
    case: str
    command: str


SCREENS = (
    Screen(
        "finding",
        "A finding",
        "The same words in an editor, on a pull request, on a node and of a cluster: what is, what should be, why, "
        "and what mends it.",
        "containerd-paths/bad-source-incident",
        "check . --rule containerd-paths",
    ),
    Screen(
        "timeline",
        "A timeline",
        "What a boot script does, in the order in which it happens, with what is wrong marked where it happens.",
        "profiling-before-driver/bad-october",
        "boot al2023-user-data.sh",
    ),
    Screen(
        "cause",
        "A cause",
        "A cluster whose GPU pods stay in ContainerCreating: one finding, with all that suffer from it.",
        "containerd-paths/bad-cluster-incident",
        "diagnose --from dump --fleet Pulumi.onprem.yaml --rule containerd-paths",
    ),
    Screen(
        "ledger",
        "The ledger",
        "Who holds which GPUs, since when, and whether they work.",
        "gpus-not-held-idle/bad-cluster-quiet-for-an-hour",
        "diagnose --from dump --ledger --rule gpus-not-held-idle",
    ),
)


def pictures() -> dict[str, str]:
    """By their file names."""
    shown = {f"{each.name}.svg": terminal_svg.svg(each.says, _screen(each), COLUMNS) for each in SCREENS}
    return {**shown, "fleet.svg": _fleet()}


def page_text() -> str:
    parts = [
        "# Screens\n",
        "Each is made by `make docs`, which runs the command that stands above it.\n",
        "## A fleet\n",
        f"`nodeworthy fleet --stack {STACK} --format html`: pools, GPUs, what stands beside them, who reaches whom.\n",
        f"![The fleet of the stack {STACK}](screens/fleet.svg)\n",
    ]
    for each in SCREENS:
        parts += [
            f"## {each.heading}\n",
            f"{each.says} `nodeworthy {each.command}` in `tests/cases/{each.case}`:\n",
            f"![What nodeworthy {each.command} prints](screens/{each.name}.svg)\n",
        ]
    return "\n".join(parts)


def _fleet() -> str:
    path = ROOT / f"Pulumi.{STACK}.yaml"
    drawing = drawn(picture_of(read_fleet_file(path, path.name)))
    opened, _, rest = drawing.partition(">")
    named = opened if "xmlns=" in opened else f'{opened} xmlns="http://www.w3.org/2000/svg"'
    return f"{named}><style>{PALETTE}{DRAWING} svg {{ background: var(--paper); }}</style>{rest.strip()}\n"


def _screen(screen: Screen) -> str:
    with elsewhere(CASES / screen.case) as place:
        printed = _in_terminal([sys.executable, "-m", "nodeworthy", *shlex.split(screen.command)], place)
    return f"\x1b[2m$\x1b[0m \x1b[1mnodeworthy {screen.command}\x1b[0m\n{printed}"


def _in_terminal(command: list[str], folder: Path) -> str:
    """What a terminal of a fixed width gets, on stdout alone."""
    ours, theirs = pty.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", ROWS, COLUMNS, 0, 0))
    own = {name: value for name, value in os.environ.items() if name not in ("NO_COLOR", "COLUMNS", "LINES")}
    told = {**own, "TERM": "xterm", "PYTHONPATH": str(ROOT), "XDG_CACHE_HOME": os.devnull}
    with subprocess.Popen(
        command, cwd=folder, env=told, stdin=subprocess.DEVNULL, stdout=theirs, stderr=subprocess.DEVNULL
    ):
        os.close(theirs)
        printed = _all_of(ours)
    os.close(ours)
    return printed.replace("\r\n", "\n")


def _all_of(terminal: int) -> str:
    printed = bytearray()
    while True:
        try:
            piece = os.read(terminal, 1 << 16)
        except OSError:  # how a terminal says that nobody holds its other end any more
            break
        if not piece:
            break
        printed += piece
    return printed.decode("utf-8")
