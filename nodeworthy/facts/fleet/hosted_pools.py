"""The pools of GPU nodes that a managed cluster of Google Cloud or Azure is asked for, as Terraform writes them;
objects of Kubernetes are brought into this form (`hosted_objects.py`)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TypeVar

from nodeworthy.documents.tree import Tree, absent
from nodeworthy.facts.fleet.gpu_pool import GpuPool
from nodeworthy.facts.fleet.machines import (
    Gone,
    Machines,
    Refused,
    Reserved,
    labels_of_pool,
    number_of,
    text_of,
    texts_of,
)
from nodeworthy.facts.fleet.node_taint import taints_in, written_taint
from nodeworthy.fleet.model import Driver
from nodeworthy.known.cloud_gpus import (
    MachineGpus,
    accelerator_gone,
    accelerator_meant,
    aks_distribution,
    gke_distribution,
    gke_installs,
    gke_leaves_it,
    gpu_of_accelerator,
    gpus_of_machine,
    gpus_of_size,
    is_attached,
    machines_with,
    numbers_attached,
    others_of_family,
    others_of_series,
    takes_accelerators,
)
from nodeworthy.known.containerd import Containerd, containerd_of
from nodeworthy.patterns import pattern
from nodeworthy.records import dataclass, replace
from nodeworthy.verdict import Known, Located, Place, Related, Unknown

_T = TypeVar("_T")
GKE_POOL, GKE_CLUSTER = "google_container_node_pool", "google_container_cluster"
AKS_POOL, AKS_CLUSTER = "azurerm_kubernetes_cluster_node_pool", "azurerm_kubernetes_cluster"
HOSTED = frozenset((GKE_POOL, GKE_CLUSTER, AKS_POOL, AKS_CLUSTER))
_MINOR = pattern(r"1\.\d+")
_MOST_GPUS = 17
# A size with GPUs, wherever it stands in what somebody wrote (not in what is to be filled in); and how each is written.
_SIZE_WITH_GPUS = pattern(r"(?i)(?:[\w ]*[_ ])?N[CDV]\d{1,3}[a-z]{0,6}(?:[_ ][\w ]*)?")
_ANY_SIZE = pattern(r"(?i)standard_\w+")
_ACCELERATOR = "cloud.google.com/gke-accelerator"
# The labels by which GKE and AKS tell the nodes of a pool by its name.
_OF_GKES_POOL = ("cloud.google.com/gke-nodepool",)
_OF_AKS_POOL = ("kubernetes.azure.com/agentpool", "agentpool")
_NAMED_RESERVATION = "SPECIFIC_RESERVATION"
# By this tag of a pool people kept AKS from installing a driver, before there was an argument for it.
_SKIPS = "SkipGPUDriverInstall"


@dataclass(frozen=True)
class HostedResource:
    """One resource: its type and name in Terraform, and what is set in it; its blocks are lists."""

    type: str
    name: str
    place: Place
    values: Tree

    def block(self, *names: str) -> Tree:
        """The first of the blocks of these names, each within the other."""
        return _first(self.values, *names)


def hosted_pools(resources: Sequence[HostedResource]) -> list[GpuPool]:
    clusters = [each for each in resources if each.type in (GKE_CLUSTER, AKS_CLUSTER)]
    return [pool for each in resources for pool in _pools(each, clusters)]


def _pools(resource: HostedResource, clusters: Sequence[HostedResource]) -> Iterator[GpuPool]:
    own = clusters[0] if len(clusters) == 1 else None
    cluster = resource if resource in clusters else own
    named = text_of(cluster.values.get("name")) if cluster is not None else None
    services, pods = _ranges(cluster) if cluster is not None else (None, None)
    yield from (replace(each, cluster=named, services=services, pods=pods) for each in _each_pool(resource, own))


def _ranges(cluster: HostedResource) -> tuple[Located[str] | None, Located[str] | None]:
    """The ranges of services and pods. Google's may be a name or a length, which is no range."""
    if cluster.type == AKS_CLUSTER:
        said = cluster.block("network_profile")
        return text_of(said.get("service_cidr")), text_of(said.get("pod_cidr"))
    said = cluster.block("ip_allocation_policy")
    both = (said.get("services_ipv4_cidr_block"), said.get("cluster_ipv4_cidr_block"))
    services, pods = (text_of(each) if "." in each.string else None for each in both)
    return services, pods


