"""Node groups of EKS that objects of Kubernetes ask for: of Cluster API, of Crossplane, of AWS' own controllers."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from nodeworthy.documents.tree import Tree, absent
from nodeworthy.facts.fleet.asked_nodes import AskedNodes
from nodeworthy.facts.fleet.eksctl import LoginDoor
from nodeworthy.facts.fleet.machines import Machines, number_of, text_of, texts_of
from nodeworthy.facts.fleet.node_taint import taints_in
from nodeworthy.known.instances import has_gpus
from nodeworthy.known.node_images import image_by_type
from nodeworthy.records import dataclass
from nodeworthy.verdict import Located


@dataclass(frozen=True)
class _Kind:
    """How this kind of object calls what EKS' own API takes."""

    api: str
    spec: tuple[str, ...] = ("spec",)
    taints: str = "taints"
    sizes: tuple[str, ...] = ("scalingConfig",)


_OF_KIND: Mapping[str, _Kind] = {
    "AWSManagedMachinePool": _Kind("infrastructure.cluster.x-k8s.io/", sizes=("scaling",)),
    "NodeGroup": _Kind("eks.aws.", ("spec", "forProvider"), taints="taint"),
    "Nodegroup": _Kind("eks.services.k8s.aws/"),
}

_KEYS = ("ec2SSHKey", "ec2SshKey")


def groups_of_eks(document: Tree) -> Iterator[AskedNodes]:
    """The groups with GPUs whose amiType says what they are."""
    called = document.get("kind").string
    kind, name = _OF_KIND.get(called), document.get("metadata", "name").text
    if kind is None or name is None or not document.get("apiVersion").string.startswith(kind.api):
        return
    spec = document.get(*kind.spec)
    image = spec.get("amiType")
    sign = image_by_type(image.text) if image.text is not None else None
    types = [each for each in (spec.get("instanceType"), *spec.get("instanceTypes").sequence) if each.text is not None]
    if sign is None or sign.distribution is None or not any(has_gpus(each.string) for each in types):
        return
    yield AskedNodes(
        name,
        called,
        document.place,
        Located.known(sign.distribution, image.place),
        image.string,
        sign.driver,
        text_of(spec.get("version")),
        _cluster(document, spec),
        machines=_machines(spec, kind, types),
    )


def doors_of_eks(document: Tree) -> Iterator[LoginDoor]:
    """A group of EKS' opens SSH to everyone where a key is named, and nobody who may use it. Cluster API's provider
    does so only where it is told to."""
    called = document.get("kind").string
    kind, name = _OF_KIND.get(called), document.get("metadata", "name").text
    if kind is None or name is None or not document.get("apiVersion").string.startswith(kind.api):
        return
    spec = document.get(*kind.spec)
    access = spec.get("remoteAccess")
    access = access.sequence[0] if access.sequence else access
    allowed = access.get("public") if kind.api.startswith("infrastructure") else _key_for_all(access)
    if allowed.value is True:
        yield LoginDoor(name, Tree({"ssh": Tree({"allow": allowed}, access.place)}, document.place))


def _key_for_all(access: Tree) -> Tree:
    key = next((each for name in _KEYS if (each := access.get(name)).text), None)
    if key is None or any(name.startswith("sourceSecurityGroup") for name in access.mapping):
        return absent(access.place)
    return Tree(True, key.place)


def _cluster(document: Tree, spec: Tree) -> Located[str] | None:
    """The cluster by its name, by the object that makes it, or by Cluster API's label."""
    label = document.get("metadata", "labels", "cluster.x-k8s.io/cluster-name")
    told = (spec.get("clusterName"), spec.get("clusterNameRef", "name"), spec.get("clusterRef", "from", "name"), label)
    return next((found for each in told if (found := text_of(each)) is not None), None)


def _machines(spec: Tree, kind: _Kind, types: list[Tree]) -> Machines:
    sizes = spec.get(*kind.sizes)
    sizes = sizes.sequence[0] if sizes.sequence else sizes
    return Machines(
        tuple(each.located() for each in types),
        wanted=number_of(sizes.get("desiredSize")),
        least=number_of(sizes.get("minSize")),
        most=number_of(sizes.get("maxSize")),
        labels=texts_of(spec.get("labels")),
        taints=taints_in(spec.get(kind.taints).sequence),
    )
