"""What AWS' API says of a resource, in the words of Pulumi's provider, by which rules know its properties."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from nodeworthy.documents.plain import at, mapping_at, mappings_at, strings_at, text_at
from nodeworthy.known.aws_models import Model, model_of
from nodeworthy.known.cloudformation import names_of

Data = Mapping[str, Any]


def words_of(kind: str, said: Data) -> dict[str, Any]:
    """What of it the provider has, by its names."""
    found = _by_model(said, model_of(kind))
    return found if isinstance(found, dict) else {}


def _by_model(said: Any, model: Model | None) -> Any:
    kind = model["type"] if model is not None else "any"
    if isinstance(said, Mapping) and kind == "structure" and model is not None:
        return _structure(said, model["properties"])
    if isinstance(said, list):
        if kind == "map":
            return tags_of(said)
        return [_by_model(each, model["of"] if model is not None and kind == "list" else None) for each in said]
    return said


def _structure(said: Data, properties: Mapping[str, Model]) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for name, each in said.items():
        called = next((one for one in _spelt(name) if one in properties), None)
        if called is not None and each is not None:
            found[called] = _by_model(each, properties[called])
    return found


def _spelt(name: str) -> Sequence[str]:
    """Auto scaling writes ARN at the end where its provider writes Arn."""
    return (*names_of(name), *names_of(name.replace("ARN", "Arn")))


def tags_of(said: Any) -> dict[str, str]:
    """AWS has lists of keys and values."""
    pairs = said if isinstance(said, list) else []
    return {text_at(each, "Key"): text_at(each, "Value") for each in pairs if text_at(each, "Key")}


# Groups of nodes

SCALING_GROUP = "aws:autoscaling/group:Group"
TEMPLATE = "aws:ec2/launchTemplate:LaunchTemplate"
CONFIGURATION = "aws:ec2/launchConfiguration:LaunchConfiguration"
MANAGED = "aws:eks/nodeGroup:NodeGroup"
SECURITY_GROUP = "aws:ec2/securityGroup:SecurityGroup"
CLUSTER = "aws:eks/cluster:Cluster"


def scaling_group(said: Data) -> dict[str, Any]:
    found = words_of(SCALING_GROUP, said)
    subnets = text_at(said, "VPCZoneIdentifier")
    found["vpcZoneIdentifiers"] = [each.strip() for each in subnets.split(",") if each.strip()]
    found["suspendedProcesses"] = [text_at(each, "ProcessName") for each in mappings_at(said, "SuspendedProcesses")]
    if at(said, "WarmPoolConfiguration"):
        found["warmPool"] = {"minSize": at(said, "WarmPoolConfiguration", "MinSize")}
    # AWS prints those that it fills in, too, and no program writes both.
    for name in ("availabilityZones",):
        if found["vpcZoneIdentifiers"]:
            found.pop(name, None)
    return found


def template(said: Data, imds_by_image: str) -> dict[str, Any]:
    """`said` is one version of it."""
    found = words_of(TEMPLATE, mapping_at(said, "LaunchTemplateData"))
    found["name"] = text_at(said, "LaunchTemplateName")
    if imds_by_image == "v2.0" and "httpTokens" not in found.setdefault("metadataOptions", {}):
        found["metadataOptions"]["httpTokens"] = "required"
    return found


def configuration(said: Data, root: str) -> dict[str, Any]:
    """A launch configuration, which has a machine's own words for disks."""
    found = words_of(CONFIGURATION, {name: each for name, each in said.items() if name != "UserData"})
    for each in mappings_at(said, "BlockDeviceMappings"):
        if text_at(each, "DeviceName") == root and "Encrypted" in mapping_at(each, "Ebs"):
            found["rootBlockDevice"] = {"encrypted": at(each, "Ebs", "Encrypted")}
    if text_at(said, "UserData"):
        found["userDataBase64"] = text_at(said, "UserData")
    found["securityGroups"] = list(said.get("SecurityGroups") or ())
    return found


def managed_group(said: Data) -> dict[str, Any]:
    found = words_of(MANAGED, {_upper(name): each for name, each in said.items()})
    found["subnetIds"] = list(said.get("subnets") or ())
    found["labels"] = dict(strings_at(said, "labels"))
    found["tags"] = dict(strings_at(said, "tags"))
    if text_at(said, "nodeRole"):
        found["nodeRoleArn"] = text_at(said, "nodeRole")
    return found


def cluster(said: Data) -> dict[str, Any]:
    found = words_of(CLUSTER, said)
    config = dict(found.get("vpcConfig") or {})
    own = text_at(said, "resourcesVpcConfig", "clusterSecurityGroupId")
    config["securityGroupIds"] = [*(config.get("securityGroupIds") or ()), *([own] if own else ())]
    found["vpcConfig"] = config
    return found


def _upper(name: str) -> str:
    return f"{name[:1].upper()}{name[1:]}"


# Doors

_EVERY_PORT = {"FromPort": 0, "ToPort": 0}


def security_group(said: Data) -> dict[str, Any]:
    return {
        "name": text_at(said, "GroupName"),
        "description": text_at(said, "Description"),
        "vpcId": text_at(said, "VpcId"),
        "tags": tags_of(said.get("Tags")),
        "ingress": [_opening(each) for each in mappings_at(said, "IpPermissions")],
        "egress": [_opening(each) for each in mappings_at(said, "IpPermissionsEgress")],
    }


def _opening(said: Data) -> dict[str, Any]:
    ports = {**_EVERY_PORT, **said}
    return {
        "protocol": text_at(said, "IpProtocol"),
        "fromPort": ports["FromPort"],
        "toPort": ports["ToPort"],
        "cidrBlocks": [text_at(each, "CidrIp") for each in mappings_at(said, "IpRanges")],
        "ipv6CidrBlocks": [text_at(each, "CidrIpv6") for each in mappings_at(said, "Ipv6Ranges")],
        "securityGroups": [text_at(each, "GroupId") for each in mappings_at(said, "UserIdGroupPairs")],
        "prefixListIds": [text_at(each, "PrefixListId") for each in mappings_at(said, "PrefixListIds")],
    }


def groups_in(words: Data) -> Sequence[str]:
    """The security groups that a template names, in its interfaces or beside them."""
    inside = [one for each in mappings_at(words, "networkInterfaces") for one in _listed(each.get("securityGroups"))]
    beside = [*_listed(words.get("vpcSecurityGroupIds")), *_listed(words.get("securityGroups"))]
    return list(dict.fromkeys(inside or beside))


def _listed(said: Any) -> Sequence[str]:
    """The texts of a list; none where it is not known."""
    return [each for each in said if isinstance(each, str)] if isinstance(said, list) else []
