"""Clusters that are made whole, with their nodes: by k0sctl, Rancher, k3d, EKS Anywhere, Gardener, kubespray, kubeadm,
MicroK8s, a plan of system-upgrade-controller's; and the groups of nodes that kops and OpenShift are asked for."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import PurePath

from nodeworthy.documents.tree import Tree
from nodeworthy.facts.fleet.asked_nodes import AskedNodes
from nodeworthy.facts.fleet.cri_socket import with_kubeadm
from nodeworthy.facts.fleet.machines import Machines, number_of, text_of, texts_of
from nodeworthy.facts.fleet.node_taint import taints_in, written_taint
from nodeworthy.known.cloud_gpus import gpus_of_machine, gpus_of_size
from nodeworthy.known.instances import has_gpus
from nodeworthy.patterns import pattern
from nodeworthy.records import replace
from nodeworthy.verdict import Located, Place

_KOPS, _OF_KOPS = "kops.k8s.io/", "kops.k8s.io/cluster"
_K3D, _ANYWHERE, _OPENSHIFT = "k3d.io/", "anywhere.eks.amazonaws.com/", "machine.openshift.io/"
_WITH_KUBEADM = ("ubuntu", "redhat")
_GARDENER, _KUBEADM = "core.gardener.cloud/", "kubeadm.k8s.io/"
_OF_KUBESPRAY = {"containerd": "kubeadm", "crio": "crio"}
_CLUSTER_CONFIGURATION = "ClusterConfiguration"
_K0SCTL, _RANCHER = "k0sctl.k0sproject.io/", "provisioning.cattle.io/"
# As their versions of Kubernetes end: v1.33.4+rke2r1.
_OF_RANCHER = {"+rke2": "rke2", "+k3s": "k3s"}
_RELEASE_OF_RANCHER = pattern(r"v?1\.\d+\.\d+(?:-rc\d+)?\+(?:k3s|rke2r)\d+")


def made_clusters(document: Tree) -> Iterator[AskedNodes]:
    name, api = document.get("metadata", "name"), document.get("apiVersion").string
    if name.text is None or document.get("kind").text != "Cluster":
        return
    if api.startswith(_K0SCTL):
        yield _cluster(document, "k0s", document.get("spec", "k0s", "version"), "k0sctl makes it")
    elif api.startswith(_RANCHER):
        version = document.get("spec", "kubernetesVersion")
        found = next((each for sign, each in _OF_RANCHER.items() if sign in version.string), None)
        if found is not None:
            made = _cluster(document, found, version, f"kubernetesVersion {version.text}")
            yield from list(_pools_of_rancher(document, made)) or [made]


def _pools_of_rancher(document: Tree, made: AskedNodes) -> Iterator[AskedNodes]:
    """The pools of machines with GPUs, as far as the cluster says which these are."""
    for each in document.get("spec", "rkeConfig", "machinePools").sequence:
        kind, taints = each.get("machineType"), taints_in(each.get("taints").sequence)
        labels = texts_of(each.get("labels"))
        if _is_of_gpus(kind.string) or any("gpu" in word for word in (*labels, *(one.key for one in taints))):
            machines = replace(_machines_of_kind(kind), wanted=number_of(each.get("quantity")), labels=labels)
            yield replace(
                made,
                name=each.get("name").text or made.name,
                noun="machine pool",
                place=each.place,
                machines=replace(machines, taints=taints),
            )


# By the images of their upgrades.
_UPGRADED = {"k3s-upgrade": "k3s", "rke2-upgrade": "rke2"}
_PLANS = "upgrade.cattle.io/"


def upgraded_nodes(document: Tree) -> Iterator[AskedNodes]:
    """The nodes that a plan of system-upgrade-controller's brings to a release of k3s or RKE2."""
    image, name = document.get("spec", "upgrade", "image"), document.get("metadata", "name")
    found = next((each for sign, each in _UPGRADED.items() if sign in image.string), None)
    if found is None or name.text is None or not document.get("apiVersion").string.startswith(_PLANS):
        return
    yield AskedNodes(
        name.text,
        "the nodes of plan",
        document.place,
        Located.known(found, image.place),
        f"a plan upgrades {found} on them",
        kubernetes=text_of(document.get("spec", "version")),
    )


# What MicroK8s alone is told before it starts.
_OF_MICROK8S = frozenset(
    (
        *("addons", "containerdRegistryConfigs"),
        *(f"extra{each}" for each in ("KubeletArgs", "KubeAPIServerArgs", "ContainerdArgs", "ContainerdEnv")),
    )
)
_OF_LAUNCHES = pattern(r"0\.\d+\.\d+")


