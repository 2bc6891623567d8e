"""A pool of GPU nodes, as the fleet declares it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, ClassVar

from nodeworthy.facts.fleet.machines import NOTHING_SAID, Gone, Machines, Refused, Reserved
from nodeworthy.fleet.model import Driver, Fleet, Pool
from nodeworthy.known.containerd import Containerd, containerd_of
from nodeworthy.known.operator_parts import DEVICE_PLUGIN, NO_PLUGIN_OF_GKE, OPERANDS, OWN_DRIVER
from nodeworthy.records import dataclass, replace
from nodeworthy.verdict import Known, Located, Place, Related, Severity, value_if_known

if TYPE_CHECKING:
    from nodeworthy.facts.aws.node_group import NodeGroup
    from nodeworthy.facts.boot.script import BootScript


# As AskedNodes call what Karpenter starts.
NODE_POOL = "NodePool"
# As Cluster API does what runs a cluster itself.
_CONTROLS = "ControlPlane"


@dataclass(frozen=True)
class NodeImage:
    """The machine image that nodes start from, and whether NVIDIA's driver is in it."""

    place: Place
    # As it is written where it is chosen: an SSM parameter, an amiType, a name, an id.
    named: str
    # None where nothing that was read says it.
    has_driver: bool | None
    # What nodes of this image are; None where it is anybody's image, or nobody knows it.
    distribution: str | None = None

    def told(self) -> Related:
        if self.has_driver is None:
            return Related(self.place, f"whether a driver is in this image is not known: {self.named}")
        return Related(self.place, f"{'a' if self.has_driver else 'no'} driver is in this image: {self.named}")


@dataclass(frozen=True)
class GpuPool:
    called: ClassVar[str] = "a GPU pool (no fleet was given)"
    # What of a declared pool rules would judge by it.
    asked: ClassVar[tuple[str, ...]] = ("distribution", "driver")

    name: str
    place: Place
    distribution: Located[str]
    # The runtime that kubelet talks to on this pool's nodes.
    runtime: Located[Containerd]
    # What it is called: nodes without a fleet stand for the pool that they would be.
    noun: str = "pool"
    # Who brings the driver; None where nobody says it and no image decides it.
    driver: Driver | None = None
    # Where that is said, if not by the pool.
    driver_said: Related | None = None
    # Whose it is, where it comes with the nodes and is not of their image: a cloud's.
    driver_by: str = ""
    # All of its nodes register with the label that keeps the operator's driver off.
    shuts_operators_driver_out: bool = False
    # Which containerd it is (`1.7`, `2.2.9`), and which Kubernetes; None where nobody says it.
    containerd: Located[str] | None = None
    kubernetes: Located[str] | None = None
    # The name of its cluster, and its machines, where somebody else than a fleet says it.
    cluster: Located[str] | None = None
    machines: Machines = NOTHING_SAID
    # From which ranges its cluster gives services and pods their addresses, where that is written.
    services: Located[str] | None = None
    pods: Located[str] | None = None
    # Its GPU, where a fleet declares it.
    gpu: Located[str] | None = None
    # What it follows from, where nobody declares it: in the words that stand there.
    evidence: str = ""
    # What its nodes are told of the device plugin of their own image, which may be that it is off.
    sets_own_plugin: bool = False
    # What its nodes boot with, where somebody else than a fleet shows it.
    scripts: tuple[BootScript, ...] = ()
    # What its nodes run its cloud decides, and says in no file: nobody can be asked to say it here.
    runs_unsaid: bool = False
    # Of which distributions one is meant, where nobody says which.
    one_of: frozenset[str] = frozenset()
    # It follows, and may be otherwise: what it shows to be wrong is a warning.
    is_likely: bool = False

    @property
    def severity(self) -> Severity:
        return Severity.WARNING if self.is_likely else Severity.ERROR

    @property
    def title(self) -> str:
        return f"{self.noun} '{self.name}'"

    @property
    def keeps_operators_driver_out(self) -> bool:
        name, value = OWN_DRIVER
        said = self.machines.labels.get(name)
        return self.shuts_operators_driver_out or (said is not None and said.state == Known(value))

    def declares_its_runtime(self) -> Related:
        return Related(self.runtime.place, f"{self.title} {self.runs} {self.distribution.shown()}{self._with()}")

    @property
    def runs(self) -> str:
        """The verb behind its title."""
        return "run" if self.noun.startswith("the nodes ") else "runs"

    def _with(self) -> str:
        if self.evidence:
            return f": {self.evidence}"
        return f" with {self.runtime.place.subject}" if self.runtime.place.subject else ""


def gpu_pools(fleet: Fleet) -> list[GpuPool]:
    """The pools of a fleet that have GPUs."""
    return [replace(gpu_pool(pool), kubernetes=fleet.cluster.version) for pool in fleet.gpu_pools]


def gpu_pool(pool: Pool) -> GpuPool:
    decided = pool.driver_is_said or pool.driver is not Driver.OPERATOR
    driver = pool.driver if decided else None
    containerd = pool.containerd_version if pool.containerd_version.written else None
    made = GpuPool(
        pool.name, pool.place, pool.distribution, pool.runtime, driver=driver, containerd=containerd, gpu=pool.gpu
    )
    if pool.driver_is_said or driver is None:
        return made
    says = f"{made.title} gets its driver from the image, as nothing else is said"
    return replace(made, driver_said=Related(pool.place, says))


