"""What manifests say of a cluster as a whole, which its pools do not say themselves: its version, and from which ranges
it gives services and pods their addresses. Of eksctl, kops, kubeadm, Cluster API, Crossplane, AWS' and Azure's own
controllers, Config Connector, Calico, Cilium."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from nodeworthy.documents.release import Release
from nodeworthy.documents.tree import Tree
from nodeworthy.facts.fleet.asked_nodes import SaidCluster, SaidMachines
from nodeworthy.facts.fleet.machines import Machines, number_of, text_of
from nodeworthy.fleet.os import EKS
from nodeworthy.known.cloud_gpus import gpus_of_machine, gpus_of_size
from nodeworthy.known.instances import has_gpus
from nodeworthy.patterns import pattern
from nodeworthy.records import dataclass
from nodeworthy.verdict import Located

# `${KUBERNETES_VERSION:=v1.33.1}`: clusterctl takes the default where nobody says otherwise.
_MINOR = pattern(r"(?:\$\{\w{1,60}:?[-=])?v?(1\.\d+)(?![\d])")
_OF_CLUSTER_API = "cluster.x-k8s.io/cluster-name"
_CONTROL_PLANE = "-control-plane"
_GKE, _AKS = frozenset(("gke-cos", "gke-ubuntu")), frozenset(("aks",))
_ANY: frozenset[str] = frozenset()


@dataclass(frozen=True)
class _Kind:
    """Where an API's kind says it; of a list the first counts."""

    api: str
    of: frozenset[str] = _ANY
    version: tuple[str, ...] = ()
    services: tuple[str, ...] = ()
    pods: tuple[str, ...] = ()
    # Where it is named beside `metadata.name`.
    named: tuple[tuple[str, ...], ...] = ()
    # Where the objects are named that make its nodes.
    pools: tuple[tuple[str, ...], ...] = ()


_MACHINES = ("spec", "template", "spec")
_OF_MACHINES = _Kind(
    "cluster.x-k8s.io/",
    version=(*_MACHINES, "version"),
    named=(("spec", "clusterName"),),
    pools=((*_MACHINES, "infrastructureRef", "name"), (*_MACHINES, "bootstrap", "configRef", "name")),
)
_PROVIDER = ("spec", "forProvider")
_CONTROLS = "controlplane.cluster.x-k8s.io/"
_INFRASTRUCTURE = "infrastructure.cluster.x-k8s.io/"
_EKS = frozenset(EKS)
_KINDS: Mapping[str, Sequence[_Kind]] = {
    "AWSManagedControlPlane": (_Kind(_CONTROLS, _EKS, ("spec", "version"), named=(("spec", "eksClusterName"),)),),
    "AzureManagedControlPlane": (_Kind(_INFRASTRUCTURE, _AKS, ("spec", "version")),),
    "Cluster": (
        _Kind(
            "cluster.x-k8s.io/",
            version=("spec", "topology", "version"),
            services=("spec", "clusterNetwork", "services", "cidrBlocks"),
            pods=("spec", "clusterNetwork", "pods", "cidrBlocks"),
        ),
        _Kind(
            "container.gcp.",
            _GKE,
            (*_PROVIDER, "minMasterVersion"),
            (*_PROVIDER, "ipAllocationPolicy", "servicesIpv4CidrBlock"),
            (*_PROVIDER, "ipAllocationPolicy", "clusterIpv4CidrBlock"),
        ),
        _Kind(
            "eks.aws.",
            _EKS,
            (*_PROVIDER, "version"),
            (*_PROVIDER, "kubernetesNetworkConfig", "serviceIpv4Cidr"),
        ),
        _Kind(
            "eks.services.k8s.aws/",
            _EKS,
            ("spec", "version"),
            ("spec", "kubernetesNetworkConfig", "serviceIPv4CIDR"),
            named=(("spec", "name"),),
        ),
        _Kind("kops.k8s.io/", frozenset(("kops",)), ("spec", "kubernetesVersion"), ("spec", "serviceClusterIPRange")),
    ),
    "ClusterConfiguration": (
        _Kind(
            "kubeadm.k8s.io/",
            frozenset(("kubeadm", "crio")),
            ("kubernetesVersion",),
            ("networking", "serviceSubnet"),
            ("networking", "podSubnet"),
            named=(("clusterName",),),
        ),
    ),
    "ClusterConfig": (
        _Kind(
            "eksctl.io/",
            _EKS,
            ("metadata", "version"),
            ("kubernetesNetworkConfig", "serviceIPv4CIDR"),
        ),
    ),
    **dict.fromkeys(
        ("KubeadmControlPlane", "RKE2ControlPlane", "KThreesControlPlane", "K0sControlPlane", "TalosControlPlane"),
        (_Kind(_CONTROLS, version=("spec", "version")),),
    ),
    "ContainerCluster": (
        _Kind(
            "container.cnrm.",
            _GKE,
            ("spec", "minMasterVersion"),
            ("spec", "ipAllocationPolicy", "servicesIpv4CidrBlock"),
            ("spec", "ipAllocationPolicy", "clusterIpv4CidrBlock"),
        ),
    ),
    "GCPManagedControlPlane": (
        _Kind(
            _INFRASTRUCTURE,
            _GKE,
            ("spec", "version"),
            ("spec", "clusterNetwork", "service", "cidrBlock"),
            ("spec", "clusterNetwork", "pod", "cidrBlock"),
            named=(("spec", "clusterName"),),
        ),
    ),
    "IPPool": (_Kind("crd.projectcalico.org/", pods=("spec", "cidr")),),
    "Installation": (_Kind("operator.tigera.io/", pods=("spec", "calicoNetwork", "ipPools", "cidr")),),
    "KubernetesCluster": (
        _Kind(
            "containerservice.azure.",
            _AKS,
            (*_PROVIDER, "kubernetesVersion"),
            (*_PROVIDER, "networkProfile", "serviceCidr"),
            (*_PROVIDER, "networkProfile", "podCidr"),
        ),
    ),
    "MachineDeployment": (_OF_MACHINES,),
    "MachinePool": (_OF_MACHINES,),
    "ManagedCluster": (
        _Kind(
            "containerservice.azure.com/",
            _AKS,
            ("spec", "kubernetesVersion"),
            ("spec", "networkProfile", "serviceCidr"),
            ("spec", "networkProfile", "podCidr"),
        ),
    ),
}


