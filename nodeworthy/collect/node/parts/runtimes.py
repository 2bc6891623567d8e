"""Which runtimes run on a node, which of them listens where kubelet calls, and what else is there to be one."""

from __future__ import annotations

import posixpath
from collections.abc import Mapping, Sequence
from dataclasses import replace

from nodeworthy.collect.node.parts.boot import boot_end
from nodeworthy.collect.node.parts.containerd import (
    containerd_answers,
    dump_of,
    idle_containerds,
    version_of,
    warnings_of,
    younger_file,
)
from nodeworthy.collect.node.parts.kubelet import endpoint, kubelet
from nodeworthy.collect.node.parts.processes import Process, processes
from nodeworthy.collect.node.parts.units import lines, printed_value, units
from nodeworthy.collect.node.recording import Recording
from nodeworthy.documents.tree import Tree
from nodeworthy.facts.containerd.runtimes import address, default_runtime, handlers, registry_folders
from nodeworthy.facts.node.kubelet import NodeKubelet
from nodeworthy.facts.node.runtimes import NodeRuntimes, NodeToolkit, RuntimeProcess
from nodeworthy.known.containerd import defaults, same_file
from nodeworthy.records import dataclass
from nodeworthy.verdict import Known, Located, Place, Unknown, value_if_known

RUNTIMES = ("containerd", "crio", "cri-dockerd")


def runtimes(recording: Recording, host: Place) -> NodeRuntimes:
    running, sockets = list(processes(recording)), Sockets(recording)
    there = [runtime_of(each, sockets, host) for each in running if each.name in RUNTIMES]
    called = endpoint(recording, running, host)
    used = _listening(called, there, running, sockets, recording)
    chosen = value_if_known(used)
    own = kubelet(recording, host)
    unit = own.unit() if isinstance(own, NodeKubelet) and isinstance(own.units.by_name.state, Known) else None
    return NodeRuntimes(
        place=host.about("container runtimes"),
        endpoint=called,
        used=used,
        others=tuple(each for each in there if each is not chosen),
        idle=tuple(idle_containerds(recording, units(recording, "units", host), host)),
        kubelet=unit.name if unit is not None else "kubelet",
        kubelet_is_down=unit is not None and isinstance(own, NodeKubelet) and not own.runs,
    )


def _listening(
    endpoint: Located[str],
    runtimes: Sequence[RuntimeProcess],
    running: Sequence[Process],
    sockets: Sockets,
    recording: Recording,
) -> Located[RuntimeProcess]:
    if isinstance(endpoint.state, Unknown):
        return Located(endpoint.state, endpoint.place)
    path, place = endpoint.state.value, endpoint.place
    unread = sockets.unread
    if unread:
        return Located.unknown(f"who listens on kubelet's socket {path} could not be read: {unread}", place)
    inodes = sockets.at(path)
    if not inodes:
        return Located.unknown(_dead(path, recording), place)
    by_pid = {each.pid: each for each in runtimes}
    seen = [each for each in running if each.pid in by_pid]
    owners = [by_pid[each.pid] for each in seen if sockets.held_by(each) & inodes]
    if not owners and not all(sockets.can_see(each) for each in seen):
        # Not root: who holds a socket can't be seen. What runs and says that it listens there is as good, if it is one.
        owners = [each for each in runtimes if claims(each, path, sockets)]
    if len(owners) == 1:
        return Located.known(owners[0], place)
    who = " and ".join(each.title for each in owners)
    return Located.unknown(f"who listens on kubelet's socket {path} can't be told{f': {who}' if who else ''}", place)


def _dead(path: str, recording: Recording) -> str:
    states = [_unit_state(block) for block in _output_of(recording, "units").split("\n\n")]
    down = ", ".join(filter(None, states))
    return f"nothing listens on {path}, the socket that kubelet talks to{f' ({down})' if down else ''}"


def _unit_state(block: str) -> str | None:
    said = dict(line.split("=", 1) for line in block.splitlines() if "=" in line)
    if said.get("LoadState") != "loaded" or said.get("ActiveState") == "active":
        return None
    return f"{said.get('Id')} is {said.get('ActiveState')}"


def toolkit(recording: Recording, host: Place) -> NodeToolkit:
    place = host.about("toolkit")
    left = printed_value(recording, "toolkit", place, "what the NVIDIA toolkit leaves on a node")
    if left is not None and isinstance(left.state, Unknown):
        unread = Located[str](left.state, place)
        return NodeToolkit(place, Located(left.state, place), unread, unread)
    traces = lines(recording, "toolkit")
    own = next((each for each in traces if posixpath.dirname(each) in _OF_PACKAGES), "")
    operators = next((each for each in traces if each.startswith(_OPERATORS_OWN)), "")
    return NodeToolkit(
        place, _due(traces, recording, place), Located.known(own, place), Located.known(operators, place)
    )


# A validator of the operator's leaves `toolkit-ready` whoever brings the toolkit: it is no trace of the operator's own.
_OF_PACKAGES, _OPERATORS_OWN = (
    ("/usr/bin", "/usr/local/bin", "/bin"),
    ("/usr/local/nvidia/toolkit/", "/run/nvidia/toolkit/"),
)


def _due(traces: Sequence[str], recording: Recording, where: Place) -> Located[bool]:
    by_operator = [each for each in traces if posixpath.dirname(each) not in _OF_PACKAGES]
    if by_operator and lines(recording, "nri"):
        why = "an NRI plugin is connected to containerd; if it is the operator's, the runtime is in no configuration"
        return Located.unknown(why, where)
    if by_operator:
        return Located.known(True, where.about(f"the operator's toolkit ran: {by_operator[0]}"))
    if not traces:
        return Located.unknown("no trace of the NVIDIA toolkit is on this host yet, so it was not due", where)
    end = boot_end(recording, where).reached.state
    if isinstance(end, Unknown):
        return Located(end, where)
    if not end.value:
        return Located.unknown("the boot script has not ended yet, so the toolkit was not due", where)
    return Located.known(True, where.about(f"the toolkit is installed: {traces[0]}"))


def _output_of(recording: Recording, name: str) -> str:
    part = recording.part(name)
    return part.stdout if part else ""


@dataclass(frozen=True)
class Sockets:
    """The sockets of a node, and the processes that listen on them."""

    recording: Recording

    @property
    def _real(self) -> Mapping[str, str]:
        return dict(_pairs(self.recording, "resolved"))

    @property
    def unread(self) -> str:
        """Why nobody knows who listens; empty where that was read."""
        part = self.recording.part("listening")
        if part is None:
            return "it was not asked"
        return part.why if part.code != 0 else ""

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
        changed_since=younger_file(recording, key, process.name, place),
        said=containerd_answers(recording, key, dump, config, place),
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