def launched_by_microk8s(document: Tree) -> Iterator[AskedNodes]:
    """The node that MicroK8s makes by its launch configuration."""
    version = document.get("version")
    if _OF_LAUNCHES.fullmatch(version.string) and len(_OF_MICROK8S.intersection(document.mapping)) > 1:
        microk8s = Located.known("microk8s", version.place)
        name = PurePath(document.place.file).name
        yield AskedNodes(
            name, "the node configured by", document.place, microk8s, "a launch configuration of MicroK8s'"
        )


def cluster_of_k3d(document: Tree) -> Iterator[AskedNodes]:
    if document.get("metadata", "name").text is not None and document.get("apiVersion").string.startswith(_K3D):
        yield _cluster(document, "k3s", document.get("image"), "k3d makes it")


def machines_of_eks_anywhere(document: Tree) -> Iterator[AskedNodes]:
    """The machines that EKS Anywhere makes with kubeadm, on Ubuntu and Red Hat; Bottlerocket has a reader of its
    own."""
    family, name = document.get("spec", "osFamily"), document.get("metadata", "name")
    if name.text and family.text in _WITH_KUBEADM and document.get("apiVersion").string.startswith(_ANYWHERE):
        kubeadm = Located.known("kubeadm", family.place)
        said = f"EKS Anywhere makes nodes of {family.text} with kubeadm"
        yield AskedNodes(name.text, document.get("kind").string, document.place, kubeadm, said)


def machines_of_openshift(document: Tree) -> Iterator[AskedNodes]:
    """The machines of an EC2 type with GPUs. kubelet talks to CRI-O there."""
    spec = document.get("spec", "template", "spec")
    kind, name = spec.get("providerSpec", "value", "instanceType"), document.get("metadata", "name")
    is_its = document.get("apiVersion").string.startswith(_OPENSHIFT)
    if name.text is None or not is_its or not has_gpus(kind.string):
        return
    machines = Machines(
        (kind.located(),),
        wanted=number_of(document.get("spec", "replicas")),
        labels=texts_of(spec.get("metadata", "labels")),
        taints=taints_in(spec.get("taints").sequence),
    )
    crio = Located.known("crio", kind.place)
    yield AskedNodes(name.text, "MachineSet", document.place, crio, "a MachineSet of OpenShift", machines=machines)


def workers_of_gardener(document: Tree) -> Iterator[AskedNodes]:
    """The workers of a type with GPUs. Gardener's images (Garden Linux, Ubuntu, Flatcar, SUSE) have no driver of
    NVIDIA's."""
    name, spec = document.get("metadata", "name"), document.get("spec")
    if name.text is None or not document.get("apiVersion").string.startswith(_GARDENER):
        return
    for each in spec.get("provider", "workers").sequence:
        kind = each.get("machine", "type")
        if not _is_of_gpus(kind.string) or each.get("cri", "name").text not in (None, "containerd"):
            continue
        network = spec.get("networking")
        yield AskedNodes(
            each.get("name").text or name.text,
            "worker group",
            each.place,
            Located.known("gardener", kind.place),
            f"Gardener makes its nodes, of {kind.text}",
            kubernetes=text_of(each.get("kubernetes", "version")) or text_of(spec.get("kubernetes", "version")),
            cluster=text_of(name),
            services=text_of(network.get("services")),
            pods=text_of(network.get("pods")),
            machines=_of_gardener(each, kind),
        )


def _is_of_gpus(kind: str) -> bool:
    return has_gpus(kind) or gpus_of_machine(kind) is not None or gpus_of_size(kind) is not None


def _machines_of_kind(kind: Tree) -> Machines:
    """A type of any of the large clouds."""
    found = gpus_of_machine(kind.string) or gpus_of_size(kind.string)
    return Machines(
        (kind.located(),) if found is None and kind.text is not None else (),
        Located.known(found.gpu, kind.place) if found is not None and found.gpu is not None else None,
        Located.known(found.count, kind.place) if found is not None and found.count is not None else None,
    )


def _of_gardener(worker: Tree, kind: Tree) -> Machines:
    return replace(
        _machines_of_kind(kind),
        least=number_of(worker.get("minimum")),
        most=number_of(worker.get("maximum")),
        labels=texts_of(worker.get("labels")),
        taints=taints_in(worker.get("taints").sequence),
    )


def nodes_of_kubeadm(document: Tree) -> Iterator[AskedNodes]:
    """The nodes that join, or begin, by this configuration, with the runtime that it names. A configuration of the
    cluster alone shows that kubeadm makes it, and says nothing of the runtime."""
    if not document.get("apiVersion").string.startswith(_KUBEADM):
        return
    whole = document.get("kind").text == _CLUSTER_CONFIGURATION
    socket = document.get("nodeRegistration", "criSocket")
    yield AskedNodes(
        PurePath(document.place.file).name,
        "the node configured by",
        document.place,
        with_kubeadm(document.place if socket.is_absent else socket.place, socket),
        f"a {document.get('kind').text} of kubeadm",
        cluster=text_of(document.get("clusterName")),
        is_likely=whole,
    )