def said_clusters(document: Tree) -> Iterator[SaidCluster]:
    api = document.get("apiVersion").string
    kind = next((each for each in _KINDS.get(document.get("kind").string, ()) if api.startswith(each.api)), None)
    if kind is None:
        return
    metadata = document.get("metadata")
    named = [
        metadata.get("name"),
        metadata.get("labels", _OF_CLUSTER_API),
        *(document.get(*each) for each in kind.named),
    ]
    names = {each.text for each in named if each.text}
    if kind is _OF_MACHINES or not (kind.version or kind.services):
        names.discard(metadata.get("name").text)  # its own, and no cluster's
    names |= {each.removesuffix(_CONTROL_PLANE) for each in names}
    said = SaidCluster(
        document.place,
        frozenset(names),
        frozenset(each.string for path in kind.pools if (each := document.get(*path)).text),
        kind.of,
        minor_of(_at(document, kind.version)),
        range_of(_at(document, kind.services)),
        range_of(_at(document, kind.pods)),
        number_of(document.get("spec", "replicas")) if kind is _OF_MACHINES else None,
    )
    if said.pools or any(each is not None for each in (said.version, said.services, said.pods)):
        yield said


# Cilium's chart, and Calico's. Cilium takes its own range in its default mode alone (cluster-pool).
_POOLS_OF_CILIUM = ("ipam", "operator", "clusterPoolIPv4PodCIDRList")
_POOLS_OF_CALICO = ("installation", "calicoNetwork", "ipPools", "cidr")


def said_by_networks_chart(release: Release) -> Iterator[SaidCluster]:
    values = release.values
    is_pooled = values.get("ipam", "mode").text in (None, "cluster-pool")
    found = [values.get(*_POOLS_OF_CILIUM)] if is_pooled else []
    pods = next(
        (said for each in (*map(first_of, found), _at(values, _POOLS_OF_CALICO)) if (said := range_of(each))), None
    )
    if pods is not None:
        yield SaidCluster(pods.place, frozenset(), pods=pods)


# How a provider calls the type of its machines.
_TYPES = {"AWSMachineTemplate": "instanceType", "AzureMachineTemplate": "vmSize", "GCPMachineTemplate": "instanceType"}


def said_machines(document: Tree) -> Iterator[SaidMachines]:
    """The machines of a type with GPUs."""
    kind, name = document.get("kind").string, document.get("metadata", "name").text
    said = document.get("spec", "template", "spec", _TYPES.get(kind, ""))
    api = document.get("apiVersion").string
    if name is None or said.text is None or not api.startswith(_INFRASTRUCTURE):
        return
    if has_gpus(said.text):
        image = document.get("spec", "template", "spec", "ami", "eksLookupType")
        yield SaidMachines(document.place, name, Machines((said.located(),)), text_of(image))
        return
    found = gpus_of_size(said.text) if kind.startswith("Azure") else gpus_of_machine(said.text)
    if found is not None:
        gpu = Located.known(found.gpu, said.place) if found.gpu is not None else None
        count = Located.known(found.count, said.place) if found.count is not None else None
        yield SaidMachines(document.place, name, Machines(gpu=gpu, gpus=count))


def _at(document: Tree, path: Sequence[str]) -> Tree | None:
    if not path:
        return None
    tree = document
    for name in path:
        tree = first_of(tree.get(name))
    return tree


def first_of(tree: Tree) -> Tree:
    return tree.sequence[0] if tree.is_sequence and tree.sequence else tree


def minor_of(said: Tree | None) -> Located[str] | None:
    if said is None:
        return None
    found = _MINOR.match(said.string)
    return Located.known(found[1], said.place) if found is not None else None


def range_of(said: Tree | None) -> Located[str] | None:
    """One of Google's may be a name or a length, and is none then."""
    return text_of(said) if said is not None and "." in said.string and "/" in said.string else None
