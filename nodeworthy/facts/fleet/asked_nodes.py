"""GPU nodes that a manifest asks for: of Karpenter, eksctl, Cluster API or Talos. Where no fleet is declared, they are
pools. And what is said of their cluster as a whole."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, ClassVar

from nodeworthy.facts.fleet.gpu_pool import GpuPool, NodeImage
from nodeworthy.facts.fleet.machines import NOTHING_SAID, Machines
from nodeworthy.fleet.model import Driver
from nodeworthy.known.containerd import containerd_of
from nodeworthy.records import dataclass, replace
from nodeworthy.verdict import Known, Located, Place, value_if_known

if TYPE_CHECKING:
    from nodeworthy.facts.boot.script import BootScript


@dataclass(frozen=True)
class AskedNodes:
    called: ClassVar[str] = "GPU nodes that a manifest asks for"

    name: str
    noun: str
    place: Place
    # What they are, or why that is not known, at the place that says it; and the words that stand there.
    distribution: Located[str]
    said: str
    # Whether the driver is in their image; None where nobody knows it.
    has_driver: bool | None = None
    kubernetes: Located[str] | None = None
    cluster: Located[str] | None = None
    services: Located[str] | None = None
    pods: Located[str] | None = None
    machines: Machines = NOTHING_SAID
    # It follows, and may be otherwise.
    is_likely: bool = False
    # It is laid over what makes nodes, and makes none where that is seen.
    is_patch: bool = False
    # The files of such patches that are laid over them, as they name them, and what they register with where one of
    # these gives them GPUs.
    patches: tuple[str, ...] = ()
    registers: Machines = NOTHING_SAID
    # Their settings speak of the device plugin of their image.
    sets_own_plugin: bool = False
    # What they run as their user data.
    scripts: tuple[BootScript, ...] = ()
    # Their operating system, where what they are does not decide it, and somebody names it.
    os: str = ""
    # As the cloud makes them that hosts their cluster, where one does.
    hosted: GpuPool | None = None
    # The version that their image has in its name, where nobody says that of their cluster.
    kubernetes_of_image: Located[str] | None = None

    @property
    def has_gpus(self) -> bool:
        """Whether the nodes have GPUs, as far as anybody says it."""
        return self.hosted is not None or self.machines != NOTHING_SAID or bool(self.has_driver)

    def in_doubt(self) -> AskedNodes:
        """As something says that asks a question first."""
        hosted = replace(self.hosted, is_likely=True) if self.hosted is not None else None
        return replace(self, is_likely=True, hosted=hosted)

    @property
    def is_of_gke(self) -> bool:
        return self.distribution.shown().startswith("gke")

    @property
    def image(self) -> NodeImage:
        return NodeImage(self.distribution.place, self.said, self.has_driver, value_if_known(self.distribution))

    @property
    def pool(self) -> GpuPool:
        if self.hosted is not None:
            return self.hosted
        state, place = self.distribution.state, self.distribution.place
        runtime = Known(containerd_of(state.value)) if isinstance(state, Known) else state
        pool = GpuPool(
            self.name,
            self.place,
            self.distribution,
            Located(runtime, place),
            noun=self.noun,
            driver=Driver.AMI if self.has_driver else None,
            driver_said=self.image.told() if self.has_driver is not None else None,
            kubernetes=self.kubernetes or self.kubernetes_of_image,
            cluster=self.cluster,
            services=self.services,
            pods=self.pods,
            machines=self.machines,
            evidence=self.said,
            is_likely=self.is_likely,
            scripts=self.scripts,
            sets_own_plugin=self.sets_own_plugin,
        )
        if self.has_driver or (self.has_driver is None and not self.scripts):
            return pool
        from nodeworthy.facts.boot.pool_drivers import brought_by_scripts, with_its_driver

        if self.has_driver is None:
            return brought_by_scripts(pool, self.scripts)
        return with_its_driver(pool, False, self.scripts, [self.image])


@dataclass(frozen=True)
class SaidCluster:
    called: ClassVar[str] = "what a manifest says of its cluster"

    place: Place
    # By which its pools may name it; none, where it says no name. And the names of the pools that it names itself.
    names: frozenset[str]
    pools: frozenset[str] = frozenset()
    # What its nodes can be; nothing, where it may be anything.
    of: frozenset[str] = frozenset()
    version: Located[str] | None = None
    services: Located[str] | None = None
    pods: Located[str] | None = None
    # How many nodes, where it makes some.
    wanted: Located[int] | None = None

    def may_have(self, nodes: AskedNodes) -> bool:
        return not self.of or value_if_known(nodes.distribution) in self.of


@dataclass(frozen=True)
class SaidMachines:
    """The machines that an object of Cluster API's describes. Whoever makes nodes of them names it."""

    called: ClassVar[str] = "machines of Cluster API"

    place: Place
    name: str
    machines: Machines
    # Which of EKS' images they start from, as Cluster API's provider calls it.
    image: Located[str] | None = None


