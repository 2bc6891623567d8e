"""What Cluster API starts at EC2 and how many of it: an AWSMachineTemplate, the MachineDeployments that name it, an
AWSMachinePool. And what their cluster opens of them besides its own ports."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import ClassVar

from nodeworthy.documents.tree import Tree
from nodeworthy.known.instances import has_gpus
from nodeworthy.records import dataclass
from nodeworthy.verdict import Place

_OWN, _INFRASTRUCTURE = "cluster.x-k8s.io/", "infrastructure.cluster.x-k8s.io/"
_TEMPLATE, _POOL = "AWSMachineTemplate", "AWSMachinePool"


@dataclass(frozen=True)
class ApiMachines:
    """Machines with GPUs as EC2 is asked for them."""

    called: ClassVar[str] = "machines of Cluster API's at EC2"

    kind: str
    name: str
    place: Place
    # What the machines are started with.
    tree: Tree
    # Where the sizes of a pool stand; absent of a template, which has none.
    sizes: Tree


@dataclass(frozen=True)
class ApiDeployment:
    """How many machines there are of a template, and what may change that."""

    called: ClassVar[str] = "a MachineDeployment of Cluster API's"

    name: str
    place: Place
    template: str
    tree: Tree


@dataclass(frozen=True)
class ApiDoors:
    """The rules that a cluster adds to the security groups which its provider makes."""

    called: ClassVar[str] = "what a cluster of Cluster API's opens at EC2"

    name: str
    place: Place
    # By whose group they are of.
    rules: Mapping[str, Tree]


_NETWORK = ("spec", "network")
_NETWORKS = {
    "AWSCluster": _NETWORK,
    "AWSManagedControlPlane": _NETWORK,
    "AWSClusterTemplate": ("spec", "template", *_NETWORK),
    "AWSManagedControlPlaneTemplate": ("spec", "template", *_NETWORK),
}
_ADDED = {"nodes": "additionalNodeIngressRules", "control plane": "additionalControlPlaneIngressRules"}


def doors_of_api(document: Tree) -> Iterator[ApiDoors]:
    path, name = _NETWORKS.get(document.get("kind").string), document.get("metadata", "name").text
    if path is None or name is None or _OWN not in document.get("apiVersion").string:
        return
    rules = {whose: document.get(*path, key) for whose, key in _ADDED.items()}
    told = {whose: each for whose, each in rules.items() if each.sequence}
    if told:
        yield ApiDoors(name, document.place, told)


def machines_of_api(document: Tree) -> Iterator[ApiMachines | ApiDeployment]:
    kind, api = document.get("kind").string, document.get("apiVersion").string
    name = document.get("metadata", "name").text
    if name is None:
        return
    if kind in (_TEMPLATE, _POOL) and api.startswith(_INFRASTRUCTURE):
        is_pool = kind == _POOL
        spec = document.get("spec")
        tree = spec.get("awsLaunchTemplate") if is_pool else spec.get("template", "spec")
        if has_gpus(tree.get("instanceType").string):
            yield ApiMachines(kind, name, document.place, tree, spec if is_pool else document.get("spec", "minSize"))
    elif kind == "MachineDeployment" and api.startswith(_OWN):
        reference = document.get("spec", "template", "spec", "infrastructureRef")
        template = reference.get("name").text
        if reference.get("kind").text == _TEMPLATE and template is not None:
            yield ApiDeployment(name, document.place, template, document)
