"""What eksctl and Karpenter make in AWS of what their manifests say: nodes, their disks, a door for SSH.

Both have defaults that are right, so that a key that nobody wrote is judged as what the tool takes for it, or not at
all. What they do by themselves is not made here: whoever asks for the ports between nodes, for their subnets, or for
who drains them, finds nothing.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from nodeworthy.documents.tree import Tree
from nodeworthy.facts.aws.disk import Disk
from nodeworthy.facts.aws.node_group import MANAGED, SCALING_GROUP, TEMPLATE, NodeGroup
from nodeworthy.facts.aws.node_types import Ec2Fleet
from nodeworthy.facts.aws.security_group import GROUP, SecurityGroup
from nodeworthy.facts.aws.stack import AwsResource, AwsStack
from nodeworthy.facts.fleet.eksctl import EksctlGroup, LoginDoor
from nodeworthy.facts.fleet.karpenter import KarpenterClass, KarpenterPool
from nodeworthy.patterns import pattern
from nodeworthy.records import replace
from nodeworthy.scene import Fact
from nodeworthy.verdict import Located, Place, Unknown

_FILLED_IN_LATER = ("${", "{{")
_EVERYBODY = "0.0.0.0/0"
_SSH = 22
_OF_KARPENTER = "Karpenter makes it of its own manifest, and no fleet"
_GUARDED_BY = "Karpenter takes the security groups that its selector finds there"
_KEYS = ("publicKey", "publicKeyName", "publicKeyPath")
# By eksctl's spelling, EC2's.
_FOR_GPUS = pattern(r"(?i)(?<![a-z])(?:gpus?|nvidia|cuda)(?![a-z])")
_RESERVED = {
    "capacityReservationID": "capacityReservationId",
    "capacityReservationResourceGroupARN": "capacityReservationResourceGroupArn",
}


def nodes_in_aws(facts: Sequence[Fact]) -> Iterator[Fact]:
    """The nodes with GPUs that manifests describe, and who may log in to others of eksctl's. An EC2NodeClass counts
    where a NodePool beside it asks it for some, or where no pool says what it is for and it is named for GPUs
    itself."""
    for each in facts:
        if isinstance(each, EksctlGroup):
            yield from _of_eksctl(each)
        elif isinstance(each, LoginDoor):
            yield from _let_in(each)
    pools = [each for each in facts if isinstance(each, KarpenterPool)]
    asked = {each.node_class for each in pools if each.auto_mode is None}
    for each in facts:
        if isinstance(each, KarpenterClass) and (each.name in asked or (not pools and _FOR_GPUS.search(each.name))):
            yield from _of_karpenter(each)
    yield from (_what_it_starts(each) for each in pools if each.machines.types)


# eksctl


def _of_eksctl(group: EksctlGroup) -> Iterator[Fact]:
    if not _is_nothing(group.tree.get("launchTemplate")):
        return  # it is another's, and what it says stands elsewhere
    if not group.types or not group.has_gpus:
        # What its machines are something else says: asked is who may come in, whatever they are.
        yield from _let_in(group)
        return
    door = _door(group)
    template = _template(group, door)
    group_type = MANAGED if group.is_managed else SCALING_GROUP
    itself = resource_of(group_type, group.name, group.place, _scaling(group))
    resources = [each for each in (itself, template, door) if each is not None]
    stack = AwsStack(group.place, resources)
    scaled = group.tree.get("iam", "withAddonPolicies", "autoScaler")
    nodes = NodeGroup(
        stack,
        itself,
        template,
        no_pool="eksctl makes it of its own manifest, and no fleet",
        has_fitting_image=True,
        scaled_by=scaled.place if scaled.value is True else None,
    )
    yield nodes
    if door is not None:
        yield SecurityGroup(door, stack)
    yield from _disks_of_eksctl(group, nodes)


def _let_in(group: EksctlGroup | LoginDoor) -> Iterator[SecurityGroup]:
    door = _door(group) if _is_nothing(group.tree.get("launchTemplate")) else None
    if door is not None:
        yield SecurityGroup(door, AwsStack(group.place, [door]))


def _scaling(group: EksctlGroup) -> Mapping[str, Tree]:
    told, place = group.tree, group.place
    least, most, wanted = (told.get(name) for name in ("minSize", "maxSize", "desiredCapacity"))
    types = Tree(group.types, place)
    made = {"instanceTypes": types, "availabilityZones": told.get("availabilityZones")}
    if not group.is_managed:
        return {**made, "minSize": least, "maxSize": most, "desiredCapacity": wanted}
    sizes = {"minSize": least, "maxSize": most, "desiredSize": wanted}
    return {**made, "scalingConfig": Tree(sizes, place)}


def _template(group: EksctlGroup, door: AwsResource | None) -> AwsResource:
    told, place = group.tree, group.place
    target = told.get("capacityReservation", "capacityReservationTarget")
    reserved = {name: target.get(own) for own, name in _RESERVED.items()}
    made = {
        "metadataOptions": Tree({"httpTokens": _tokens(told)}, place),
        "instanceMarketOptions": told.get("instanceMarketOptions"),
        "placement": told.get("placement"),
        "capacityReservationSpecification": Tree({"capacityReservationTarget": Tree(reserved, place)}, place),
    }
    if door is None:
        return resource_of(TEMPLATE, group.name, place, made)
    behind = Tree([Tree(Unknown("eksctl makes it", door.urn), door.place)], door.place)
    made["vpcSecurityGroupIds"] = behind
    return resource_of(TEMPLATE, group.name, place, made, {"vpcSecurityGroupIds": (door.urn,)})


def _tokens(group: Tree) -> Tree:
    """Asked for where nobody says anything, and wherever pods are kept away."""
    pods, old = group.get("disablePodIMDS"), group.get("disableIMDSv1")
    if pods.value is True:
        return Tree("required", pods.place)
    if _is_nothing(old):
        return Tree("required", old.place)
    if not isinstance(old.value, bool):
        return _neither(old, "disableIMDSv1")
    return Tree("required" if old.value else "optional", old.place)


def _door(group: EksctlGroup | LoginDoor) -> AwsResource | None:
    """The security group for SSH. A key alone opens it, too; in private subnets it opens to their network only."""
    said = group.tree.get("ssh")
    allowed, sources = said.get("allow"), said.get("sourceSecurityGroupIds")
    has_key = any(not _is_nothing(said.get(name)) for name in _KEYS)
    if allowed.value is False or (_is_nothing(allowed) and not has_key) or sources.sequence or sources.is_unknown:
        return None
    has_none = not group.is_managed and group.tree.get("securityGroups", "withLocal").value is False
    private = group.tree.get("privateNetworking")
    return None if private.value is True or has_none else _open_door(group, allowed, private)


def _open_door(group: EksctlGroup | LoginDoor, allowed: Tree, private: Tree) -> AwsResource:
    decided = private if _is_undecided(private) else allowed
    place = group.tree.get("ssh").place if _is_nothing(decided) else decided.place
    name = "privateNetworking" if decided is private else "ssh.allow"
    everybody = _neither(decided, name) if _is_undecided(decided) else Tree(_EVERYBODY, place)
    port, from_ = Tree(_SSH, place), Tree([everybody], place)
    rule = Tree({"protocol": Tree("tcp", place), "fromPort": port, "toPort": port, "cidrBlocks": from_}, place)
    return resource_of(GROUP, f"{group.name} (ssh)", place, {"ingress": Tree([rule], place)})


def _disks_of_eksctl(group: EksctlGroup, nodes: NodeGroup) -> Iterator[Disk]:
    yield from disk_of("the root volume", group.tree.get("volumeEncrypted"), nodes)
    for each in group.tree.get("additionalVolumes").sequence:
        yield from disk_of(_title(each.get("volumeName")), each.get("volumeEncrypted"), nodes)


# Karpenter


def _of_karpenter(node_class: KarpenterClass) -> Iterator[Fact]:
    spec = node_class.tree.get("spec")
    made = {"metadataOptions": metadata_options(spec.get("metadataOptions"))}
    itself = resource_of("karpenter:EC2NodeClass", node_class.name, node_class.place, made)
    stack = AwsStack(node_class.place, [itself])
    nodes = NodeGroup(stack, None, itself, no_pool=_OF_KARPENTER, guarded_by=_GUARDED_BY)
    yield nodes
    for each in spec.get("blockDeviceMappings").sequence:
        yield from disk_of(_title(each.get("deviceName")), each.get("ebs", "encrypted"), nodes)


def _what_it_starts(pool: KarpenterPool) -> Ec2Fleet:
    every = [Tree({"instanceType": _tree(each)}, each.place) for each in pool.machines.types]
    overrides = Tree({"overrides": Tree(every, pool.place)}, pool.place)
    made = {"launchTemplateConfigs": Tree([overrides], pool.place)}
    return Ec2Fleet(resource_of("karpenter:NodePool", pool.name, pool.place, made))


def _tree(said: Located[str]) -> Tree:
    return Tree(said.state if isinstance(said.state, Unknown) else said.state.value, said.place)


# What all of them are made of


def metadata_options(options: Tree) -> Tree:
    """What nodes are told of their metadata, where the tool asks for a session unless somebody says otherwise."""
    tokens = options.get("httpTokens")
    asked = {**options.mapping, "httpTokens": Tree("required", tokens.place) if _is_nothing(tokens) else tokens}
    return options if options.is_unknown else Tree(asked, options.place)


def disk_of(title: str, said: Tree, nodes: NodeGroup) -> Iterator[Disk]:
    """Where nobody says it, the tool's default or the account's decides, neither of which is known to be wrong."""
    if not _is_nothing(said):
        holder = nodes.template or nodes.resource
        tree = Tree({"encrypted": said}, said.place)
        yield Disk(title, said.place, nodes.stack, holder, "blockDeviceMappings", tree, nodes)


def _title(device: Tree) -> str:
    return f"the volume {device.text}" if device.text else "a volume"


def resource_of(
    kind: str, name: str, place: Place, made: Mapping[str, Tree], of: Mapping[str, Sequence[str]] | None = None
) -> AwsResource:
    urn = f"{kind}::{name}"
    return AwsResource(kind, name, urn, place, lambda: _known_later(Tree(made, place)), of or {}, is_translated=True)


def _known_later(said: Tree) -> Tree:
    """What `envsubst` and the like fill in is known to nobody yet."""
    if said.is_mapping:
        return replace(said, value={name: _known_later(each) for name, each in said.mapping.items()})
    if said.is_sequence:
        return replace(said, value=[_known_later(each) for each in said.sequence])
    if said.text is None or not any(each in said.text for each in _FILLED_IN_LATER):
        return said
    return Tree(Unknown(f"{said.text} is filled in later"), said.place)


def _neither(said: Tree, name: str) -> Tree:
    if said.is_unknown:
        return said
    return Tree(Unknown(f"{name} is {said.located().shown()}, which is neither true nor false"), said.place)


def _is_undecided(said: Tree) -> bool:
    return not _is_nothing(said) and not isinstance(said.value, bool)


def _is_nothing(said: Tree) -> bool:
    return said.says_nothing