def _each_pool(resource: HostedResource, own: HostedResource | None) -> Iterator[GpuPool]:
    if resource.type == GKE_POOL:
        name, version = resource.values.get("name").text, _version(resource.values, "version", own)
        yield from _of_gke(name or resource.name, resource.place, resource.values, version)
    elif resource.type == GKE_CLUSTER:
        version = _version(resource.values, "min_master_version")
        yield from _of_gke(resource.name, resource.place, resource.values, version)
        for each in resource.values.get("node_pool").sequence:
            yield from _of_gke(each.get("name").text or resource.name, each.place, each, version)
    elif resource.type == AKS_POOL:
        version = _version(resource.values, "orchestrator_version", own)
        yield from _of_aks(resource.name, resource.place, resource.values, version)
    elif resource.type == AKS_CLUSTER:
        version = _version(resource.values, "kubernetes_version")
        yield from _of_aks(resource.name, resource.place, resource.block("default_node_pool"), version)


# GKE


def _of_gke(name: str, place: Place, pool: Tree, version: Located[str] | None) -> Iterator[GpuPool]:
    config = _first(pool, "node_config")
    accelerator = _first(config, "guest_accelerator")
    machines = _machines_of_gke(config, accelerator, pool)
    if machines is None:
        return
    image = config.get("image_type")
    said = f"image_type {image.text}" if image.text else "no image_type, and GKE takes COS_CONTAINERD"
    where = image.place if image.text else config.place
    distribution: Located[str] = _distribution(image, gke_distribution(image.text), where)
    driver, related = _driver_of_gke(accelerator)
    yield GpuPool(
        name,
        place,
        distribution,
        _runtime(distribution),
        noun="GKE node pool",
        driver=driver,
        driver_said=related,
        driver_by="GKE" if driver is not None else "",
        kubernetes=version,
        machines=machines,
        evidence=said,
    )


def _driver_of_gke(accelerator: Tree) -> tuple[Driver | None, Related | None]:
    """Where it installs none, a DaemonSet of Google's may, or the operator: who of them, it does not say."""
    said = _first(accelerator, "gpu_driver_installation_config").get("gpu_driver_version")
    if said.text is None:
        return None, None
    if gke_installs(said.text):
        return Driver.AMI, Related(said.place, f"GKE installs the driver here: {said.text}")
    leaves = gke_leaves_it(said.text)
    return None, Related(said.place, f"{said.text}: GKE leaves the driver to others") if leaves else None


def _distribution(image: Tree, found: str | None, where: Place) -> Located[str]:
    if isinstance(image.value, Unknown):
        return Located(image.value, where)
    if found is None:
        return Located.unknown(f"what nodes of {image.text} are is not known", where)
    return Located.known(found, where)


def _unless_shared(count: Located[int] | None, accelerator: Tree) -> Located[int] | None:
    """Where GKE cuts or shares its GPUs, a node offers more of them than it has."""
    for name in ("gpu_sharing_config", "gpu_partition_size"):
        said = accelerator.get(name)
        if said.is_unknown or said.text or said.sequence or said.mapping:
            return Located.unknown(f"{name} makes several of each GPU", said.place)
    return count


def _machines_of_gke(config: Tree, accelerator: Tree, pool: Tree) -> Machines | None:
    """None where it has no GPUs, and where nobody knows whether it has."""
    kind, own = accelerator.get("type"), gpus_of_machine(config.get("machine_type").string)
    has_some = kind.is_unknown and _may_be_some(accelerator.get("count"))
    if kind.text is None and own is None and not has_some:
        return None
    count = _unless_shared(number_of(accelerator.get("count")), accelerator)
    gpu = gpu_of_accelerator(accelerator_meant(kind.text) or kind.text) if kind.text is not None else None
    scaling = _first(pool, "autoscaling")
    least = _first_number(scaling, "min_node_count", "total_min_node_count")
    machine = config.get("machine_type").place
    own_count = _unless_shared(_located_or_none(own.count, machine), accelerator) if own is not None else count
    return Machines(
        gpu=_located_or_none(own.gpu, machine) if own is not None else _located_or_none(gpu, kind.place),
        gpus=own_count,
        # One that says no number begins with what it scales down to.
        wanted=_first_number(pool, "node_count", "initial_node_count") or least,
        least=least,
        most=_first_number(scaling, "max_node_count", "total_max_node_count"),
        labels=_labels_of_gke(config, kind),
        given=labels_of_pool(_OF_GKES_POOL, pool.get("name")),
        taints=taints_in(config.get("taint").sequence),
        reserved=_reserved_by_gke(config),
        gone=_gone_of_gke(kind),
        refused=_refused_by_gke(config.get("machine_type"), accelerator),
    )


