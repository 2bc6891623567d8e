"""Node pools of GKE, AKS, CoreWeave that objects of Kubernetes ask for: Config Connector, Crossplane, Azure's service
operator, Cluster API, CoreWeave's own. They call things as the APIs of their clouds do, which is how Terraform calls
them, in camelCase."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from nodeworthy.documents.tree import Tree
from nodeworthy.facts.fleet.asked_nodes import AskedNodes, SaidCluster
from nodeworthy.facts.fleet.gpu_pool import GpuPool
from nodeworthy.facts.fleet.hosted_pools import (
    AKS_CLUSTER,
    AKS_POOL,
    GKE_CLUSTER,
    GKE_POOL,
    HOSTED,
    HostedResource,
    hosted_pools,
    minor_of,
)
from nodeworthy.facts.fleet.machines import text_of
from nodeworthy.facts.fleet.node_taint import NodeTaint, taints_in
from nodeworthy.fleet.model import Driver
from nodeworthy.patterns import pattern
from nodeworthy.records import dataclass, field, replace
from nodeworthy.verdict import Located, Place

_CAPITAL = pattern(r"(?<=[a-z0-9])[A-Z]")
# Below these stand names of one's own.
_NAMES_OF_ONES_OWN = frozenset(("labels", "node_labels", "tags"))
_OF_CLUSTER_API = "cluster.x-k8s.io/cluster-name"


@dataclass(frozen=True)
class _Kind:
    """An API's kind as the resource of Terraform that it is, and what it calls otherwise."""

    api: str
    type: str
    spec: tuple[str, ...] = ("spec",)
    names: Mapping[str, str] = field(default_factory=dict)
    # Where the cluster is named of which it is.
    cluster: tuple[tuple[str, ...], ...] = ()
    # What its spec is called in Terraform, where that is a part of the resource.
    is_all: str = ""


_FOR_PROVIDER = ("spec", "forProvider")
_BY_ASO = {"count": "node_count", "gpu_profile": "gpu_driver", "agent_pool_profiles": "default_node_pool"}
# `machineType` is the older word; of both, `instanceType` counts (GCPManagedMachinePoolClassSpec).
_BY_CAPG = {"instance_type": "machine_type", "kubernetes_labels": "labels", "kubernetes_taints": "taint"}
_INFRASTRUCTURE = "infrastructure.cluster.x-k8s.io/"
_KINDS: Mapping[str, Sequence[_Kind]] = {
    "ContainerNodePool": (_Kind("container.cnrm.", GKE_POOL, cluster=(("cluster_ref", "name"),)),),
    "ContainerCluster": (_Kind("container.cnrm.", GKE_CLUSTER),),
    "NodePool": (
        _Kind("container.gcp.", GKE_POOL, _FOR_PROVIDER, cluster=(("cluster_ref", "name"), ("cluster",))),
        _Kind("compute.coreweave.com/", "coreweave_node_pool"),
    ),
    "Cluster": (_Kind("container.gcp.", GKE_CLUSTER, _FOR_PROVIDER),),
    "KubernetesClusterNodePool": (
        _Kind("containerservice.azure.", AKS_POOL, _FOR_PROVIDER, cluster=(("kubernetes_cluster_id_ref", "name"),)),
    ),
    "KubernetesCluster": (_Kind("containerservice.azure.", AKS_CLUSTER, _FOR_PROVIDER),),
    "ManagedClustersAgentPool": (
        _Kind("containerservice.azure.com/", AKS_POOL, names=_BY_ASO, cluster=(("owner", "name"),)),
    ),
    "ManagedCluster": (_Kind("containerservice.azure.com/", AKS_CLUSTER, names=_BY_ASO),),
    "AzureManagedMachinePool": (_Kind(_INFRASTRUCTURE, AKS_POOL, names={"sku": "vm_size"}),),
    "GCPManagedMachinePool": (_Kind(_INFRASTRUCTURE, GKE_POOL, names=_BY_CAPG, is_all="node_config"),),
}


def hosted_objects(document: Tree) -> Iterator[AskedNodes]:
    api, called = document.get("apiVersion").string, document.get("kind").string
    kind = next((each for each in _KINDS.get(called, ()) if api.startswith(each.api)), None)
    name = document.get("metadata", "name").text
    if kind is None or name is None:
        return
    spec = _as_in_terraform(document.get(*kind.spec), kind.names)
    for values in _each_of(spec, kind):
        for pool in _pools(HostedResource(kind.type, name, document.place, values)):
            machines = pool.machines if pool.machines.taints else replace(pool.machines, taints=_taints(spec))
            yield nodes_called(replace(pool, cluster=_cluster(document, spec, kind), machines=machines), called)


_COMPUTE_CLASS = "cloud.google.com/compute-class"


def nodes_of_compute_class(document: Tree) -> Iterator[AskedNodes]:
    """The nodes that GKE makes pools of by itself, one kind of machines after the other."""
    name, spec = document.get("metadata", "name").text, document.get("spec")
    is_googles = document.get("apiVersion").string.startswith("cloud.google.com/")
    if name is None or not is_googles or spec.get("nodePoolAutoCreation", "enabled").value is not True:
        return
    asked = [each for each in spec.get("priorities").sequence if each.get("gpu").is_mapping]
    for index, each in enumerate(asked):
        called = name if len(asked) == 1 else f"{name}-{index + 1}"
        resource = HostedResource(GKE_POOL, called, each.place, _as_pool(each, name))
        yield from (nodes_called(pool, "ComputeClass") for pool in hosted_pools([resource]))


