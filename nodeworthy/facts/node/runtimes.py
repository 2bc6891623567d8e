"""The container runtimes of a node: which one its kubelet talks to, what each knows and says of itself, and whether the
toolkit has been there that writes NVIDIA's into it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar

from nodeworthy.facts.containerd.config import ConfigFile
from nodeworthy.facts.node.identity import NodeIdentity
from nodeworthy.facts.node.units import UnitState
from nodeworthy.known.containerd import containerd_of, distributions, same_file
from nodeworthy.known.kubelet import goes_with
from nodeworthy.records import dataclass
from nodeworthy.verdict import (
    DoesNotApply,
    Known,
    Located,
    NotKnown,
    Place,
    Related,
    Unknown,
    need,
    skip,
    value_if_known,
)

CONTAINERD = "containerd"
# What stands for a program of a runtime that can be run.
RUNS = ""
# What can only be meant as a drop-in, whatever is imported; what somebody has put aside (.bak, .rpmsave) is not.
DROP_IN_ENDINGS = (".toml", "", ".conf", ".cfg", ".tml")


@dataclass(frozen=True)
class SaidByContainerd:
    """None, or empty, is what a recording does not have because it was made before that was asked."""

    # Why the process has no CRI plugin, in its own words; None within where it has one.
    cri: Located[str | None] | None = None
    # The runtimes with which its CRI plugin started, by its log; None where that is not kept.
    started_with: tuple[str, ...] | None = None
    # Why its own program can't read its files, which ends the next start; None where it reads them.
    refuses: str | None = None
    # Its root file, what that imports, and what lies where drop-ins do.
    files: tuple[ConfigFile, ...] = ()
    # Of each runtime that names a program: which, and what is wrong with it.
    programs: Mapping[str, tuple[str, Located[str]]] | None = None


@dataclass(frozen=True)
class RuntimeProcess:
    """A container runtime that runs on the node."""

    place: Place
    # containerd, crio, cri-dockerd
    name: str
    pid: int
    unit: str | None
    socket: Located[str]
    # The file that this process was started with, or its default.
    config: str
    version: Located[str]
    # The handlers that it knows: what a RuntimeClass may name.
    handlers: Located[tuple[str, ...]]
    # The one that pods get that name none.
    default: Located[str | None]
    # What it said while it read its configuration.
    warnings: tuple[str, ...]
    # Where it looks for hosts.toml.
    registry_folders: Located[tuple[str, ...]]
    # A file of its configuration that was changed after the process had read it, if there is one.
    changed_since: Located[str | None]
    # What else it says of itself, where it is containerd.
    said: SaidByContainerd

    @property
    def service(self) -> str:
        """What systemctl calls it; its program, where it runs in no unit."""
        return self.unit or self.name

    @property
    def loaded(self) -> Located[tuple[str, ...]]:
        """The handlers that the running process has: those of its files, if they are as it read them."""
        if isinstance(self.changed_since.state, Unknown):
            return Located(self.changed_since.state, self.place)
        if self.changed_since.state.value is None:
            return self.handlers
        if self.said.started_with is not None:
            return Located.known(self.said.started_with, self.place)
        return Located.unknown(self.is_older, self.place)

    @property
    def is_older(self) -> str:
        """Why its files are not what it has loaded; empty where they are, as far as anybody can see."""
        changed = value_if_known(self.changed_since)
        if changed is None:
            return ""
        what = f"{changed} was changed after {self.service} (pid {self.pid}) was started"
        return f"{what}: what it has loaded may be older, and a restart would load it"

    def only_as_it_read_them(self) -> None:
        """Ends the judgement as unknown where its files were changed since, or nobody could see whether."""
        if need(self.changed_since) is not None:
            raise NotKnown(self.is_older, self.place)

    @property
    def is_without_cri(self) -> bool:
        """No kubelet can use it, whatever its files say: containerd-config-read says why."""
        return self.handlers.state == Known(()) or (
            self.said.cri is not None and isinstance(self.said.cri.state, Known) and bool(self.said.cri.state.value)
        )

    @property
    def is_containerd(self) -> bool:
        return self.name == CONTAINERD

    @property
    def is_unread(self) -> bool:
        return isinstance(self.handlers.state, Unknown)

    @property
    def title(self) -> str:
        """Which one it is, in the words in which one looks for it on the machine."""
        return f"{self.service} (pid {self.pid}, socket {self.socket.shown()}, config {self.config})"

    @property
    def config_to_write(self) -> str:
        """The file that a toolkit may write: some distributions generate the one that containerd is started with."""
        unit, socket = (self.unit or "").removesuffix(".service"), self.socket.shown()
        for row in map(containerd_of, distributions()):
            if row.config and unit in row.units and row.accepts_socket(socket):
                return row.config
        return self.config

    def knows(self, handler: str) -> bool | None:
        """None where it could not be read."""
        return handler in self.handlers.state.value if isinstance(self.handlers.state, Known) else None

    @property
    def says(self) -> str:
        if isinstance(self.handlers.state, Unknown):
            return f"{self.title}: {self.handlers.state.why}"
        version = f" {self.version.state.value}" if isinstance(self.version.state, Known) else ""
        named = ", ".join(self.handlers.state.value) or "none"
        return f"{self.title} is {self.name}{version}, and its runtimes are: {named}"

    def related(self) -> Related:
        return Related(self.place, self.says)


@dataclass(frozen=True)
class IdleContainerd:
    """A unit that is there to run a containerd, and does not."""

    place: Place
    unit: UnitState
    config: str
    # Where it would listen; None where its files can't be read.
    address: str | None
    version: str | None
    said: SaidByContainerd
    # The last word of its journal at this boot.
    last: str | None

    @property
    def has_tried(self) -> bool:
        """systemd has started it, and it has ended."""
        return self.unit.active == "failed" or self.unit.result not in ("", "success")

    def would_listen_on(self, path: str) -> bool:
        if self.address is not None:
            return same_file(self.address, path)
        rows = (containerd_of(each) for each in distributions())
        return any(
            self.unit.name == f"{unit}.service" and row.accepts_socket(path) for row in rows for unit in row.units
        )


@dataclass(frozen=True)
class NodeToolkit:
    called: ClassVar[str] = "NVIDIA's toolkit on a node"

    place: Place
    # Whether it has been here, so that its runtime has to be there.
    due: Located[bool]
    # What the node's own packages have of it, and what the operator's has brought; unknown where nobody could look.
    packaged: Located[str] | None = None
    operators: Located[str] | None = None


@dataclass(frozen=True)
class NodeRuntimes:
    called: ClassVar[str] = "a node's container runtimes"

    place: Place
    # The socket that kubelet talks to, as it says itself; `place` tells where it says so.
    endpoint: Located[str]
    # What listens there.
    used: Located[RuntimeProcess]
    # Every other runtime on the host, of containers' own aside.
    others: tuple[RuntimeProcess, ...]
    # Units that are there to run a containerd, and do not.
    idle: tuple[IdleContainerd, ...]
    # The unit of the kubelet that is there, or just "kubelet"; and whether it is known not to run.
    kubelet: str
    kubelet_is_down: bool

    @property
    def containerds(self) -> tuple[RuntimeProcess, ...]:
        """Every containerd, kubelet's first."""
        used = (self.used.state.value,) if isinstance(self.used.state, Known) else ()
        return tuple(each for each in (*used, *self.others) if each.is_containerd)

    def meant_for_gpus(self, handler: str, toolkit: NodeToolkit, identity: NodeIdentity) -> RuntimeProcess:
        """The containerd that has to know this runtime, for rules about GPUs. Skips where none has to."""
        if not (_is_about_gpus(toolkit, identity) or any(each.knows(handler) for each in self.containerds)):
            skip("there is no NVIDIA GPU on this host, and no trace of the toolkit")
        if self.fail_kubelet:
            skip("kubelet has no runtime, which containerd-config-read says")
        return _usable(need(self.used))

    def containerd_to_judge(self) -> RuntimeProcess | IdleContainerd:
        """The runtime that kubelet uses, or would use if one of the two ran. Skips where nothing asks for one."""
        if isinstance(self.used.state, Known):
            return self.used.state.value
        if isinstance(self.endpoint.state, Known):
            meant = [each for each in self.idle if each.would_listen_on(self.endpoint.state.value)]
            return meant[0] if len(meant) == 1 else need(self.used)
        candidates: list[RuntimeProcess | IdleContainerd] = [*self.others, *self.idle]
        if len(candidates) != 1 or not self._serves(candidates[0]):
            skip(f"no runtime of a kubelet's is here: {self.endpoint.state.why}")
        return candidates[0]

    def _serves(self, candidate: RuntimeProcess | IdleContainerd) -> bool:
        """Whether kubelet's unit is there to talk to this one."""
        unit = candidate.unit.name if isinstance(candidate, IdleContainerd) else candidate.unit
        return self.kubelet_is_down and unit is not None and goes_with(unit, self.kubelet)

    @property
    def fail_kubelet(self) -> bool:
        """Whether its containerd is why kubelet does not work: containerd-config-read says so."""
        try:
            judged = self.containerd_to_judge()
        except (NotKnown, DoesNotApply):
            return False
        if isinstance(judged, IdleContainerd):
            return True
        return judged.is_containerd and judged.is_without_cri

    def kubelets_containerd(self) -> RuntimeProcess:
        """The containerd that kubelet uses, for rules about every node."""
        if isinstance(self.used.state, Unknown):
            skip(f"containerd can't be judged: {self.used.state.why}, which containerd-config-read says")
        return _usable(self.used.state.value)

    def elsewhere(self, handler: str) -> tuple[RuntimeProcess, ...]:
        """The containerds that kubelet does not use and that know this runtime."""
        return tuple(each for each in self.others if each.is_containerd and each.knows(handler))

    def beside(self, handler: str) -> tuple[tuple[RuntimeProcess, ...], tuple[RuntimeProcess, ...]]:
        """The containerds that have a runtime which kubelet's lacks. Where none has it: those whose runtimes nobody
        could see. Skips where there is neither."""
        elsewhere = self.elsewhere(handler)
        unread = () if elsewhere else tuple(each for each in self.others if each.is_containerd and each.is_unread)
        if not elsewhere and not unread:
            skip(f"no containerd on this host has the runtime {handler}: toolkit-reaches-containerd judges that")
        return elsewhere, unread

    def says_its_endpoint(self) -> Related:
        return Related(self.endpoint.place, f"kubelet talks to {self.endpoint.shown()} ({self.endpoint.place.subject})")


def _usable(runtime: RuntimeProcess) -> RuntimeProcess:
    if not runtime.is_containerd:
        skip(f"kubelet talks to {runtime.name}, and not to containerd")
    if runtime.is_without_cri:
        skip("containerd runs without its CRI plugin, which containerd-config-read says")
    return runtime


def _is_about_gpus(toolkit: NodeToolkit, identity: NodeIdentity) -> bool:
    """One that is there, as far as anybody could see, a pool that has them, a trace of the toolkit."""
    traces = identity.has_gpu.state != Known(False) or isinstance(toolkit.due.state, Known)
    return traces or identity.known_gpu_pool is not None
