"""The resources of a template as those of a stack of AWS, with the properties as the provider names them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial

from nodeworthy.collect.source.cloudformation.functions import holes_in
from nodeworthy.collect.source.cloudformation.template import DefaultFile, Resource, Template
from nodeworthy.documents.tree import Tree, join
from nodeworthy.facts.aws.stack import AwsResource, AwsStack
from nodeworthy.hcl.source import Spot
from nodeworthy.hcl.trees import tree
from nodeworthy.hcl.values import Hole, Lit, Obj, Scalar, Seq, Str, Value, text_of
from nodeworthy.known.aws_models import Model, model_of
from nodeworthy.known.cloudformation import holder_of, is_packed, names_of, root_devices, type_of
from nodeworthy.markers import default_of
from nodeworthy.patterns import pattern
from nodeworthy.verdict import Place

# Both ways in which a property asks the parameter store for an image.
_SSM = pattern(r"(?:\{\{)?resolve:ssm:(?P<name>[^:}]+)(?::\d+)?(?:\}\})?")
_WHOLE = pattern(r"-?\d{1,18}")
_IMAGES = ("imageId", "ami")
_SECURITY_GROUP = "AWS::EC2::SecurityGroup"
_MACHINES = ("AWS::EC2::Instance", "AWS::AutoScaling::LaunchConfiguration")
_JUDGED = ("AWS::", "Custom::AWSCDK-EKS-Cluster")
_DISKS, _INTERFACES = "BlockDeviceMappings", "NetworkInterfaces"


class Resources:
    """The resources of a template that facts are about, each translated into the provider's words once."""

    def __init__(self, template: Template) -> None:
        self._template = template
        kept = {name: each for name, each in template.resources.items() if each.type.startswith(_JUDGED)}
        self._planned = {name: _planned(template, each, model_of(_kind(each))) for name, each in kept.items()}
        self.stack = AwsStack(Place(template.file.shown), [self._resource(each) for each in kept.values()])

    def planned(self, resource: AwsResource) -> Value:
        return self._planned[resource.urn]

    def _resource(self, resource: Resource) -> AwsResource:
        planned = self._planned[resource.name]
        dependencies: dict[str, Sequence[str]] = {}
        for name, each in planned.items.items() if isinstance(planned, Obj) else ():
            named = dict.fromkeys(hole.of for hole in holes_in(each) if hole.of in self._template.resources)
            if named:
                dependencies[name] = tuple(named)
        name, place = resource.name, resource.spot.place
        return AwsResource(
            _kind(resource), name, name, place, partial(_tree, planned), dependencies, is_translated=True
        )


def _tree(value: Value, subject: str = "", key: Spot | None = None) -> Tree:
    """What a parameter says only where nothing else is given tells so."""
    made = tree(value, subject, key)
    place = made.place
    if isinstance(value.spot.file, DefaultFile):
        place = place.about(f"{subject}{default_of(value.spot.file.parameter)}")
    if isinstance(value, Seq):
        each = [_tree(one, f"{subject}[{index}]") for index, one in enumerate(value.items)]
        return Tree(each, place, made.key)
    if isinstance(value, Obj):
        inner = {name: _tree(one, join(subject, name), value.keys.get(name)) for name, one in value.items.items()}
        return Tree(inner, place, made.key)
    return Tree(made.value, place, made.key, made.secret)


def _kind(resource: Resource) -> str:
    """One that no fact is about counts all the same: it may be what a security group guards."""
    return type_of(resource.type) or resource.type


def properties_of(template: Template, resource: Resource) -> Value:
    """The properties that the facts read, wherever the type keeps them."""
    said = template.properties(resource)
    inside = holder_of(resource.type)
    if inside is None or not isinstance(said, Obj):
        return said
    held = said.items.get(inside)
    if not isinstance(held, Obj):
        return held if held is not None else said
    above = {name: each for name, each in said.items.items() if name != inside}
    return Obj("object", {**above, **held.items}, said.spot, {**said.keys, **held.keys})


def _planned(template: Template, resource: Resource, model: Model | None) -> Value:
    said = properties_of(template, resource)
    if not isinstance(said, Obj):
        return said
    made = _by_providers_names(_of_its_type(resource.type, said), model)
    if not isinstance(made, Obj):
        return made
    found = {name: _image(each, template) if name in _IMAGES else each for name, each in made.items.items()}
    return Obj("object", found, made.spot, made.keys)


