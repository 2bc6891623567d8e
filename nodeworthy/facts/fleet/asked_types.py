"""The types of EC2 that objects ask for which no stack of AWS' holds: Cluster API's, Crossplane's, kops', Rancher's,
OpenShift's, an old Karpenter's; and the words of eksctl in a script."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from nodeworthy.documents.tree import Tree
from nodeworthy.facts.fleet.gpu_pool import AskedTypes
from nodeworthy.known.instances import is_named_so
from nodeworthy.records import dataclass
from nodeworthy.verdict import Located, Place


@dataclass(frozen=True)
class _Kind:
    api: str
    # Where a type stands, or a list of them.
    paths: tuple[tuple[str, ...], ...]
    # Lists of mappings that have one each.
    overrides: tuple[str, ...] = ()


_CAPA = "infrastructure.cluster.x-k8s.io/"
_KIND: Mapping[str, _Kind] = {
    "AWSMachineTemplate": _Kind(_CAPA, (("spec", "template", "spec", "instanceType"),)),
    "AWSMachinePool": _Kind(
        _CAPA, (("spec", "awsLaunchTemplate", "instanceType"),), ("spec", "mixedInstancesPolicy", "overrides")
    ),
    "AWSManagedMachinePool": _Kind(_CAPA, (("spec", "instanceType"), ("spec", "awsLaunchTemplate", "instanceType"))),
    "NodeGroup": _Kind("eks.aws.", (("spec", "forProvider", "instanceTypes"),)),
    "Nodegroup": _Kind("eks.services.k8s.aws/", (("spec", "instanceTypes"),)),
    "InstanceGroup": _Kind("kops.k8s.io/", (("spec", "machineType"), ("spec", "mixedInstancesPolicy", "instances"))),
    "Amazonec2Config": _Kind("rke-machine-config.cattle.io/", (("instanceType",),)),
    "MachineSet": _Kind(
        "machine.openshift.io/", (("spec", "template", "spec", "providerSpec", "value", "instanceType"),)
    ),
}
_PROVISIONER, _TYPE = "karpenter.sh/", "node.kubernetes.io/instance-type"
_GROUPS = ("managedNodeGroups", "nodeGroups")


def asked_types(document: Tree) -> Iterator[AskedTypes]:
    called, api = document.get("kind").string, document.get("apiVersion").string
    kind = _KIND.get(called)
    if kind is not None and api.startswith(kind.api):
        said = [each for path in kind.paths for each in _every_one(document.get(*path))]
        said += [each.get("instanceType") for each in document.get(*kind.overrides).sequence if kind.overrides]
        yield from _asked_by_object(document, called, said)
    elif called == "Provisioner" and api.startswith(_PROVISIONER):
        required = document.get("spec", "requirements").sequence
        chosen = [each for each in required if each.get("key").text == _TYPE and each.get("operator").text == "In"]
        yield from _asked_by_object(document, called, [one for each in chosen for one in each.get("values").sequence])


def types_of_eksctl(document: Tree) -> Iterator[AskedTypes]:
    """Of what a script hands to eksctl; a file of its own is a stack."""
    for group in (each for name in _GROUPS for each in document.get(name).sequence):
        said = [*_every_one(group.get("instanceType")), *_every_one(group.get("instanceTypes"))]
        said += group.get("instancesDistribution", "instanceTypes").sequence
        yield from _those_named(f"node group '{group.get('name').string}'", group.place, said)


def _every_one(said: Tree) -> Sequence[Tree]:
    return said.sequence if said.is_sequence else (said,)


def _asked_by_object(document: Tree, called: str, said: Sequence[Tree]) -> Iterator[AskedTypes]:
    yield from _those_named(f"{called} '{document.get('metadata', 'name').string}'", document.place, said)


def _those_named(title: str, place: Place, said: Sequence[Tree]) -> Iterator[AskedTypes]:
    """What is filled in later, or is a machine of another cloud, has another form."""
    types = [Located.known(each.string, each.place) for each in said if is_named_so(each.string)]
    if types:
        yield AskedTypes(title, place, types)