def with_machines_said(
    nodes: AskedNodes, clusters: Iterable[SaidCluster], machines: Sequence[SaidMachines]
) -> AskedNodes:
    """The nodes with the machines, their number and their cluster, as the deployment says that makes them."""
    makers = [each for each in clusters if nodes.name in each.pools]
    if len(makers) != 1 or nodes.hosted is not None:
        return nodes
    maker, own = makers[0], nodes.machines
    found = [each for each in machines if each.name in maker.pools]
    if len(found) == 1 and not own.types:
        seen = found[0].machines
        own = replace(own, types=seen.types, gpu=seen.gpu, gpus=seen.gpus)
        nodes = _with_image(nodes, found[0].image)
    names = [each for each in maker.names if "$" not in each and "{" not in each]
    name = Located.known(names[0], maker.place) if len(names) == 1 else None
    return replace(nodes, machines=replace(own, wanted=own.wanted or maker.wanted), cluster=nodes.cluster or name)


def _with_image(nodes: AskedNodes, image: Located[str] | None) -> AskedNodes:
    """The nodes with what their image is, and whether the driver is in it: of EKS alone."""
    if image is None:
        return nodes
    found = _IMAGES_OF_EKS.get(image.shown())
    if found is None or not nodes.distribution.shown().startswith("eks-"):
        return nodes
    distribution, has_driver = found
    said = f"eksLookupType {image.shown()}"
    return replace(nodes, distribution=Located.known(distribution, image.place), said=said, has_driver=has_driver)


_IMAGES_OF_EKS = {
    "AmazonLinux": ("eks-al2", False),
    "AmazonLinuxGPU": ("eks-al2", True),
    "AmazonLinux2023": ("eks-al2023", False),
    "AmazonLinux2023GPU": ("eks-al2023", True),
}


def with_cluster_said(nodes: AskedNodes, clusters: Iterable[SaidCluster]) -> AskedNodes:
    """The nodes with what their cluster says and they don't. Their cluster is the one that names them, else the one
    that they name, else the only one that is there."""
    own = _own(nodes, [each for each in clusters if each.may_have(nodes)])
    if not own:
        return nodes
    version = _agreed([each.version for each in own])
    services, pods = _agreed([each.services for each in own]), _agreed([each.pods for each in own])
    pool = nodes.hosted
    if pool is not None:
        pool = replace(
            pool,
            kubernetes=pool.kubernetes or version,
            services=pool.services or services,
            pods=pool.pods or pods,
        )
    return replace(
        nodes,
        kubernetes=nodes.kubernetes or version,
        services=nodes.services or services,
        pods=nodes.pods or pods,
        hosted=pool,
    )


def _own(nodes: AskedNodes, clusters: Sequence[SaidCluster]) -> list[SaidCluster]:
    by_name = [each for each in clusters if nodes.name in each.pools]
    named = {name for each in by_name for name in each.names}
    if nodes.cluster is not None and (name := nodes.cluster.shown()):
        # What is filled in names the one that is called by the same variable, and else any.
        is_filled_in = "$" in name and not any(name in each.names for each in clusters)
        named |= set() if is_filled_in else {name}
    whole = [each for each in clusters if not each.pools]
    is_one = len({each.names for each in whole} - {frozenset()}) < 2
    if named:
        # What names no cluster is of the only one that is named.
        return [*by_name, *(each for each in whole if each.names & named or (is_one and not each.names))]
    return whole if is_one else [each for each in whole if each.place.path == nodes.place.path]


def versions_apart(nodes: AskedNodes, clusters: Iterable[SaidCluster]) -> tuple[Located[str], Located[str]] | None:
    """The version with which these nodes start, and that of their cluster, where both are given and each by itself."""
    own = _own(nodes, [each for each in clusters if each.may_have(nodes)])
    of_nodes = nodes.kubernetes or _agreed([each.version for each in own if each.pools])
    of_cluster = _agreed([each.version for each in own if not each.pools])
    return (of_nodes, of_cluster) if of_nodes is not None and of_cluster is not None else None


def _agreed(said: Sequence[Located[str] | None]) -> Located[str] | None:
    """None where two say otherwise."""
    told = [each for each in said if each is not None]
    return told[0] if len({each.state for each in told}) == 1 else None
