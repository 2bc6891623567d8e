"""The operating system of EKS nodes, their version and the cluster's, as the fleet declares or a plan makes them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from pathlib import PurePath
from typing import ClassVar

from nodeworthy.derive import derive
from nodeworthy.documents.tree import Tree
from nodeworthy.facts.aws.image import image_of
from nodeworthy.facts.aws.node_group import MANAGED, NodeGroup
from nodeworthy.facts.aws.node_types import has_gpus
from nodeworthy.facts.aws.security_group import CLUSTER
from nodeworthy.facts.aws.stack import AwsStack
from nodeworthy.facts.boot.script import BootScript
from nodeworthy.facts.fleet.asked_nodes import AskedNodes, SaidCluster, versions_apart, with_cluster_said
from nodeworthy.facts.fleet.eksctl import EksctlGroup
from nodeworthy.facts.fleet.karpenter import KarpenterClass, KarpenterPool
from nodeworthy.facts.fleet.karpenter_choice import ChosenClass
from nodeworthy.fleet.model import Fleet
from nodeworthy.fleet.os import EKS, os_of
from nodeworthy.known.node_images import EksImage, kubernetes_of, named_by_parameter, named_by_type
from nodeworthy.patterns import pattern
from nodeworthy.records import dataclass
from nodeworthy.verdict import Known, Located, NotKnown, Place, Unknown, need, value_if_known

_MINOR = pattern(r"v?1\.(\d+)(?!\d)")
_BY_KUBEADM = "kubeadm"


@dataclass(frozen=True)
class PoolSystem:
    called: ClassVar[str] = "a pool of EKS nodes"

    title: str
    place: Place
    os: Located[str]
    # None where nothing that was read says the cluster's.
    kubernetes: Located[str] | None
    # By which word it is set there.
    setting: str = "os"
    # One parameter names both, whatever the cluster is.
    is_named_whole: bool = False


def pool_systems(fleet: Fleet) -> Iterator[PoolSystem]:
    """The systems of the pools that EKS' own images are for, as far as that is known."""
    for pool in fleet.pools:
        distribution = pool.distribution.state
        if isinstance(distribution, Unknown) or distribution.value in EKS:
            yield PoolSystem(f"pool '{pool.name}'", pool.place, pool.os, fleet.cluster.version)


@derive
def asked_systems(nodes: AskedNodes, clusters: Sequence[SaidCluster] | None) -> Iterator[PoolSystem]:
    """The systems of groups of eksctl, Cluster API and Crossplane: they ask for an image of their family, of the
    cluster's version."""
    nodes, distribution = with_cluster_said(nodes, clusters or ()), value_if_known(nodes.distribution)
    if distribution in EKS:
        place = nodes.distribution.place
        os: Located[str] = Located.known(nodes.os, place) if nodes.os else os_of(distribution, place)
        yield PoolSystem(f"{nodes.noun} '{nodes.name}'", nodes.distribution.place, os, nodes.kubernetes)


@derive
def karpenters_systems(
    taken: ChosenClass,
    stacks: Sequence[AwsStack] | None,
    clusters: Sequence[SaidCluster] | None,
) -> Iterator[PoolSystem]:
    """An alias stands for the image of its family and of the cluster's version."""
    chosen = taken.node_class.by_alias
    version = _version_of_the_cluster(stacks or (), clusters or ()) if chosen is not None else None
    if chosen is not None and (version is None or isinstance(version.state, Known)):
        distribution = need(chosen)
        if distribution in EKS:
            yield PoolSystem(taken.pool.title, chosen.place, os_of(distribution, chosen.place), version, "alias")


def clusters_of_stack(stack: AwsStack) -> Iterator[SaidCluster]:
    """What a stack says of the clusters of EKS that it makes, to nodes that something else asks for. No rule asks."""
    from nodeworthy.facts.fleet.said_cluster import range_of

    for each in stack.of(CLUSTER):
        version, name = each.get("version"), each.get("name").text
        if not each.is_read:
            yield SaidCluster(
                each.place,
                frozenset((name,) if name else ()),
                of=frozenset(EKS),
                version=version.located() if version.text is not None else None,
                services=range_of(each.get("kubernetesNetworkConfig", "serviceIpv4Cidr")),
            )