def nodes_of_kubespray(document: Tree) -> Iterator[AskedNodes]:
    """The variables of an inventory: it makes nodes with kubeadm, and the runtime that they choose, containerd by
    itself."""
    manager = document.get("container_manager")
    where = document.place if manager.is_absent else manager.place
    named = manager.text or "containerd"
    distribution: Located[str] = Located.unknown(f"container_manager is {manager.located().shown()}", where)
    if manager.is_absent or manager.text in _OF_KUBESPRAY:
        distribution = Located.known(_OF_KUBESPRAY[named], where)
    yield AskedNodes(
        PurePath(document.place.file).name,
        "the nodes of inventory",
        document.place,
        distribution,
        f"kubespray makes its nodes, with {named}",
        kubernetes=text_of(document.get("kube_version")),
        services=text_of(document.get("kube_service_addresses")),
        pods=text_of(document.get("kube_pods_subnet")),
    )


# How hetzner-k3s calls the machines that it makes.
_OF_HETZNER = frozenset({"masters_pool", "worker_node_pools"})


def nodes_of_ansible(document: Tree) -> Iterator[AskedNodes]:
    """What variables of a group, or of an inventory, say of the k3s or RKE2 that roles of many people make nodes with:
    the form of the version says which of the two it is."""
    for variables in (document, *_variables_within(document)):
        said = next((each for name, each in variables.mapping.items() if _is_version_of(name, each)), None)
        if said is None:
            continue
        distribution = next(each for sign, each in _OF_RANCHER.items() if sign in said.string)
        written = " ".join(_words(each) for name, each in variables.mapping.items() if "arg" in name)
        maker = "Ansible" if _OF_HETZNER.isdisjoint(document.mapping) else "hetzner-k3s"
        yield AskedNodes(
            PurePath(document.place.file).name,
            "the nodes of inventory",
            said.place,
            Located.known(distribution, said.place),
            f"{maker} makes them of {distribution} {said.text}",
            kubernetes=said.located(),
            services=_range_in(written, "service-cidr", said.place),
            pods=_range_in(written, "cluster-cidr", said.place),
        )
        return


def _variables_within(document: Tree) -> Iterator[Tree]:
    """The variables within an inventory: those of its groups, and of the groups within one that is called `all`."""
    for group in (*document.mapping.values(), *document.get("all", "children").mapping.values()):
        if group.is_mapping and "vars" in group.mapping:
            yield group.get("vars")


def _is_version_of(name: str, said: Tree) -> bool:
    is_named = name.endswith("version") and any(each in name for each in ("k3s", "rke2", "kube"))
    return is_named and _RELEASE_OF_RANCHER.fullmatch(said.string) is not None


def _words(said: Tree) -> str:
    return " ".join(each.string for each in said.sequence) if said.is_sequence else said.string


def _range_in(written: str, option: str, place: Place) -> Located[str] | None:
    found = pattern(rf"--{option}[= ]\"?([\d.]+/\d+)").search(written)
    return Located.known(found[1], place) if found is not None else None


def groups_of_kops(document: Tree) -> Iterator[AskedNodes]:
    """The groups with GPUs. kops installs driver and toolkit on them where it is told to."""
    name, spec = document.get("metadata", "name"), document.get("spec")
    types = [spec.get("machineType"), *spec.get("mixedInstancesPolicy", "instances").sequence]
    types = [each for each in types if has_gpus(each.string)]
    if name.text is None or not types or not document.get("apiVersion").string.startswith(_KOPS):
        return
    gpus = spec.get("containerd", "nvidiaGPU", "enabled")
    brings = gpus.value is True
    yield AskedNodes(
        name.text,
        "InstanceGroup",
        document.place,
        Located.known("kops", gpus.place if brings else types[0].place),
        "kops installs the driver and the toolkit (nvidiaGPU)" if brings else "kops makes its nodes",
        True if brings else None,
        cluster=text_of(document.get("metadata", "labels", _OF_KOPS)),
        machines=_machines(spec, types),
    )


def _machines(spec: Tree, types: Sequence[Tree]) -> Machines:
    written = [written_taint(each.string, each.place) for each in spec.get("taints").sequence]
    return Machines(
        tuple(each.located() for each in types),
        least=number_of(spec.get("minSize")),
        most=number_of(spec.get("maxSize")),
        labels=texts_of(spec.get("nodeLabels")),
        taints=tuple(each for each in written if each is not None),
    )


def _cluster(document: Tree, distribution: str, version: Tree, said: str) -> AskedNodes:
    name = document.get("metadata", "name")
    where = version.place if version.text is not None else document.place
    return AskedNodes(
        name.string,
        "cluster",
        document.place,
        Located.known(distribution, where),
        said,
        kubernetes=text_of(version),
        cluster=text_of(name),
    )
