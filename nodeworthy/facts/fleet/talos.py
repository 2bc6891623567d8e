"""The nodes that a machine config of Talos, a patch of one, a talhelper's talconfig, or a template of Omni's makes, and
what the first of them say of their cluster."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

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
# What is told of as the place of nodes that an image factory makes an image for.
OF_AN_IMAGE = "image"
_ROLES = ("worker", "controlplane", "init")


def nodes_of_talos(document: Tree) -> Iterator[AskedNodes]:
    machine = document.get("machine")
    if machine.is_mapping:
        yield from _of_machine(document, machine)
    elif document.get("talosVersion").text is not None and document.get("nodes").is_sequence:
        yield from _of_talhelper(document)
    else:
        yield from _of_schematic(document)


def _of_schematic(document: Tree) -> Iterator[AskedNodes]:
    """What the image factory makes an image of: some of the machines are installed with it."""
    asked = document.get("customization", "systemExtensions", "officialExtensions").sequence
    named = next((each for each in asked if names_driver(each)), None)
    if named is not None:
        yield replace(nodes_by_extension(TALOS, document.place, named), is_patch=True)


def drivers_of(machine: Tree) -> list[Tree]:
    modules = [each.get("name") for each in machine.get("kernel", "modules").sequence]
    extensions = [each.get("image") for each in machine.get("install", "extensions").sequence]
    return [each for each in (*modules, *extensions) if _NVIDIA in each.string]


def machine_of_talos(name: str, place: Place, machine: Tree, cluster: Tree) -> AskedNodes:
    """What a configuration comes to that something else than Talos' own files puts together."""
    drivers = drivers_of(machine)
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
    return AskedNodes(
        name, OF_AN_IMAGE, place, Located.known(TALOS, extension.place), extension.string, has_driver=True
    )


def _of_machine(document: Tree, machine: Tree) -> Iterator[AskedNodes]:
    drivers = drivers_of(machine)
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


def _of_talhelper(document: Tree) -> Iterator[AskedNodes]:
    """Its nodes with NVIDIA's driver, those that are alike together; where none is seen to have it, all as one."""
    version, name = document.get("kubernetesVersion"), document.get("clusterName")
    whole = AskedNodes(
        name.text or TALOS,
        "talconfig of",
        document.place,
        Located.known(TALOS, document.get("talosVersion").place),
        f"talosVersion {document.get('talosVersion').text}",
        # Where it is filled in, `talenv.yaml` beside it says which.
        kubernetes=text_of(version) if minor_of(version) is not None else None,
        cluster=text_of(name),
    )
    alike: dict[tuple[object, ...], list[Tree]] = {}
    for node in document.get("nodes").sequence:
        extension, patches = _extension_of(node, document), _patches_of(node, document)
        if extension is not None or patches:
            key = extension.string if extension is not None else None, patches, *_said_by(node)
            alike.setdefault(key, []).append(node)
    seen = [_alike(whole, nodes, document) for nodes in alike.values()]
    yield from seen if any(each.has_driver for each in seen) else [whole, *seen]


def _alike(whole: AskedNodes, nodes: Sequence[Tree], document: Tree) -> AskedNodes:
    first = nodes[0]
    extension = _extension_of(first, document)
    registers = replace(_registered(first), wanted=Located.known(len(nodes), first.place))
    return replace(
        whole,
        name=(first.get("hostname").text if len(nodes) == 1 else None) or whole.name,
        place=first.place,
        said=extension.string if extension is not None else whole.said,
        has_driver=True if extension is not None else None,
        machines=registers if extension is not None else NOTHING_SAID,
        patches=_patches_of(first, document),
        registers=registers,
    )


def _extension_of(node: Tree, document: Tree) -> Tree | None:
    """With which its image is made: by what it says itself, what all of its kind have, or all."""
    for said in (node, document.get(_kind_of(node)), document):
        asked = said.get("schematic", "customization", "systemExtensions", "officialExtensions").sequence
        if found := next((each for each in asked if _NVIDIA in each.string), None):
            return found
    return None


def _patches_of(node: Tree, document: Tree) -> tuple[str, ...]:
    """The files named so that are laid over it: `@./patches/nvidia.yaml`."""
    laid = (each.string for said in (node, document.get(_kind_of(node))) for each in said.get("patches").sequence)
    return tuple(each.removeprefix("@") for each in laid if each.startswith("@") and _NVIDIA in each)


def _kind_of(node: Tree) -> str:
    return "controlPlane" if node.get("controlPlane").value is True else "worker"


def _said_by(node: Tree) -> Iterator[tuple[str, str]]:
    for name in ("nodeLabels", "nodeTaints"):
        yield from ((key, each.string) for key, each in node.get(name).mapping.items())


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