def _reserved_by_gke(config: Tree) -> Reserved | None:
    """A reservation that is named; whatever matches one by itself may be had without it as well."""
    affinity = _first(config, "reservation_affinity")
    kind = affinity.get("consume_reservation_type")
    if kind.text != _NAMED_RESERVATION:
        return None
    named = next(iter(affinity.get("values").sequence), None)
    return Reserved(Located.known("reservation", kind.place), text_of(named) if named is not None else None)


def _first_number(said: Tree, *names: str) -> Located[int] | None:
    return next(filter(None, (number_of(said.get(name)) for name in names)), None)


def _may_be_some(count: Tree) -> bool:
    """Whether there may be any: whoever fills in the kind may fill in the number as well."""
    return count.is_unknown or (isinstance(count.value, int) and count.value in range(1, _MOST_GPUS))


def _refused_by_gke(machine: Tree, accelerator: Tree) -> Refused | None:
    """What Google calls otherwise, attaches to other machines, or has in another number of its machine."""
    kind, count = accelerator.get("type"), accelerator.get("count")
    if others := others_of_family(machine.string):
        return Refused(machine.located(), " or ".join(others), "Google Cloud has no machine type of this name")
    if kind.text is None:
        return None
    if (meant := accelerator_meant(kind.text)) is not None:
        return Refused(kind.located(), meant, "Google Cloud has no accelerator of this name")
    if machine.text is None or (gpu := gpu_of_accelerator(kind.text)) is None:
        return None
    if is_attached(kind.text):
        why = f"Google Cloud attaches {kind.text} to machines of N1 alone"
        fits = takes_accelerators(machine.text)
        return _odd_number(kind.text, count) if fits else Refused(machine.located(), "n1-standard-8", why)
    own = gpus_of_machine(machine.text)
    if own is None or own.gpu != gpu:
        why = f"{kind.text} is a part of its machines, and attached to none, nor to {machine.text}"
        return Refused(machine.located(), " or ".join(f"{each}-…" for each in machines_with(gpu)), why)
    if own.count is not None and isinstance(count.value, int) and count.value not in (0, own.count):
        return Refused(
            count.located(), str(own.count), f"{machine.text} has {own.count} {kind.text}, no more and no fewer"
        )
    return None


def _odd_number(accelerator: str, count: Tree) -> Refused | None:
    numbers = numbers_attached(accelerator)
    if not numbers or not isinstance(count.value, int) or count.value in (0, *numbers):
        return None
    told = ", ".join(map(str, numbers[:-1])) + f" or {numbers[-1]}"
    return Refused(count.located(), told, f"Google Cloud attaches {told} {accelerator} to a machine")


def _gone_of_gke(accelerator: Tree) -> Gone | None:
    since, asked = accelerator_gone(accelerator.string), text_of(accelerator)
    if since is None or asked is None:
        return None
    return Gone(asked, "Google Cloud", since, "gcloud compute accelerator-types list")


def _labels_of_gke(config: Tree, accelerator: Tree) -> Mapping[str, Located[str]]:
    """The pool's own labels, and the label of the accelerator, which GKE gives to its nodes."""
    said = text_of(accelerator)
    return {**texts_of(config.get("labels")), **({_ACCELERATOR: said} if said is not None else {})}


# AKS


def _of_aks(name: str, place: Place, pool: Tree, version: Located[str] | None) -> Iterator[GpuPool]:
    size = pool.get("vm_size")
    has = gpus_of_size(size.text) if size.text is not None else None
    refused = _refused_by_aks(size)
    is_managed = size.is_unknown and pool.get("has_gpus").value is True
    has = MachineGpus(None, None) if refused is not None or is_managed else has
    if has is None or pool.get("os_type").text == "Windows":
        return
    said = pool.get("gpu_driver")
    skipped = pool.get("tags", _SKIPS)
    distribution: Located[str] = Located.known(aks_distribution(), size.place)
    driver, related = _driver_of_aks(said, skipped, size)
    yield GpuPool(
        pool.get("name").text or name,
        place,
        distribution,
        _runtime(distribution),
        noun="AKS node pool",
        driver=driver,
        driver_said=related,
        driver_by="AKS" if driver is Driver.AMI else "",
        kubernetes=version,
        machines=replace(_machines_of_aks(has, pool), refused=refused),
        evidence=f"a node pool of AKS, {size.text or 'whose GPUs it manages'}",
    )


