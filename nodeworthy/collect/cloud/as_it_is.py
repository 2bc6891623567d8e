"""What a region has of each kind that a program may declare, with all that AWS says of it, in the program's words."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from nodeworthy.collect.cloud import calls, words
from nodeworthy.collect.cloud.region import Data, Region, Version, version_of
from nodeworthy.documents.plain import at, mappings_at, strings_at, text_at
from nodeworthy.documents.tree import plant
from nodeworthy.facts.aws.disk import FILES
from nodeworthy.facts.aws.node_capacity import PLACEMENT
from nodeworthy.facts.aws.node_drainer import HOOK
from nodeworthy.facts.aws.node_group import SUBNET
from nodeworthy.facts.aws.node_sides import VPC
from nodeworthy.facts.aws.stack import AwsResource
from nodeworthy.known.aws_told import is_written_by_clusters
from nodeworthy.verdict import Place

# Of these AWS was asked for all at once: one that is not among them is not there.
_ASKED: Final[Mapping[str, calls.Call]] = {
    words.SCALING_GROUP: calls.SCALING_GROUPS,
    words.SECURITY_GROUP: calls.SECURITY_GROUPS,
    words.CLUSTER: calls.CLUSTERS,
    words.MANAGED: calls.CLUSTERS,
    SUBNET: calls.SUBNETS,
    VPC: calls.NETWORKS,
    PLACEMENT: calls.PLACEMENT_GROUPS,
    FILES: calls.FILE_SYSTEMS,
}


class AsItIs:
    def __init__(self, region: Region) -> None:
        self._region = region
        self._found: dict[str, Sequence[AwsResource]] = {}

    def refused(self, kind: str) -> str:
        """Why it is not known which of this kind there are; nothing where it is."""
        call = _ASKED.get(kind)
        if kind == words.MANAGED:
            return self._region.refused_managed_groups
        return self._region.asked.ask(call).refused if call is not None else ""

    def of(self, kind: str) -> Sequence[AwsResource]:
        if kind not in self._found:
            self._found[kind] = list(self._read(kind))
        return self._found[kind]

    def _read(self, kind: str) -> Iterator[AwsResource]:
        if kind == words.CLUSTER:
            yield from self._clusters()
            return
        if kind == words.MANAGED:
            yield from self._managed()
            return
        call, made = _ASKED.get(kind), _READERS.get(kind)
        if call is not None and made is not None:
            for each in self._region.asked.ask(call).items:
                identifier, what, said = made(each)
                yield self._made(kind, identifier, what, said)

    def _clusters(self) -> Iterator[AwsResource]:
        for name in self._region.cluster_names.items:
            said = self._region.asked.ask(calls.CLUSTER, name=name).one
            if isinstance(said, dict):
                yield self._made(words.CLUSTER, str(name), text_at(said, "arn"), _cluster(said))

    def _managed(self) -> Iterator[AwsResource]:
        for each in self._region.managed_groups:
            said = words.managed_group(each)
            template = at(each, "launchTemplate")
            said["launchTemplate"] = dict(template) if isinstance(template, dict) else None
            identifier = f"{text_at(each, 'clusterName')}:{text_at(each, 'nodegroupName')}"
            yield self._made(words.MANAGED, identifier, text_at(each, "nodegroupArn"), said)

    # What belongs to a group

    def hooks_of(self, group: str) -> tuple[Sequence[AwsResource], str]:
        """The lifecycle hooks of a group, and why they are not known."""
        answer = self._region.asked.ask(calls.HOOKS, AutoScalingGroupName=group)
        found = [
            self._made(HOOK, text_at(each, "LifecycleHookName"), f"{group}/{text_at(each, 'LifecycleHookName')}", said)
            for each in answer.items
            for said in (words.words_of(HOOK, each),)
        ]
        return found, answer.refused

    def versions_of(self, template: str, groups: Sequence[str]) -> tuple[Sequence[AwsResource], str]:
        """The versions of a launch template that these groups start from, then its newest one; and why they are not
        known."""
        used = [version_of(each) for each in self._region.scaling_groups.items if _name(each) in groups]
        named = [each for each in used if each is not None and each.template == template]
        refused = next(filter(None, map(self._region.refused_version, named)), "")
        newest = Version(template, "$Latest")
        if not named and not refused:
            refused = self._region.refused_version(newest)
        wanted = list(dict.fromkeys([*named, newest]))
        by_number = {at(said, "VersionNumber"): said for said in map(self._region.version, wanted) if said}
        return [self._version(template, each) for each in by_number.values()], refused

    def _version(self, template: str, said: Data) -> AwsResource:
        found = words.template(said, "")
        found["userData"] = text_at(said, "LaunchTemplateData", "UserData")
        _name_profile(found)
        _leave_own_tags(found)
        number = at(said, "VersionNumber")
        return self._made(words.TEMPLATE, template, f"launch-template/{template} version {number}", found)

    def template_of(self, group: str) -> str:
        """The id of the launch template that a group starts from; nothing where it has none."""
        found = (version_of(each) for each in self._region.scaling_groups.items if _name(each) == group)
        return next((each.template for each in found if each is not None), "")

    def _made(self, kind: str, identifier: str, what: str, said: Mapping[str, Any]) -> AwsResource:
        asked = self._region.asked
        arn = what if what.startswith("arn:") else f"arn:aws:ec2:{asked.region}:{asked.account}:{what}"
        place = Place(urn=arn)
        tree = plant(said, place)
        return AwsResource(
            kind, identifier, arn, place, lambda: tree, outputs={"id": identifier, "arn": arn}, is_made=True
        )


def _name(group: Data) -> str:
    return text_at(group, "AutoScalingGroupName")


def _cluster(said: Data) -> dict[str, Any]:
    found = words.words_of(words.CLUSTER, said)
    enabled = [each for each in mappings_at(said, "logging", "clusterLogging") if each.get("enabled") is True]
    found["enabledClusterLogTypes"] = [one for each in enabled for one in each.get("types") or ()]
    found["tags"] = dict(strings_at(said, "tags"))
    return found


def _scaling_group(said: Data) -> tuple[str, str, dict[str, Any]]:
    found = words.scaling_group(said)
    found["enabledMetrics"] = [text_at(each, "Metric") for each in mappings_at(said, "EnabledMetrics")]
    found["tags"] = [
        {
            "key": text_at(each, "Key"),
            "value": text_at(each, "Value"),
            "propagateAtLaunch": each.get("PropagateAtLaunch") is True,
        }
        for each in mappings_at(said, "Tags")
    ]
    return _name(said), text_at(said, "AutoScalingGroupARN"), found


def _security_group(said: Data) -> tuple[str, str, dict[str, Any]]:
    kept = {**said, **{each: _by_people(said, each) for each in ("IpPermissions", "IpPermissionsEgress")}}
    identifier = text_at(said, "GroupId")
    return identifier, f"security-group/{identifier}", words.security_group(kept)


def _by_people(said: Data, way: str) -> list[dict[str, Any]]:
    """The rules without what controllers of a running cluster write into them."""
    return [{name: _unless_of_cluster(each) for name, each in rule.items()} for rule in mappings_at(said, way)]


def _unless_of_cluster(sources: Any) -> Any:
    if not isinstance(sources, list):
        return sources
    return [each for each in sources if not is_written_by_clusters(text_at(each, "Description"))]


def _subnet(said: Data) -> tuple[str, str, dict[str, Any]]:
    return _plainly(SUBNET, said, "SubnetId", "subnet")


def _network(said: Data) -> tuple[str, str, dict[str, Any]]:
    return _plainly(VPC, said, "VpcId", "vpc")


def _placement(said: Data) -> tuple[str, str, dict[str, Any]]:
    return _plainly(PLACEMENT, said, "GroupName", "placement-group")


def _files(said: Data) -> tuple[str, str, dict[str, Any]]:
    return _plainly(FILES, said, "FileSystemId", "file-system")


def _plainly(kind: str, said: Data, identifier: str, what: str) -> tuple[str, str, dict[str, Any]]:
    found = words.words_of(kind, said)
    found["tags"] = words.tags_of(said.get("Tags"))
    return text_at(said, identifier), f"{what}/{text_at(said, identifier)}", found


_READERS = {
    words.SCALING_GROUP: _scaling_group,
    words.SECURITY_GROUP: _security_group,
    SUBNET: _subnet,
    VPC: _network,
    PLACEMENT: _placement,
    FILES: _files,
}


def _name_profile(found: dict[str, Any]) -> None:
    """A profile may be named by its ARN, which ends with its name."""
    profile = found.get("iamInstanceProfile")
    if isinstance(profile, dict) and profile.get("arn") and not profile.get("name"):
        found["iamInstanceProfile"] = {**profile, "name": str(profile["arn"]).rsplit("/", 1)[-1]}


def _leave_own_tags(found: dict[str, Any]) -> None:
    """Takes out the tags of the template itself, which its machines do not get."""
    said = mappings_at(found, "tagSpecifications")
    found["tagSpecifications"] = [each for each in said if each.get("resourceType") != "launch-template"]