@derive
def named_by_classes(node_class: KarpenterClass) -> Iterator[PoolSystem]:
    """The systems that a term of the class names: an image of EKS' with the version in its parameter or in its name."""
    for term in node_class.tree.get("spec", "amiSelectorTerms").sequence:
        for said in (term.get("ssmParameter"), term.get("name")):
            named = named_by_parameter(said.text) if said.text else None
            if named is not None:
                yield _named_whole(node_class.title, said.place, named)


def _named_whole(title: str, place: Place, named: tuple[EksImage, str]) -> PoolSystem:
    image, version = named
    os, of = Located(Known(image.os), place), Located(Known(version), place)
    return PoolSystem(title, place, os, of, is_named_whole=True)


def _version_of_the_cluster(stacks: Sequence[AwsStack], clusters: Sequence[SaidCluster]) -> Located[str] | None:
    """None where there is none, or more than one that it could be."""
    planned = [each.get("version") for stack in stacks for each in stack.of(CLUSTER)]
    told = [each.located() for each in planned if each.text is not None or each.is_unknown]
    told += [each.version for each in clusters if each.version is not None and not each.of.isdisjoint(EKS)]
    return told[0] if len({each.shown() for each in told}) == 1 and len(planned) < 2 else None


def planned_systems(groups: Iterable[NodeGroup]) -> Iterator[PoolSystem]:
    """The systems of groups that belong to no pool; the fleet tells those of the others."""
    for group in groups:
        if group.pool is None:
            yield from _planned(group)


def _planned(group: NodeGroup) -> Iterator[PoolSystem]:
    image = image_of(group)
    if image is not None:
        named = named_by_parameter(image.named)
        if named is not None:
            yield _named_whole(group.title, image.place, named)
    if group.group is None or group.group.type != MANAGED:
        return
    kind, of_group = group.group.get("amiType"), _version(group)
    made = named_by_type(kind.text) if kind.text else None
    if made is not None:
        yield PoolSystem(group.title, kind.place, Located(Known(made.os), kind.place), of_group)


def _version(group: NodeGroup) -> Located[str] | None:
    """A managed group that says none has that of its cluster."""
    for said in (group.groups("version"), group.cluster.get("version") if group.cluster is not None else None):
        if said is not None and not said.is_absent:
            return said.located()
    return None


@dataclass(frozen=True)
class ClusterVersion:
    """Which version a cluster of EKS with GPU nodes is to have, as somebody writes it."""

    called: ClassVar[str] = "the version that a cluster of EKS is to have"
    whole_stack: ClassVar[bool] = True

    place: Place
    version: Located[str]
    # The first of the nodes that join it.
    joined_by: str


@derive
def versions_of_clusters(
    groups: Sequence[NodeGroup],
    asked: Sequence[AskedNodes],
    karpenter: Sequence[KarpenterPool],
    stacks: Sequence[AwsStack] | None,
    clusters: Sequence[SaidCluster] | None,
) -> Iterator[ClusterVersion]:
    """Each once, however many groups join it."""
    told: dict[Place, ClusterVersion] = {}
    for each in (
        *_of_groups(groups),
        *_of_asked(asked, clusters or ()),
        *_of_karpenter(karpenter, stacks or (), clusters or ()),
    ):
        told.setdefault(each.place, each)
    yield from told.values()


def version_of_fleet(fleet: Fleet) -> Iterator[ClusterVersion]:
    """The version that the fleet declares for a cluster with GPU pools of EKS. Where the stack makes the cluster, the
    plan has it."""
    version = fleet.cluster.version
    for pool in fleet.gpu_pools if version.written else ():
        if value_if_known(pool.distribution) in EKS:
            yield ClusterVersion(version.place, version, f"pool '{pool.name}'")
            return


def _of_groups(groups: Iterable[NodeGroup]) -> Iterator[ClusterVersion]:
    for each in groups:
        said = each.cluster.get("version") if each.cluster is not None and not each.cluster.is_read else None
        if said is not None and (said.text is not None or said.is_unknown) and has_gpus(each).state == Known(True):
            yield ClusterVersion(said.place, said.located(), each.title)


def _of_asked(asked: Iterable[AskedNodes], clusters: Sequence[SaidCluster]) -> Iterator[ClusterVersion]:
    for each in asked:
        version = with_cluster_said(each, clusters).kubernetes
        if each.has_gpus and version is not None and value_if_known(each.distribution) in EKS:
            yield ClusterVersion(version.place, version, f"{each.noun} '{each.name}'")


