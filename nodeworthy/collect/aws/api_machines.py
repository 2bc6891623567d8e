"""What Cluster API makes at EC2 of its manifests: machines, their disks, the size of a group that is scaled, what the
cluster opens of them.

What nobody writes follows from the release of its provider, and is not judged.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from nodeworthy.collect.aws.manifests import disk_of, metadata_options, resource_of
from nodeworthy.documents.tree import Tree
from nodeworthy.facts.aws.node_group import SCALING_GROUP, NodeGroup
from nodeworthy.facts.aws.security_group import GROUP, SecurityGroup
from nodeworthy.facts.aws.stack import AwsResource, AwsStack
from nodeworthy.facts.fleet.api_machines import ApiDeployment, ApiDoors, ApiMachines
from nodeworthy.scene import Fact
from nodeworthy.verdict import Place

_SIZES = {
    "minSize": "cluster.x-k8s.io/cluster-api-autoscaler-node-group-min-size",
    "maxSize": "cluster.x-k8s.io/cluster-api-autoscaler-node-group-max-size",
}
_NO_POOL = "Cluster API makes it of its own manifest, and no fleet"
_GUARDED_BY = "Cluster API gives machines the security groups of their cluster"


def machines_in_aws(facts: Sequence[Fact]) -> Iterator[Fact]:
    deployments = [each for each in facts if isinstance(each, ApiDeployment)]
    for each in facts:
        if isinstance(each, ApiMachines):
            scaled = [_scaled(one) for one in deployments if one.template == each.name]
            groups = [one for one in (*scaled, _pool(each)) if one is not None]
            yield from _nodes(each, groups[0] if groups else None)
        elif isinstance(each, ApiDoors):
            yield from _opened(each)


def _opened(doors: ApiDoors) -> Iterator[SecurityGroup]:
    for whose, rules in doors.rules.items():
        group = resource_of(GROUP, f"{doors.name} ({whose})", doors.place, {"ingress": rules})
        yield SecurityGroup(group, AwsStack(doors.place, [group]))


def _nodes(machines: ApiMachines, group: AwsResource | None) -> Iterator[Fact]:
    told, place = machines.tree, machines.place
    options = told.get("instanceMetadataOptions")
    reserved = Tree({"capacityReservationId": told.get("capacityReservationId")}, place)
    made = {
        "instanceType": told.get("instanceType"),
        "metadataOptions": metadata_options(options),
        "capacityReservationSpecification": Tree({"capacityReservationTarget": reserved}, place),
    }
    template = resource_of(_type(machines), machines.name, place, made)
    stack = AwsStack(place, [each for each in (group, template) if each is not None])
    by = group.place if group is not None and machines.sizes.says_nothing else None
    nodes = NodeGroup(stack, group, template, no_pool=_NO_POOL, guarded_by=_GUARDED_BY, scaled_by=by)
    yield nodes
    yield from disk_of("the root volume", told.get("rootVolume", "encrypted"), nodes)
    for each in told.get("nonRootVolumes").sequence:
        yield from disk_of(f"the volume {each.get('deviceName').text or ''}".strip(), each.get("encrypted"), nodes)


def _scaled(deployment: ApiDeployment) -> AwsResource | None:
    """A deployment whose size the cluster's autoscaler changes. Of another the size is one number."""
    noted = deployment.tree.get("metadata", "annotations")
    bounds = {size: noted.get(key) for size, key in _SIZES.items()}
    if any(each.says_nothing for each in bounds.values()):
        return None
    return _group(SCALING_GROUP, deployment.name, bounds["minSize"].place, bounds)


def _pool(machines: ApiMachines) -> AwsResource | None:
    sizes = {name: machines.sizes.get(name) for name in ("minSize", "maxSize")}
    if any(each.says_nothing for each in sizes.values()):
        return None
    return _group(_type(machines), machines.name, machines.place, sizes)


def _type(machines: ApiMachines) -> str:
    return f"capa:{machines.kind}"


def _group(kind: str, name: str, place: Place, sizes: Mapping[str, Tree]) -> AwsResource:
    return resource_of(kind, name, place, {key: _number(each) for key, each in sizes.items()})


def _number(said: Tree) -> Tree:
    """An annotation is a text."""
    return Tree(int(said.string), said.place) if said.string.isdecimal() else said