def pools_of(fleet: Fleet, facts: Sequence[object], groups: Sequence[NodeGroup] = ()) -> list[GpuPool]:
    """The pools of a fleet, with what is said of their nodes by the scripts that boot them and by the groups that start
    them."""
    from nodeworthy.facts.boot.script import BootScript

    scripts = [fact for fact in facts if isinstance(fact, BootScript)]
    if not scripts and not groups:
        return gpu_pools(fleet)
    from nodeworthy.facts.boot.pool_drivers import with_drivers
    from nodeworthy.facts.boot.runtime import with_pinned_containerd

    pools = with_pinned_containerd(gpu_pools(fleet), scripts)
    if not groups:
        return with_drivers(pools, fleet, scripts, {}, {})
    from nodeworthy.facts.aws.image import images_of, labels_of

    return with_drivers(pools, fleet, scripts, images_of(groups), labels_of(groups))


# What decides which pods come to a pool, and what it does for them by itself


@dataclass(frozen=True)
class PoolDoor:
    """A pool as pods come to it: by the labels of its nodes."""

    called: ClassVar[str] = "a pool of GPU nodes (no fleet was given)"

    pool: GpuPool

    @property
    def place(self) -> Place:
        return self.pool.place

    @property
    def title(self) -> str:
        return self.pool.title

    @cached_property
    def labels(self) -> Mapping[str, Located[str]]:
        """The labels that its nodes are known to register with. The type of its machines is among them."""
        from nodeworthy.facts.cluster.node_labels import INSTANCE_TYPES

        kind = self.pool.machines.type
        of_type = dict.fromkeys(INSTANCE_TYPES, kind) if kind is not None else {}
        every = {**self.pool.machines.given, **self.pool.machines.labels, **of_type}
        return {name: said for name, said in every.items() if isinstance(said.state, Known)}

    def has(self, label: str, value: str) -> bool:
        return label in self.labels and self.labels[label].state == Known(value)

    @property
    def shuts_operators_plugin_out(self) -> bool:
        return self.has(DEVICE_PLUGIN, "false") or self.has(OPERANDS, "false")

    @property
    def plugin_of_image(self) -> Related | None:
        """What says that its image, or its cloud, hands out the GPUs itself; None where none is known to."""
        runtime = value_if_known(self.pool.runtime)
        if runtime is not None and runtime.own_plugin and NO_PLUGIN_OF_GKE not in self.pool.machines.labels:
            return Related(self.pool.runtime.place, runtime.own_plugin)
        if self.pool.driver is Driver.AMI and runtime is not None and runtime.plugin_in_image:
            return self.pool.declares_its_runtime()
        return None


def doors_of_pools(pools: Sequence[GpuPool]) -> list[PoolDoor]:
    """The doors of pools that follow from evidence. None where the pools are of several clusters."""
    clusters = {each.cluster.shown() for each in pools if each.cluster is not None}
    return [PoolDoor(each) for each in workers_of(pools)] if len(clusters) < 2 else []


def workers_of(pools: Sequence[GpuPool]) -> Sequence[GpuPool]:
    """The pools without control planes, where there are others: pods with GPUs go to workers."""
    return [each for each in pools if not each.noun.endswith(_CONTROLS)] or pools


@dataclass(frozen=True)
class RetiredMachines:
    """A pool whose cloud starts its machines no more."""

    called: ClassVar[str] = "a pool whose machines its cloud has retired"

    pool: GpuPool
    gone: Gone

    @property
    def place(self) -> Place:
        return self.gone.what.place


def retired_machines(pools: Sequence[GpuPool]) -> list[RetiredMachines]:
    return [RetiredMachines(each, each.machines.gone) for each in pools if each.machines.gone is not None]


@dataclass(frozen=True, eq=False)
class AskedTypes:
    """What is asked for in words of EC2's by an object or a command that no stack of AWS' holds."""

    called: ClassVar[str] = "instance types that something asks for"

    title: str
    place: Place
    types: Sequence[Located[str]]


@dataclass(frozen=True)
class RefusedMachines:
    """A pool of machines that its cloud does not start as they are asked for."""

    called: ClassVar[str] = "a pool whose machines its cloud refuses"

    pool: GpuPool
    refused: Refused

    @property
    def place(self) -> Place:
        return self.refused.what.place


def refused_machines(pools: Sequence[GpuPool]) -> list[RefusedMachines]:
    return [RefusedMachines(each, each.machines.refused) for each in pools if each.machines.refused is not None]


@dataclass(frozen=True)
class ReservedMachines:
    """A pool of a cloud's that runs in a reservation, and may be scaled."""

    called: ClassVar[str] = "a pool of reserved machines that is scaled"

    pool: GpuPool
    reserved: Reserved
    least: Located[int]
    most: Located[int]

    @property
    def place(self) -> Place:
        return self.least.place


def reserved_machines(pools: Sequence[GpuPool]) -> Iterator[ReservedMachines]:
    for each in pools:
        has = each.machines
        if has.reserved is not None and has.least is not None and has.most is not None:
            yield ReservedMachines(each, has.reserved, has.least, has.most)


def pool_running(
    name: str, noun: str, distribution: str, place: Place, said: str, *, is_likely: bool = False
) -> GpuPool:
    """The pool whose nodes run this distribution, by what is said at that place."""
    runtime = containerd_of(distribution)
    return GpuPool(
        name,
        place,
        Located.known(distribution, place),
        Located.known(runtime, place),
        noun=noun,
        evidence=said,
        is_likely=is_likely,
    )
