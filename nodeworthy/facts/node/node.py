"""A node as it is: which runtime its kubelet talks to, what that runtime knows, and what else runs beside it."""

from __future__ import annotations

from typing import ClassVar

from nodeworthy.facts.fleet.gpu_pool import GpuPool
from nodeworthy.facts.node.containerd import IdleContainerd, SaidByContainerd
from nodeworthy.facts.node.seen import Seen
from nodeworthy.fleet.model import Fleet, Pool
from nodeworthy.known.containerd import Containerd, containerd_of, distributions
from nodeworthy.known.instances import gpus_of
from nodeworthy.known.kubelet import goes_with
from nodeworthy.records import dataclass
from nodeworthy.verdict import DoesNotApply, Known, Located, NotKnown, Place, Related, Unknown, need, skip

CONTAINERD = "containerd"


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
        changed = self.changed_since.state.value if isinstance(self.changed_since.state, Known) else None
        if changed is None:
            return ""
        what = f"{changed} was changed after {self.unit or self.name} (pid {self.pid}) was started"
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
        return f"{self.unit or self.name} (pid {self.pid}, socket {self.socket.shown()}, config {self.config})"

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
class Node:
    called: ClassVar[str] = "a node"

    place: Place
    # The socket that kubelet talks to, as it says itself; `place` tells where it says so.
    endpoint: Located[str]
    # What listens there.
    runtime: Located[RuntimeProcess]
    # Every other runtime on the host, of containers' own aside.
    others: tuple[RuntimeProcess, ...]
    gpu: Located[bool]
    # Whether the toolkit has been here, so that its runtime has to be there.
    toolkit_due: Located[bool]
    # None without a fleet; unknown where none of its pools fits.
    pool: Located[GpuPool | None]
    # The same pool, also where it has no GPUs, and its fleet.
    declared: Located[Pool | None]
    fleet: Fleet | None
    # As the machine calls itself: an EC2 instance type, else nothing.
    instance_type: str
    # The rest of its state.
    seen: Seen
    # Units that are there to run a containerd, and do not.
    idle: tuple[IdleContainerd, ...] = ()

    @property
    def title(self) -> str:
        return f"node {self.place.host}"

    @property
    def told_once(self) -> frozenset[str]:
        """The engine asks: what one rule says for all that need it. Which pool it is of is one question."""
        return frozenset({self.declared.state.why} if isinstance(self.declared.state, Unknown) else ())

    @property
    def declared_for_gpus(self) -> GpuPool | None:
        """The GPU pool that it is known to belong to."""
        return self.pool.state.value if isinstance(self.pool.state, Known) else None

    @property
    def containerds(self) -> tuple[RuntimeProcess, ...]:
        """Every containerd, kubelet's first."""
        used = (self.runtime.state.value,) if isinstance(self.runtime.state, Known) else ()
        return tuple(each for each in (*used, *self.others) if each.is_containerd)

    def only_with_gpus(self) -> None:
        """Skips where the fleet wants no GPU, and where there is none and nobody says that there should be."""
        pool = self.declared.state.value if isinstance(self.declared.state, Known) else None
        if pool is not None and not pool.is_gpu:
            skip(f"pool '{pool.name}' has no GPUs")
        if pool is None and self.gpu.state == Known(False) and gpus_of(self.instance_type) is None:
            skip("there is no NVIDIA GPU on this host, and nothing says that there should be one")

    def containerd_of_kubelet(self, handler: str) -> RuntimeProcess:
        """For rules about GPUs: the containerd that has to know this runtime. Skips where none has to."""
        if not self._wants(handler):
            skip("there is no NVIDIA GPU on this host, and no trace of the toolkit")
        if self.fails_kubelet:
            skip("kubelet has no runtime, which containerd-config-read says")
        runtime = need(self.runtime)
        if not runtime.is_containerd:
            skip(f"kubelet talks to {runtime.name}, and not to containerd")
        if runtime.is_without_cri:
            skip("containerd runs without its CRI plugin, which containerd-config-read says")
        return runtime

    def containerd_to_judge(self) -> RuntimeProcess | IdleContainerd:
        """The runtime that kubelet uses, or would use if one of the two ran. Skips where nothing asks for one."""
        if isinstance(self.runtime.state, Known):
            return self.runtime.state.value
        if isinstance(self.endpoint.state, Known):
            meant = [each for each in self.idle if each.would_listen_on(self.endpoint.state.value)]
            return meant[0] if len(meant) == 1 else need(self.runtime)
        candidates: list[RuntimeProcess | IdleContainerd] = [*self.others, *self.idle]
        if len(candidates) != 1 or not self._serves(candidates[0]):
            skip(f"no runtime of a kubelet's is here: {self.endpoint.state.why}")
        return candidates[0]

    def _serves(self, candidate: RuntimeProcess | IdleContainerd) -> bool:
        """Whether kubelet's unit is there to talk to this one."""
        seen = self.seen.kubelet
        kubelet = (
            seen.unit() if seen is not None and not seen.runs and isinstance(seen.units.by_name.state, Known) else None
        )
        unit = candidate.unit.name if isinstance(candidate, IdleContainerd) else candidate.unit
        return kubelet is not None and unit is not None and goes_with(unit, kubelet.name)

    @property
    def fails_kubelet(self) -> bool:
        """Whether its containerd is why kubelet does not work: containerd-config-read says so."""
        try:
            judged = self.containerd_to_judge()
        except (NotKnown, DoesNotApply):
            return False
        if isinstance(judged, IdleContainerd):
            return True
        return judged.is_containerd and judged.is_without_cri

    @property
    def kubelets_name(self) -> tuple[str, ...]:
        """What suffers where kubelet has no runtime."""
        seen = self.seen.kubelet
        unit = seen.unit() if seen is not None and isinstance(seen.units.by_name.state, Known) else None
        return (unit.name if unit is not None else "kubelet",)

    def kubelets_containerd(self) -> RuntimeProcess:
        """For rules about every node: the containerd that kubelet uses."""
        if isinstance(self.runtime.state, Unknown):
            skip(f"containerd can't be judged: {self.runtime.state.why}, which containerd-config-read says")
        runtime = need(self.runtime)
        if not runtime.is_containerd:
            skip(f"kubelet talks to {runtime.name}, and not to containerd")
        if runtime.is_without_cri:
            skip("containerd runs without its CRI plugin, which containerd-config-read says")
        return runtime

    def belongs(self) -> tuple[GpuPool, Containerd]:
        """Its pool, and the runtime that the fleet says its kubelet talks to. Skips where nobody says one."""
        pool = need(self.pool)
        if pool is None:
            skip("no fleet was given, or the node is of a pool without GPUs")
        declared = need(pool.runtime)
        if declared.is_containerd and declared.socket is None:
            skip(f"which socket kubelet uses on {declared.distribution} is not known")
        return pool, declared

    def elsewhere(self, handler: str) -> tuple[RuntimeProcess, ...]:
        """The containerds that kubelet does not use and that know this runtime."""
        return tuple(each for each in self.others if each.is_containerd and each.knows(handler))

    def beside(self, handler: str) -> tuple[tuple[RuntimeProcess, ...], tuple[RuntimeProcess, ...]]:
        """Where the runtime is that kubelet's containerd lacks; where it is in none, those of which nobody could see
        what they know. Skips where there is neither."""
        elsewhere = self.elsewhere(handler)
        unread = () if elsewhere else tuple(each for each in self.others if each.is_containerd and each.is_unread)
        if not elsewhere and not unread:
            skip(f"no containerd on this host has the runtime {handler}: toolkit-reaches-containerd judges that")
        return elsewhere, unread

    def _wants(self, handler: str) -> bool:
        """Whether anything here is about GPUs: one that is there, a pool that has them, a trace of the toolkit."""
        traces = self.gpu.state != Known(False) or isinstance(self.toolkit_due.state, Known)
        return traces or self.declared_for_gpus is not None or any(each.knows(handler) for each in self.containerds)

    def says_its_endpoint(self) -> Related:
        return Related(self.endpoint.place, f"kubelet talks to {self.endpoint.shown()} ({self.endpoint.place.subject})")
