"""The processes of a recording: which runtimes run on the host, and what each of them knows."""

from __future__ import annotations

import posixpath
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from nodeworthy.collect.node.containerd import changed_since, dump_of, said_by, version_of, warnings_of
from nodeworthy.collect.node.recording import Recording
from nodeworthy.documents.tree import Tree
from nodeworthy.facts.containerd.runtimes import address, default_runtime, handlers, registry_folders
from nodeworthy.facts.node.node import RuntimeProcess
from nodeworthy.known.containerd import defaults, same_file
from nodeworthy.patterns import pattern
from nodeworthy.records import dataclass
from nodeworthy.verdict import Known, Located, Place

RUNTIMES = ("containerd", "crio", "cri-dockerd")
_PROCESS = pattern(r"process (?P<pid>[0-9]{1,10}) (?P<name>\S+)")


@dataclass(frozen=True)
class Process:
    pid: int
    name: str
    arguments: tuple[str, ...]
    recording: Recording

    def flag(self, *names: str) -> str | None:
        """The last value of a flag, however it is written."""
        value = None
        following = (*self.arguments[1:], "")
        for argument, after in zip(self.arguments, following, strict=True):
            name, assigned, rest = argument.partition("=")
            if name in names:
                value = rest if assigned else after
        return value or None

    @property
    def unit(self) -> str | None:
        return next((each for each in reversed(self._cgroup) if each.endswith(".service")), None)

    @property
    def in_a_container(self) -> bool:
        """Whether it is some container's own: its PID namespace lies beneath ours, or it is a pod's."""
        ours, theirs = (self._depth(name) for name in ("ourselves", f"namespaces {self.pid}"))
        return theirs > ours or any(each.startswith("kubepods") for each in self._cgroup)

    @property
    def _cgroup(self) -> Sequence[str]:
        part = self.recording.part(f"cgroup {self.pid}")
        lines = part.stdout.splitlines() if part else []
        # cgroup v1 has a line for each controller; systemd's own tells the unit, as v2's only one does.
        told = [line.rpartition(":")[2] for line in lines if line.startswith("0::/") or ":name=systemd:" in line]
        return [each for path in told for each in path.split("/") if each]

    def _depth(self, part_name: str) -> int:
        part = self.recording.part(part_name)
        return len(part.stdout.split()) if part else 0


def processes(recording: Recording) -> Iterator[Process]:
    for part in recording.parts:
        named = _PROCESS.fullmatch(part.name)
        if named and part.stdout:
            found = Process(int(named["pid"]), named["name"], tuple(part.stdout.split("\n")), recording)
            if not found.in_a_container:
                yield found


@dataclass(frozen=True)
class Sockets:
    """Who listens where."""

    recording: Recording

    @property
    def _real(self) -> Mapping[str, str]:
        return dict(_pairs(self.recording, "resolved"))

    def same(self, one: str, other: str) -> bool:
        real = self._real
        return same_file(real.get(one, one), real.get(other, other))

    def at(self, path: str) -> frozenset[str]:
        """The inodes of what listens on this path."""
        return frozenset(inode for inode, bound in _pairs(self.recording, "listening") if self.same(bound, path))

    def paths_of(self, process: Process) -> list[str]:
        held = self.held_by(process)
        return [path for inode, path in _pairs(self.recording, "listening") if inode in held]

    def held_by(self, process: Process) -> frozenset[str]:
        part = self.recording.part(f"sockets {process.pid}")
        lines = part.stdout.split() if part else []
        return frozenset(each.removeprefix("socket:[").removesuffix("]") for each in lines)

    def can_see(self, process: Process) -> bool:
        part = self.recording.part(f"sockets {process.pid}")
        return part is not None and not (part.stderr and not part.stdout)


def _pairs(recording: Recording, name: str) -> list[tuple[str, str]]:
    part = recording.part(name)
    lines = part.stdout.splitlines() if part else []
    return [(first, rest) for line in lines for first, _, rest in [line.partition(" ")] if rest]


def runtime_of(process: Process, sockets: Sockets, host: Place) -> RuntimeProcess:
    place = host.about(f"{process.name} {process.pid}")
    recording, key = process.recording, str(process.pid)
    dump = dump_of(recording, key, process.name, place)
    config = process.flag("--config", "-c") or (defaults().config if process.name == "containerd" else "its default")
    return RuntimeProcess(
        place=place,
        name=process.name,
        pid=process.pid,
        unit=process.unit,
        socket=_socket(process, sockets, dump, place),
        config=config,
        version=version_of(recording, key, place),
        handlers=replace(handlers(dump), place=place),
        default=replace(default_runtime(dump), place=place),
        warnings=warnings_of(recording, key),
        registry_folders=replace(registry_folders(dump), place=place),
        changed_since=changed_since(recording, key, process.name, place),
        said=said_by(recording, key, dump, config, place),
    )


def _socket(process: Process, sockets: Sockets, dump: Tree, place: Place) -> Located[str]:
    """Where it listens for the CRI: the main one of its sockets is that of its address."""
    claimed = claimed_address(process, dump)
    bound = sockets.paths_of(process)
    if claimed is not None and (not bound or any(sockets.same(claimed, each) for each in bound)):
        return Located.known(claimed, place)
    named = [each for each in bound if posixpath.basename(each).startswith(process.name)] or bound
    return Located.known(named[0], place) if named else Located.unknown("where it listens is not known", place)


def claimed_address(process: Process, dump: Tree) -> str | None:
    if process.name != "containerd":
        return process.flag("--listen", "--container-runtime-endpoint")
    flag = process.flag("--address", "-a")
    if flag is not None or dump.is_unknown:
        return flag
    return address(dump) or defaults().socket


def claims(runtime: RuntimeProcess, path: str, sockets: Sockets) -> bool:
    return isinstance(runtime.socket.state, Known) and sockets.same(runtime.socket.state.value, path)