def _as_pool(priority: Tree, name: str) -> Tree:
    gpu, at = priority.get("gpu"), priority.place
    driver = gpu.get("driverVersion")
    installs = replace(driver, value=driver.text.upper()) if driver.text is not None else driver
    accelerator = {
        "type": gpu.get("type"),
        "count": gpu.get("count"),
        "gpu_driver_installation_config": Tree({"gpu_driver_version": installs}, at),
    }
    config = {
        "machine_type": priority.get("machineType"),
        "guest_accelerator": Tree(accelerator, gpu.place),
        "labels": Tree({_COMPUTE_CLASS: Tree(name, at)}, at),
    }
    return Tree({"node_config": Tree(config, at)}, at)


_OF_AZURE = {
    "microsoft.containerservice/managedclusters/agentpools": AKS_POOL,
    "microsoft.containerservice/managedclusters": AKS_CLUSTER,
}


def resource_by_azures_api(kind: str, name: str, place: Place, named: Tree, said: Tree) -> HostedResource | None:
    """One that is asked of Azure's own API: `kind` has a version behind it."""
    type_ = _OF_AZURE.get(kind.partition("@")[0].lower())
    if type_ is None:
        return None
    values = _as_in_terraform(said.get("properties"), _BY_ASO)
    return HostedResource(type_, name, place, replace(values, value={**values.mapping, "name": named}))


# As programs of Pulumi's call what Terraform has as blocks of one name.
_BY_PULUMI = {"guest_accelerators": "guest_accelerator", "taints": "taint", "node_pools": "node_pool"}


def asked_of_host(type_: str, name: str, place: Place, said: Tree) -> Iterator[AskedNodes | SaidCluster]:
    """The pools that a program asks for, and what it says of a cluster."""
    values = _as_in_terraform(said, _BY_PULUMI)
    if type_ == GKE_POOL and values.get("name").text is None and values.is_mapping:
        values = replace(values, value={**values.mapping, "name": Tree(name, place)})
    for pool in hosted_pools([HostedResource(type_, name, place, values)]):
        named = None if type_ in (GKE_POOL, AKS_POOL) else text_of(values.get("name"))
        yield nodes_called(replace(pool, cluster=pool.cluster or named), "node pool")
    if type_ in (GKE_CLUSTER, AKS_CLUSTER):
        version = values.get("min_master_version" if type_ == GKE_CLUSTER else "kubernetes_version")
        called = values.get("name").text or name
        of = frozenset(("gke-cos", "gke-ubuntu") if type_ == GKE_CLUSTER else ("aks",))
        yield SaidCluster(place, frozenset((called,)), of=of, version=minor_of(text_of(version)))


def _pools(resource: HostedResource) -> Sequence[GpuPool]:
    if resource.type in HOSTED:
        return hosted_pools([resource])
    from nodeworthy.facts.fleet.hosted_elsewhere import pools_elsewhere

    return pools_elsewhere([resource])


def _each_of(spec: Tree, kind: _Kind) -> Iterator[Tree]:
    """Each pool of a cluster whose pools are a list; Terraform has one alone there."""
    if kind.is_all:
        yield replace(spec, value={kind.is_all: spec})
        return
    pools = spec.get("default_node_pool").sequence
    if not pools or not spec.is_mapping:
        yield spec
    for each in pools:
        yield replace(spec, value={**spec.mapping, "default_node_pool": each})


def _taints(spec: Tree) -> tuple[NodeTaint, ...]:
    """Cluster API has them as Kubernetes has, and Azure as kubelet takes them."""
    return taints_in(spec.get("taints").sequence)


def nodes_called(pool: GpuPool, called: str) -> AskedNodes:
    brings = {Driver.AMI: True, Driver.OPERATOR: False}.get(pool.driver) if pool.driver is not None else None
    return AskedNodes(
        pool.name,
        called,
        pool.place,
        pool.distribution,
        pool.evidence,
        brings,
        pool.kubernetes,
        pool.cluster,
        machines=pool.machines,
        hosted=replace(pool, noun=called),
    )


def _cluster(document: Tree, spec: Tree, kind: _Kind) -> Located[str] | None:
    if kind.type in (GKE_CLUSTER, AKS_CLUSTER):
        return text_of(document.get("metadata", "name"))
    told = [*(spec.get(*each) for each in kind.cluster), document.get("metadata", "labels", _OF_CLUSTER_API)]
    return next((found for each in told if (found := text_of(each)) is not None), None)


def _as_in_terraform(tree: Tree, names: Mapping[str, str]) -> Tree:
    if tree.is_sequence:
        return replace(tree, value=[_as_in_terraform(each, names) for each in tree.sequence])
    if not tree.is_mapping:
        return tree
    called = {_snake(name, names): each for name, each in _newest_last(tree.mapping, names)}
    return replace(tree, value={name: _inner(name, each, names) for name, each in called.items()})


def _newest_last(mapping: Mapping[str, Tree], names: Mapping[str, str]) -> list[tuple[str, Tree]]:
    """The settings with the newer of two words for one thing behind the older one."""
    return sorted(mapping.items(), key=lambda each: _snake(each[0], {}) in names)


def _inner(name: str, tree: Tree, names: Mapping[str, str]) -> Tree:
    """Azure's own API has the driver in a profile of its own."""
    if name == "gpu_driver" and tree.is_mapping:
        return tree.get("driver")
    return tree if name in _NAMES_OF_ONES_OWN else _as_in_terraform(tree, names)


def _snake(name: str, names: Mapping[str, str]) -> str:
    snake = _CAPITAL.sub(lambda found: f"_{found[0].lower()}", name)
    return names.get(snake, snake)
