"""Cases of ours with something in them that does not belong there, and texts that only grow."""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache

from tests.boot.mutations import WRAPS, mutated
from tests.case_files import every_case, whole
from tests.fuzz import shapes

_LARGEST_FILE = 200_000
NAMES = (
    *("values.yaml", "user-data.sh", "pod.yaml", "config.toml", "user-data.txt", "Pulumi.dev.yaml", "node.json"),
    *(
        "templates/a.yaml",
        "node.tftpl",
        "job.sbatch",
        "user.rules",
        "daemon.json",
        "a.conf",
        "hosts.toml",
        "slurm.conf",
    ),
)


@dataclass(frozen=True)
class Input:
    """Files by their names, and the command that reads them."""

    files: Mapping[str, bytes]
    command: tuple[str, ...]
    # The file that is no longer what it was.
    changed: str


@cache
def cases() -> Sequence[Input]:
    """Those that need no program of their own to be run."""
    found = []
    for case in every_case():
        folder = whole(case.id)
        files = {
            str(path.relative_to(folder)): path.read_bytes()
            for path in sorted(folder.rglob("*"))
            if path.is_file() and path.stat().st_size < _LARGEST_FILE
        }
        if files and case.command[0] != "preview":
            found.append(Input(files, tuple(case.command), ""))
    return found


@cache
def _every_file() -> Sequence[bytes]:
    return [data for case in cases() for data in case.files.values()]


def made(seed: int) -> Input:
    """Always the same of a seed."""
    source = random.Random(seed)
    if source.random() < 0.35:
        return _alone(source)
    # Dumps and recordings are fewer, and read by as much code.
    verb = source.choice(["check", "check", "diagnose", "node"])
    case = source.choice([each for each in cases() if each.command[0] == verb])
    name = source.choice(sorted(case.files))
    data = case.files[name]
    changed = source.choice([_grown, _grown, _marked, _mutated])(source, data)
    return Input({**case.files, name: changed}, case.command, name)


def _alone(source: random.Random) -> Input:
    text, name = shapes.made(source), source.choice(NAMES)
    data = text.encode("utf-8", "surrogatepass")
    if source.random() < 0.1:
        data = source.choice(WRAPS)(data)
    command = ("node", f"replay:{name}") if name == "node.json" else ("check", source.choice([".", name]))
    return Input({name: data}, command, name)


def _grown(source: random.Random, data: bytes) -> bytes:
    """A shape between two lines, as deep as the line above it, or in the place of a value."""
    text = data.decode("utf-8", "replace")
    lines, grown = text.split("\n"), shapes.made(source)
    at = source.randrange(len(lines))
    if source.random() < 0.3 and ":" in lines[at]:
        lines[at] = f"{lines[at].partition(':')[0]}: {grown.removesuffix(chr(10))}"
    else:
        room = " " * (len(lines[at]) - len(lines[at].lstrip(" ")))
        lines[at:at] = [f"{room}{line}" for line in grown.removesuffix("\n").split("\n")]
    return "\n".join(lines).encode("utf-8", "surrogatepass")


def _marked(source: random.Random, data: bytes) -> bytes:
    """What would be obeyed, in the place of words."""
    words = data.decode("utf-8", "replace").split(" ")
    for _ in range(source.choice([1, 3, 20])):
        at = source.randrange(len(words))
        mark = source.choice(shapes.OBEYED)
        words[at] = source.choice([mark, words[at] + mark, mark + words[at], f'"{mark}"'])
    return " ".join(words).encode("utf-8", "surrogatepass")


def _mutated(source: random.Random, data: bytes) -> bytes:
    return mutated(source, [data, *source.choices(_every_file(), k=3)])