def _of_karpenter(
    pools: Iterable[KarpenterPool], stacks: Sequence[AwsStack], clusters: Sequence[SaidCluster]
) -> Iterator[ClusterVersion]:
    version = _version_of_the_cluster(stacks, clusters)
    if version is not None:
        yield from (ClusterVersion(version.place, version, each.title) for each in pools)


# Which Kubernetes nodes start with, where their group or their image says it, beside that of their cluster


@dataclass(frozen=True)
class NodeVersion:
    called: ClassVar[str] = "nodes that start with a version of Kubernetes of their own"
    whole_stack: ClassVar[bool] = True

    title: str
    place: Place
    # As it is written, and where; and that of the cluster.
    nodes: Located[str]
    cluster: Located[str]
    # Nobody's version follows the cluster's by itself there.
    may_lag: bool = False


def minor_of(version: str) -> int | None:
    """33 of `1.33`, `v1.33.2` and `1.33.2-20250715`."""
    found = _MINOR.match(version)
    return int(found[1]) if found is not None else None


@derive
def versions_of_nodes(groups: Sequence[NodeGroup], asked: Sequence[EksctlGroup]) -> Iterator[NodeVersion]:
    for each in groups:
        said = each.cluster.get("version") if each.cluster is not None and not each.cluster.is_read else None
        yield from _versions_apart(each.resource.title, _said_by(each), said)
    for group in asked:
        release = _versions_among(group.tree.get("releaseVersion"))
        yield from _versions_apart(f"node group '{group.name}'", release, group.document.get("metadata", "version"))


@derive
def versions_asked_for(nodes: AskedNodes, clusters: Sequence[SaidCluster]) -> Iterator[NodeVersion]:
    """The versions of GPU nodes that Cluster API, Crossplane or Azure's own controllers make. GKE's control plane
    states only the least that its version may be."""
    told = versions_apart(nodes, clusters) if nodes.has_gpus and not nodes.is_of_gke else None
    if told is not None:
        yield NodeVersion(f"{nodes.noun} '{nodes.name}'", told[0].place, *told)


@derive
def versions_of_joining_machines(script: BootScript, clusters: Sequence[SaidCluster]) -> Iterator[NodeVersion]:
    """Of a machine that kubeadm makes a node, by the packages that it pins. Every one of them is pinned, and one that
    is a little older than its control plane is what an upgrade leaves behind for a while."""
    cluster = _the_only_version(each.version for each in clusters if _BY_KUBEADM in each.of)
    if cluster is None:
        return
    nodes = _pinned(script)
    if nodes is None:
        return
    yield NodeVersion(f"script '{PurePath(script.place.file).name}'", nodes.place, nodes, cluster, may_lag=True)


def _pinned(script: BootScript) -> Located[str] | None:
    """What reads boot scripts is imported only where there is one beside a cluster of kubeadm's."""
    from nodeworthy.boot.effects import Joins
    from nodeworthy.facts.boot.chosen_releases import kubernetes_chosen

    try:
        joins = any(each.how == _BY_KUBEADM for each in script.timeline.of(Joins))
        return kubernetes_chosen(script) if joins else None
    except NotKnown:  # what can't be read of it, other rules tell
        return None


def _the_only_version(said: Iterable[Located[str] | None]) -> Located[str] | None:
    told = {each.shown(): each for each in said if each is not None}
    return next(iter(told.values())) if len(told) == 1 else None


def _versions_apart(title: str, said: Sequence[Located[str]], cluster: Tree | None) -> Iterator[NodeVersion]:
    """The first of them, where the cluster says its own."""
    if cluster is not None and said and (cluster.text is not None or cluster.is_unknown):
        yield NodeVersion(title, said[0].place, said[0], cluster.located())


def _versions_among(*said: Tree) -> list[Located[str]]:
    return [each.located() for each in said if minor_of(each.string) is not None]


def _said_by(nodes: NodeGroup) -> list[Located[str]]:
    """The versions that a managed group names. An image that is chosen has precedence."""
    image = image_of(nodes)
    named = kubernetes_of(image.named) if image is not None and image.distribution is not None else None
    of_image = [Located.known(named, image.place)] if image is not None and named is not None else []
    own = _versions_among(nodes.groups("releaseVersion"), nodes.groups("version")) if nodes.is_managed else []
    return [*of_image, *own]