def _image(said: Value, template: Template) -> Value:
    """An image that is looked up is told by what it is looked up as."""
    if isinstance(said, Hole) and (looked_up := template.looked_up(said.of)):
        return text_of(looked_up, said.spot)
    if isinstance(said, Str) and said.known is not None and (found := _SSM.fullmatch(said.known)) is not None:
        return text_of(found["name"], said.spot)
    return said


# Names


def _by_providers_names(said: Value, model: Model | None) -> Value:
    """The value with the provider's names and kinds, without what the provider does not have."""
    kind = model["type"] if model is not None else "any"
    if isinstance(said, Obj):
        if kind in ("map", "string"):
            return said
        return _structure(said, model)
    if isinstance(said, Seq):
        if kind == "map":
            return _map_of(said)
        of = model["of"] if model is not None and kind == "list" else None
        return Seq(said.kind, [_by_providers_names(each, of) for each in said.items], said.spot)
    if isinstance(said, Str) and kind in ("integer", "boolean"):
        return _typed(said, kind)
    return said


def _structure(said: Obj, model: Model | None) -> Obj:
    properties = model.get("properties") if model is not None else None
    found: dict[str, Value] = {}
    keys: dict[str, Spot] = {}
    for name, each in said.items.items():
        called = _property_name(name, properties)
        if called is not None:
            found[called] = _by_providers_names(each, properties[called] if properties is not None else None)
            keys[called] = said.key_spot(name)
    return Obj("object", found, said.spot, keys)


def _property_name(name: str, properties: Mapping[str, Model] | None) -> str | None:
    names = names_of(name)
    return names[0] if properties is None else next((each for each in names if each in properties), None)


def _map_of(said: Seq) -> Value:
    """Tags are a list of keys and values."""
    found: dict[str, Value] = {}
    keys: dict[str, Spot] = {}
    for each in said.items:
        if not isinstance(each, Obj):
            return Hole("one of them is not known", each.spot) if isinstance(each, Hole) else said
        key, value = (each.items.get(name) for name in ("Key", "Value"))
        if isinstance(key, Str) and key.known is not None and value is not None:
            found[key.known] = value
            keys[key.known] = each.spot
    return Obj("object", found, said.spot, keys)


def _typed(said: Str, kind: str) -> Value:
    """Numbers and truth are texts as often as not."""
    told = said.known or ""
    if kind == "integer" and _WHOLE.fullmatch(told):
        return Scalar(int(told), said.spot)
    if kind == "boolean" and told.lower() in ("true", "false"):
        return Scalar(told.lower() == "true", said.spot)
    return said


# Shapes


def _of_its_type(kind: str, said: Obj) -> Obj:
    items, keys = dict(said.items), dict(said.keys)
    _versioned(items)
    if kind == _SECURITY_GROUP:
        _open(items, keys, said.spot)
    if kind in _MACHINES:
        _spread_disks(items, keys)
        _spread_interfaces(items, keys)
    if is_packed(kind) and "UserData" in items:
        items["UserDataBase64"] = items.pop("UserData")
        keys["UserDataBase64"] = keys.pop("UserData", said.spot)
    return Obj("object", items, said.spot, keys)


def _open(items: dict[str, Value], keys: dict[str, Spot], spot: Spot) -> None:
    """A group of which nobody says what it lets out lets out everything."""
    for name, called in (("SecurityGroupIngress", "Ingress"), ("SecurityGroupEgress", "Egress")):
        each = items.pop(name, None)
        if each is not None:
            items[called] = _openings(each)
            keys[called] = keys.pop(name, spot)
    if "Egress" not in items:
        anywhere: dict[str, Value] = {"Protocol": text_of("-1", spot), "CidrBlocks": _one(text_of("0.0.0.0/0", spot))}
        items["Egress"] = _one(_ported(Obj("object", anywhere, spot, {})))
        keys["Egress"] = spot


