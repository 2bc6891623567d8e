"""What a node has become by its boot: files, units, what was loaded with which option, and in which order."""

from __future__ import annotations

import base64
import hashlib
import json
import os
import stat
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from enum import StrEnum
from pathlib import Path

from nodeworthy.lab import cache
from nodeworthy.lab.node import Node
from nodeworthy.lab.watch import Event
from nodeworthy.patterns import pattern
from nodeworthy.records import dataclass

LOOK_SECONDS = 120
PARAMS = "/proc/driver/nvidia/params"
OUTPUT = "/var/log/cloud-init-output.log"
NOTHING = b"#!/bin/sh\n:\n"
_OF_NVIDIA = pattern(r"nvidia[\w-]*")

# What a system writes by itself: its journals, its state, its packages and their caches.
ITS_OWN = (
    "/etc/machine-id /root/.rpmdb /usr/bin /usr/lib /usr/sbin /usr/share /var/cache /var/lib/apt /var/lib/cloud/data "
    "/var/lib/cloud/instance /var/lib/cloud/instances /var/lib/cloud/seed /var/lib/cloud/sem /var/lib/dbus "
    "/var/lib/dnf /var/lib/dpkg /var/lib/rpm /var/lib/systemd /var/log /etc/ld.so.cache"
).split()


class PathKind(StrEnum):
    FILE = "file"
    LINK = "link"
    GONE = "gone"


@dataclass(frozen=True)
class ObservedPath:
    kind: PathKind
    content: bytes = b""
    target: str = ""
    mode: int = 0


@dataclass(frozen=True)
class Observation:
    # What the boot changed on disk; and what of it any boot would have changed in the same way.
    files: Mapping[str, ObservedPath]
    usual: frozenset[str]
    # In the order in which they happened.
    events: Sequence[Event]
    # Of each unit of the system: enabled, disabled, masked, static …; and whether it is active.
    enabled: Mapping[str, str]
    active: Mapping[str, str]
    # Files that are on no disk, as far as they were asked for; None for one that is not there.
    contents: Mapping[str, str | None]
    # What stood in the folders of modprobe when the module was loaded.
    at_load: Mapping[str, str]
    output: str

    @property
    def params(self) -> dict[str, str]:
        """What the loaded module was given; empty where it was not loaded."""
        rows = (line.partition(": ") for line in (self.contents.get(PARAMS) or "").splitlines())
        return {name: value for name, _, value in rows}

    @property
    def loads(self) -> list[tuple[str, ...]]:
        """The modules of NVIDIA that were loaded: name, options."""
        said = (event.words for event in self.events if event.words)
        return [words[1:] for words in said if words[0] == "load" and _OF_NVIDIA.fullmatch(words[1])]


def observe(lower: Sequence[Path], user_data: bytes, also: Iterable[str] = (), *, again: bool = False) -> Observation:
    """Boots a node with this user data, twice where it reboots itself or `again`, and tells what came of it."""
    usual = ordinary(lower)
    seen = _boot(lower, user_data, also, again=again)
    same = (path for path, found in seen.files.items() if usual.get(path) == _digest(found))
    return replace(seen, usual=frozenset(same))


def ordinary(lower: Sequence[Path]) -> dict[str, str]:
    """What a boot changes that has nothing to do."""

    def make(folder: Path) -> None:
        files = _boot(lower, NOTHING, (), again=False).files
        (folder / "files.json").write_text(json.dumps({path: _digest(found) for path, found in files.items()}))

    name = f"ordinary-{'-'.join(layer.name.rpartition('-')[0] for layer in lower)}"
    made_from = [str(layer) for layer in lower] + cache.sources("observation.py", "node.py", "launch.sh")
    told: dict[str, str] = json.loads((cache.cached_folder(name, made_from, make) / "files.json").read_text())
    return told


def _boot(lower: Sequence[Path], user_data: bytes, also: Iterable[str], *, again: bool) -> Observation:
    with Node(lower, user_data) as node:
        node.boot()
        if node.rebooted or again:
            node.end()
            node.boot()
        told = json.loads(_look(node, [PARAMS, *also]))
        node.end()
        contents = {path: None if text is None else _text(text) for path, text in told["contents"].items()}
        output = node.upper / OUTPUT.lstrip("/")
        log = output.read_text(errors="replace") if output.exists() else ""
        files = dict(_changed(node.upper))
        at_load = {path: _text(text) for path, text in told["at_load"].items()}
        return Observation(
            files, frozenset(), tuple(node.events), told["enabled"], told["active"], contents, at_load, log
        )


def _look(node: Node, paths: list[str]) -> str:
    program = (cache.HERE / "look.py").read_text()
    return node.run("python3", "-c", program, seconds=LOOK_SECONDS, stdin=json.dumps(paths))


def _text(encoded: str) -> str:
    return base64.b64decode(encoded).decode(errors="replace")


def _changed(upper: Path) -> Iterator[tuple[str, ObservedPath]]:
    for folder, names, files in os.walk(upper):
        for name in sorted([*names, *files]):
            file = Path(folder) / name
            path = f"/{file.relative_to(upper)}"
            found = _observe_path(file)
            if found is not None and not is_its_own(path):
                yield path, found


def _observe_path(file: Path) -> ObservedPath | None:
    """None for what is neither a file nor a link: a folder, a device, a socket."""
    about = file.lstat()
    if stat.S_ISLNK(about.st_mode):
        return ObservedPath(PathKind.LINK, target=str(file.readlink()))
    if stat.S_ISREG(about.st_mode):
        return ObservedPath(PathKind.FILE, file.read_bytes(), mode=stat.S_IMODE(about.st_mode))
    # How an overlay says that a file of a layer below is there no more.
    if stat.S_ISCHR(about.st_mode) and about.st_rdev == 0:
        return ObservedPath(PathKind.GONE)
    return None


def is_its_own(path: str) -> bool:
    return any(path == each or path.startswith(f"{each}/") for each in ITS_OWN)


def _digest(found: ObservedPath) -> str:
    return hashlib.sha256(repr(found).encode()).hexdigest()
