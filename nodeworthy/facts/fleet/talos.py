"""The nodes that a machine config of Talos, a patch of one, a talhelper's talconfig, or a template of Omni's makes, and
what the first of them say of their cluster."""

from __future__ import annotations

from collections.abc import Iterator

from nodeworthy.documents.tree import Tree
from nodeworthy.facts.fleet.asked_nodes import AskedNodes, SaidCluster
from nodeworthy.facts.fleet.machines import NOTHING_SAID, Machines, text_of, texts_of
from nodeworthy.facts.fleet.node_taint import written_taint
from nodeworthy.facts.fleet.said_cluster import first_of, minor_of, range_of
from nodeworthy.records import replace
from nodeworthy.verdict import Located, Place

_NVIDIA = "nvidia"
TALOS, _OF_TALOS = "talos", ("siderolabs", "talos")
# Of Talos' extensions those that hold the modules; the toolkit is one of its own.
_MODULES = ("nonfree-kmod-nvidia", "nvidia-open-gpu-kernel-modules")
_ROLES = ("worker", "controlplane", "init")


def nodes_of_talos(document: Tree) -> Iterator[AskedNodes]:
    machine = document.get("machine")
    if machine.is_mapping:
        yield from _of_machine(document, machine)
    elif document.get("talosVersion").text is not None and document.get("nodes").is_sequence:
        yield _of_talhelper(document)
    else:
        yield from _of_schematic(document)


def _of_schematic(document: Tree) -> Iterator[AskedNodes]:
    """What the image factory makes an image of: some of the machines are installed with it."""
    asked = document.get("customization", "systemExtensions", "officialExtensions").sequence
    named = next((each for each in asked if names_driver(each)), None)
    if named is not None:
        yield replace(nodes_by_extension(TALOS, document.place, named), is_patch=True)


def _drivers(machine: Tree) -> list[Tree]:
    modules = [each.get("name") for each in machine.get("kernel", "modules").sequence]
    extensions = [each.get("image") for each in machine.get("install", "extensions").sequence]
    return [each for each in (*modules, *extensions) if _NVIDIA in each.string]


def machine_of_talos(name: str, place: Place, machine: Tree, cluster: Tree) -> AskedNodes:
    """What a configuration comes to that something else than Talos' own files puts together."""
    drivers = _drivers(machine)
    return AskedNodes(
        machine.get("network", "hostname").text or name,
        "machine config",
        place,
        Located.known(TALOS, drivers[0].place if drivers else place),
        f"a machine config of Talos{f' with {drivers[0].text}' if drivers else ''}",
        True if drivers else None,
        cluster=text_of(cluster),
        machines=_registered(machine) if drivers else NOTHING_SAID,
    )


def _registered(machine: Tree) -> Machines:
    """What its nodes register with. A taint is said there as it is to kubectl, without its key."""
    parted = ((key, each, each.string.rpartition(":")) for key, each in machine.get("nodeTaints").mapping.items())
    written = (written_taint(f"{key}={value}:{effect}", each.place) for key, each, (value, _, effect) in parted)
    taints = tuple(each for each in written if each is not None)
    return Machines(labels=texts_of(machine.get("nodeLabels")), taints=taints)


def nodes_by_extension(name: str, place: Place, extension: Tree) -> AskedNodes:
    """Nodes of an image that is made with NVIDIA's modules."""
    return AskedNodes(name, "image", place, Located.known(TALOS, extension.place), extension.string, has_driver=True)


def _of_machine(document: Tree, machine: Tree) -> Iterator[AskedNodes]:
    drivers = _drivers(machine)
    if not drivers and not _is_talos(document, machine):
        return
    said = f"a machine config of Talos{f' with {drivers[0].text}' if drivers else ''}"
    where = drivers[0].place if drivers else machine.place
    hostname = machine.get("network", "hostname").text
    cluster = document.get("cluster", "clusterName")
    yield AskedNodes(
        cluster.text or hostname or TALOS,
        "machine config",
        document.place,
        Located.known(TALOS, where),
        said,
        True if drivers else None,
        cluster=text_of(cluster),
        machines=_registered(machine) if drivers else NOTHING_SAID,
        # A whole one names its cluster.
        is_patch=cluster.is_absent and hostname is None,
    )