# A rule within its group, and the lists that the provider has of what CloudFormation has one of.
_LISTS = {
    "CidrIp": "CidrBlocks",
    "CidrIpv6": "Ipv6CidrBlocks",
    "SourceSecurityGroupId": "SecurityGroups",
    "SourceSecurityGroupName": "SecurityGroups",
    "DestinationSecurityGroupId": "SecurityGroups",
    "SourcePrefixListId": "PrefixListIds",
    "DestinationPrefixListId": "PrefixListIds",
    "IpProtocol": "Protocol",
}


def _openings(said: Value) -> Value:
    if isinstance(said, Obj):
        said = Seq("tuple", [said], said.spot)
    if not isinstance(said, Seq):
        return said
    return Seq("tuple", [_opening(each) if isinstance(each, Obj) else each for each in said.items], said.spot)


def _opening(said: Obj) -> Obj:
    items: dict[str, Value] = {}
    keys: dict[str, Spot] = {}
    for name, each in said.items.items():
        called = _LISTS.get(name, name)
        items[called] = each if called in (name, "Protocol") else _one(each)
        keys[called] = said.key_spot(name)
    if "Protocol" in items and isinstance(items["Protocol"], Scalar):
        items["Protocol"] = Str((Lit(str(items["Protocol"].value), items["Protocol"].spot),), items["Protocol"].spot)
    return _ported(Obj("object", items, said.spot, keys))


def _ported(said: Obj) -> Obj:
    """All traffic is of no port, and CloudFormation asks for none."""
    none = {"FromPort": Scalar(0, said.spot), "ToPort": Scalar(0, said.spot)}
    return Obj("object", {**none, **said.items}, said.spot, said.keys)


def _one(each: Value) -> Seq:
    return Seq("tuple", [each], each.spot)


def _versioned(items: dict[str, Value]) -> None:
    """Gives a launch template the default version where nobody says one."""
    said = items.get("LaunchTemplate")
    if isinstance(said, Obj) and "Version" not in said.items:
        version = text_of("$Default", said.spot)
        items["LaunchTemplate"] = Obj("object", {**said.items, "Version": version}, said.spot, said.keys)


def _spread_disks(items: dict[str, Value], keys: dict[str, Spot]) -> None:
    mapped = items.pop(_DISKS, None)
    if not isinstance(mapped, Seq):
        if mapped is not None:
            items["RootBlockDevice"] = items["EbsBlockDevices"] = mapped
        return
    others: list[Value] = []
    for each in mapped.items:
        disk = _disk(each)
        name = disk.items.get("DeviceName") if isinstance(disk, Obj) else None
        if isinstance(name, Str) and name.known in root_devices() and isinstance(disk, Obj):
            items["RootBlockDevice"] = disk
            keys["RootBlockDevice"] = each.spot
        elif disk is not None:
            others.append(disk)
    if others:
        items["EbsBlockDevices"] = Seq("tuple", others, mapped.spot)
        keys["EbsBlockDevices"] = mapped.spot


def _disk(said: Value) -> Value | None:
    """None for a device that is no volume."""
    if not isinstance(said, Obj):
        return said
    volume = said.items.get("Ebs")
    if not isinstance(volume, Obj):
        return volume
    items = {**{name: each for name, each in said.items.items() if name != "Ebs"}, **volume.items}
    return Obj("object", items, said.spot, {**said.keys, **volume.keys})


def _spread_interfaces(items: dict[str, Value], keys: dict[str, Spot]) -> None:
    """What the interfaces of a single machine are guarded by, it is; those that are resources of their own stay."""
    said = items.pop(_INTERFACES, None)
    named = [each for each in _objects(said) if "NetworkInterfaceId" in each.items]
    if named and said is not None:
        items[_INTERFACES] = Seq("tuple", list[Value](named), said.spot)
    else:
        keys.pop(_INTERFACES, None)
    groups = [each.items.get("GroupSet") for each in _objects(said)]
    every = [one for each in groups if isinstance(each, Seq) for one in each.items]
    every += [each for each in groups if isinstance(each, Hole)]
    if every and "SecurityGroupIds" not in items:
        items["SecurityGroupIds"] = Seq("tuple", every, every[0].spot)
        keys["SecurityGroupIds"] = every[0].spot


def _objects(said: Value | None) -> list[Obj]:
    return [each for each in said.items if isinstance(each, Obj)] if isinstance(said, Seq) else []