def _refused_by_aks(size: Tree) -> Refused | None:
    """Every size of Azure's begins alike, and is one word."""
    text = size.string
    if others := others_of_series(text):
        return Refused(size.located(), " or ".join(others), "Azure has no size of this name")
    if _SIZE_WITH_GPUS.fullmatch(text) is None or _ANY_SIZE.fullmatch(text) is not None:
        return None
    return Refused(size.located(), "Standard_… in one word", "Azure has no size of this name")


def _driver_of_aks(said: Tree, skipped: Tree, size: Tree) -> tuple[Driver | None, Related | None]:
    if said.is_unknown or skipped.is_unknown:
        return None, None
    if said.text == "None":
        return Driver.OPERATOR, Related(said.place, "gpu_driver None: AKS leaves the driver to others")
    if str(skipped.value).lower() == "true":
        return Driver.OPERATOR, Related(skipped.place, f"{_SKIPS}: AKS leaves the driver to others")
    if said.text is not None:
        return Driver.AMI, Related(said.place, f"AKS installs the driver: gpu_driver {said.text}")
    return Driver.AMI, Related(size.place, "AKS installs the driver: without gpu_driver it is Install")


def _machines_of_aks(has: MachineGpus, pool: Tree) -> Machines:
    size = pool.get("vm_size")
    wanted, least, most = (number_of(pool.get(each)) for each in ("node_count", "min_count", "max_count"))
    written = (written_taint(each.string, each.place) for each in pool.get("node_taints").sequence)
    return Machines(
        gpu=_located_or_none(has.gpu, size.place),
        gpus=_located_or_none(has.count, size.place),
        wanted=wanted,
        least=least,
        most=most,
        labels=texts_of(pool.get("node_labels")),
        given=labels_of_pool(_OF_AKS_POOL, pool.get("name")),
        taints=tuple(each for each in written if each is not None),
        reserved=_reserved_by_aks(pool.get("capacity_reservation_group_id")),
        gone=_gone_of_aks(size, has.gone),
    )


def _reserved_by_aks(group: Tree) -> Reserved | None:
    """A group of reservations is paid for as long as it is there."""
    return None if group.says_nothing else Reserved(Located.known("reservation", group.place))


def _gone_of_aks(size: Tree, since: str | None) -> Gone | None:
    asked = text_of(size)
    if since is None or asked is None:
        return None
    return Gone(asked, "Azure", since, "az vm list-skus --location REGION --size Standard_N --output table")


# Both


def _first(tree: Tree, *names: str) -> Tree:
    for name in names:
        inner = tree.get(name)
        if inner.is_sequence:
            inner = inner.sequence[0] if inner.sequence else absent(inner.place)
        tree = inner
    return tree


def _located_or_none(value: _T | None, place: Place) -> Located[_T] | None:
    return Located.known(value, place) if value is not None else None


def _runtime(distribution: Located[str]) -> Located[Containerd]:
    state = distribution.state
    known = Known(containerd_of(state.value)) if isinstance(state, Known) else state
    return Located(known, distribution.place)


def _version(values: Tree, name: str, cluster: HostedResource | None = None) -> Located[str] | None:
    """The version of the pool; where it does not say one, that of its cluster."""
    said = text_of(values.get(name))
    if said is None and cluster is not None:
        name = "min_master_version" if cluster.type == GKE_CLUSTER else "kubernetes_version"
        said = text_of(cluster.values.get(name))
    return minor_of(said)


def minor_of(said: Located[str] | None) -> Located[str] | None:
    """`1.33` of `1.33.5-gke.1080000`, `v1.33`."""
    if said is None or isinstance(said.state, Unknown):
        return said
    found = _MINOR.match(said.state.value.removeprefix("v"))
    return Located.known(found[0], said.place) if found is not None else None
