"""Clusters that are made whole, with their nodes: by k0sctl, Rancher, k3d, EKS Anywhere; and the groups of nodes that
kops and OpenShift are asked for."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from nodeworthy.documents.tree import Tree
from nodeworthy.facts.fleet.asked_nodes import AskedNodes
from nodeworthy.facts.fleet.machines import Machines, number_of, text_of, texts_of
from nodeworthy.facts.fleet.node_taint import taints_in, written_taint
from nodeworthy.known.instances import has_gpus
from nodeworthy.verdict import Located

_KOPS, _OF_KOPS = "kops.k8s.io/", "kops.k8s.io/cluster"
_K3D, _ANYWHERE, _OPENSHIFT = "k3d.io/", "anywhere.eks.amazonaws.com/", "machine.openshift.io/"
_WITH_KUBEADM = ("ubuntu", "redhat")
_K0SCTL, _RANCHER = "k0sctl.k0sproject.io/", "provisioning.cattle.io/"
# As their versions of Kubernetes end: v1.33.4+rke2r1.
_OF_RANCHER = {"+rke2": "rke2", "+k3s": "k3s"}


def made_clusters(document: Tree) -> Iterator[AskedNodes]:
    name, api = document.get("metadata", "name"), document.get("apiVersion").text or ""
    if name.text is None or document.get("kind").text != "Cluster":
        return
    if api.startswith(_K0SCTL):
        yield _cluster(document, "k0s", document.get("spec", "k0s", "version"), "k0sctl makes it")
    elif api.startswith(_RANCHER):
        version = document.get("spec", "kubernetesVersion")
        found = next((each for sign, each in _OF_RANCHER.items() if sign in (version.text or "")), None)
        if found is not None:
            yield _cluster(document, found, version, f"kubernetesVersion {version.text}")


def cluster_of_k3d(document: Tree) -> Iterator[AskedNodes]:
    if document.get("metadata", "name").text is not None and (document.get("apiVersion").text or "").startswith(_K3D):
        yield _cluster(document, "k3s", document.get("image"), "k3d makes it")


def machines_of_eks_anywhere(document: Tree) -> Iterator[AskedNodes]:
    """On Ubuntu and Red Hat's it makes nodes with kubeadm; Bottlerocket is told of Bottlerocket's own."""
    family, name = document.get("spec", "osFamily"), document.get("metadata", "name")
    if name.text and family.text in _WITH_KUBEADM and (document.get("apiVersion").text or "").startswith(_ANYWHERE):
        kubeadm = Located.known("kubeadm", family.place)
        said = f"EKS Anywhere makes nodes of {family.text} with kubeadm"
        yield AskedNodes(name.text, document.get("kind").text or "", document.place, kubeadm, said)


def machines_of_openshift(document: Tree) -> Iterator[AskedNodes]:
    """Those of a type of EC2's with GPUs; kubelet talks to CRI-O there."""
    spec = document.get("spec", "template", "spec")
    kind, name = spec.get("providerSpec", "value", "instanceType"), document.get("metadata", "name")
    is_its = (document.get("apiVersion").text or "").startswith(_OPENSHIFT)
    if name.text is None or not is_its or not has_gpus(kind.text or ""):
        return
    machines = Machines(
        (kind.located(),),
        wanted=number_of(document.get("spec", "replicas")),
        labels=texts_of(spec.get("metadata", "labels")),
        taints=taints_in(spec.get("taints").sequence),
    )
    crio = Located.known("crio", kind.place)
    yield AskedNodes(name.text, "MachineSet", document.place, crio, "a MachineSet of OpenShift", machines=machines)


def groups_of_kops(document: Tree) -> Iterator[AskedNodes]:
    """Those with GPUs. Where it is told to, kops installs the driver and the toolkit on them."""
    name, spec = document.get("metadata", "name"), document.get("spec")
    types = [spec.get("machineType"), *spec.get("mixedInstancesPolicy", "instances").sequence]
    types = [each for each in types if has_gpus(each.text or "")]
    if name.text is None or not types or not (document.get("apiVersion").text or "").startswith(_KOPS):
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
    written = [written_taint(each.text or "", each.place) for each in spec.get("taints").sequence]
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
        name.text or "",
        "cluster",
        document.place,
        Located.known(distribution, where),
        said,
        kubernetes=text_of(version),
        cluster=text_of(name),
    )