def _is_talos(document: Tree, machine: Tree) -> bool:
    """Others have machines, too: this one names Talos' image, or has its version and a role of its own."""
    image = machine.get("install", "image").string
    has_role = machine.get("type").text in _ROLES and document.get("version").text == "v1alpha1"
    return has_role or any(name in image for name in _OF_TALOS)


def _of_talhelper(document: Tree) -> AskedNodes:
    version, name = document.get("kubernetesVersion"), document.get("clusterName")
    extension = next(_extensions(document), None)
    return AskedNodes(
        name.text or TALOS,
        "talconfig of",
        document.place,
        Located.known(TALOS, document.get("talosVersion").place),
        extension.string if extension is not None else f"talosVersion {document.get('talosVersion').text}",
        True if extension is not None else None,
        # Where it is filled in, `talenv.yaml` beside it says which.
        kubernetes=text_of(version) if minor_of(version) is not None else None,
        cluster=text_of(name),
    )


def clusters_of_talos(document: Tree) -> Iterator[SaidCluster]:
    """A talconfig, the versions that talhelper keeps beside one, the part of a machine config about its cluster."""
    if document.get("talosVersion").text is not None:
        version, network = (
            document.get("kubernetesVersion"),
            (document.get("clusterSvcNets"), document.get("clusterPodNets")),
        )
        name = document.get("clusterName").text
    else:
        name = document.get("cluster", "clusterName").text
        ranges = document.get("cluster", "network")
        version, network = _kubelet(document), (ranges.get("serviceSubnets"), ranges.get("podSubnets"))
    services, pods = (range_of(first_of(each)) for each in network)
    said = minor_of(version)
    names = frozenset((name,) if name is not None else ())
    if names or any(each is not None for each in (said, services, pods)):
        yield SaidCluster(document.place, names, frozenset(), frozenset((TALOS,)), said, services, pods)


def _kubelet(document: Tree) -> Tree:
    """The tag of kubelet's image, which is the version of Kubernetes."""
    image = document.get("machine", "kubelet", "image")
    tag = image.string.partition("@")[0].rpartition(":")[2]
    return Tree(tag, image.place)


def _extensions(document: Tree) -> Iterator[Tree]:
    """The extensions with NVIDIA's driver that some of its nodes, or all, are made with."""
    for each in (document, document.get("worker"), document.get("controlPlane"), *document.get("nodes").sequence):
        asked = each.get("schematic", "customization", "systemExtensions", "officialExtensions")
        yield from (one for one in asked.sequence if _NVIDIA in one.string)


def clusters_of_omni(document: Tree) -> Iterator[SaidCluster]:
    """The part of its template that is about the cluster, which says no API either."""
    name, version = document.get("name").text, minor_of(document.get("kubernetes", "version"))
    is_omnis = document.get("apiVersion").is_absent and document.get("talos", "version").text is not None
    if is_omnis and name is not None:
        yield SaidCluster(document.place, frozenset((name,)), of=frozenset((TALOS,)), version=version)


def workers_of_omni(document: Tree) -> Iterator[AskedNodes]:
    """A part of a cluster's template, which says no API: the machines that get NVIDIA's modules."""
    extension = next((each for each in document.get("systemExtensions").sequence if names_driver(each)), None)
    if extension is not None and document.get("apiVersion").is_absent:
        yield AskedNodes(
            document.get("name").text or "workers",
            "Workers",
            document.place,
            Located.known(TALOS, extension.place),
            extension.string,
            True,
        )


def names_driver(extension: Tree) -> bool:
    return any(each in extension.string for each in _MODULES)
