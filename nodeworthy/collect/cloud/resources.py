"""The resources of one cluster as they are, in the words that rules know: each with its ARN for a place.

Where AWS refused to say something, exactly that is unknown, by the name of the right that is missing.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence, Set
from dataclasses import field
from functools import cached_property
from typing import Any, Final

from nodeworthy.boot.unpack.packed_text import unpack_text
from nodeworthy.collect.cloud import calls, words
from nodeworthy.collect.cloud.region import Data, Region, Version, members, overrides_of, version_of
from nodeworthy.documents.plain import at, mappings_at, text_at
from nodeworthy.documents.tree import Tree, plant
from nodeworthy.facts.aws.disk import DEFAULT, FILES
from nodeworthy.facts.aws.node_capacity import PLACEMENT
from nodeworthy.facts.aws.node_count import POLICIES, SCHEDULES
from nodeworthy.facts.aws.node_drainer import EVENT_RULE, EVENT_TARGET, HOOK
from nodeworthy.facts.aws.node_group import SUBNET
from nodeworthy.facts.aws.node_sides import VPC
from nodeworthy.facts.aws.stack import AskedImage, AwsResource, AwsStack
from nodeworthy.patterns import pattern
from nodeworthy.records import dataclass
from nodeworthy.verdict import Place, Unknown

_SSM: Final = "resolve:ssm:"
_FILES = pattern(r"\bfs-[0-9a-f]{8,17}\b")


@dataclass(frozen=True)
class Chosen:
    """What starts the nodes of one cluster."""

    # None for nodes of which nothing says the cluster.
    cluster: str | None
    # Auto scaling groups that are nobody else's, and managed node groups.
    scaling: Sequence[Data] = ()
    managed: Sequence[Data] = ()
    # Those with the groups that EKS made for its own.
    every_scaling: Sequence[Data] = field(default_factory=tuple)


class Resources:
    def __init__(self, region: Region, chosen: Chosen) -> None:
        self._region = region
        self._chosen = chosen

    @cached_property
    def stack(self) -> AwsStack:
        every = [
            *self._clusters(),
            *self._groups(),
            *self._templates(),
            *self._doors(),
            *self._network(),
            *self._around_groups(),
            *self._events(),
            *self._storage(),
        ]
        return AwsStack(self.place, every, dict(self._asked_images()))

    @property
    def place(self) -> Place:
        asked, name = self._region.asked, self._chosen.cluster
        if name is not None and self.cluster is not None:
            return Place(urn=text_at(self.cluster, "arn"))
        what = f"cluster/{name}" if name else "nodes of no cluster"
        return Place(urn=self._arn("eks", what) if name else f"{asked.account} {asked.region}", subject=what)

    @cached_property
    def cluster(self) -> Data | None:
        if self._chosen.cluster is None or self._chosen.cluster not in self._region.cluster_names.items:
            return None
        found = self._region.asked.ask(calls.CLUSTER, name=self._chosen.cluster).one
        return found if isinstance(found, dict) else None

    @property
    def unseen_cluster(self) -> tuple[str, str]:
        """The cluster's name, and why nothing is known of it; empty where it is known, or is not EKS'."""
        name = self._chosen.cluster
        if name is None or self.cluster is not None:
            return "", ""
        listed = self._region.cluster_names
        if listed.refused or name not in listed.items:
            return name, listed.refused
        return name, self._region.asked.ask(calls.CLUSTER, name=name).refused

    def _arn(self, service: str, what: str) -> str:
        return f"arn:aws:{service}:{self._region.asked.region}:{self._region.asked.account}:{what}"

    def _made(
        self,
        kind: str,
        name: str,
        arn: str,
        said: Mapping[str, Any] | str,
        *,
        outputs: Mapping[str, object] | None = None,
        dependencies: Mapping[str, Sequence[str]] | None = None,
    ) -> AwsResource:
        """`said` is its properties, or why they are not known."""
        place = Place(urn=arn)
        tree = Tree(Unknown(said), place) if isinstance(said, str) else plant(said, place)
        return AwsResource(
            kind, name, arn, place, lambda: tree, dependencies or {}, outputs or {"arn": arn}, is_made=True
        )

    # The cluster and its groups

    def _clusters(self) -> Iterator[AwsResource]:
        if self.cluster is not None:
            name, arn = text_at(self.cluster, "name"), text_at(self.cluster, "arn")
            said = words.cluster(self.cluster)
            guards = said["vpcConfig"]["securityGroupIds"]
            said["vpcConfig"]["securityGroupIds"] = self._unless_refused(calls.SECURITY_GROUPS, guards)
            yield self._made(words.CLUSTER, name, arn, said, outputs={"arn": arn, "id": name})

    def _groups(self) -> Iterator[AwsResource]:
        for each in self._chosen.scaling:
            name, arn = text_at(each, "AutoScalingGroupName"), text_at(each, "AutoScalingGroupARN")
            yield self._made(
                words.SCALING_GROUP, name, arn, self._scaling_group(each), outputs={"arn": arn, "id": name}
            )
        for each in self._chosen.managed:
            said = words.managed_group(each)
            named = self._template_of(each)
            if named is not None:
                said["launchTemplate"] = {"id": _key(named)}
            said["subnetIds"] = self._unless_refused(calls.SUBNETS, said["subnetIds"])
            arn = text_at(each, "nodegroupArn")
            yield self._made(words.MANAGED, text_at(each, "nodegroupName"), arn, said)

    def _scaling_group(self, group: Data) -> dict[str, Any]:
        said = words.scaling_group(group)
        said["vpcZoneIdentifiers"] = self._unless_refused(calls.SUBNETS, said["vpcZoneIdentifiers"])
        named = version_of(group)
        if named is not None:
            if "launchTemplate" in said:
                said["launchTemplate"] = {"id": _key(named)}
            else:
                _rename(said, group, named)
        refreshes = self._region.asked.ask(calls.REFRESHES, AutoScalingGroupName=text_at(group, "AutoScalingGroupName"))
        if refreshes.refused:
            said["instanceRefresh"] = Unknown(refreshes.refused)
        elif refreshes.items:
            least = at(refreshes.items[0], "Preferences", "MinHealthyPercentage")
            said["instanceRefresh"] = {"preferences": {"minHealthyPercentage": least} if least is not None else {}}
        return said

    def _unless_refused(self, call: calls.Call, said: Any) -> Any:
        refused = self._region.asked.ask(call).refused
        return Unknown(refused) if refused and said else said

    # Templates

    @cached_property
    def versions(self) -> Sequence[Version]:
        """The versions of launch templates from which these groups start their nodes."""
        found = [version_of(each) for each in self._chosen.scaling] + [
            self._template_of(each) for each in self._chosen.managed
        ]
        for each in self._chosen.scaling:
            found += [version_of({"LaunchTemplate": one["LaunchTemplateSpecification"]}) for one in _overriding(each)]
        return list(dict.fromkeys(each for each in found if each is not None))

    def _template_of(self, managed: Data) -> Version | None:
        """The group's own launch template; else the one that EKS made for it, from which its machines start."""
        identifier = text_at(managed, "launchTemplate", "id")
        if identifier:
            return Version(identifier, text_at(managed, "launchTemplate", "version") or "$Default")
        behind = [text_at(each, "name") for each in mappings_at(managed, "resources", "autoScalingGroups")]
        made = (each for each in self._chosen.every_scaling if text_at(each, "AutoScalingGroupName") in behind)
        return next((found for each in made if (found := version_of(each)) is not None), None)

    def _starts_from(self, group: Data, named: Version) -> bool:
        owner = self._region.owned_by_eks.get(text_at(group, "AutoScalingGroupName"))
        return named == (version_of(group) if owner is None else self._template_of(owner))

    def _templates(self) -> Iterator[AwsResource]:
        self._region.ask_for_versions(self.versions)
        for each in self.versions:
            refused = self._region.refused_version(each)
            said = self._region.version(each)
            number = at(said, "VersionNumber") or each.named
            name = text_at(said, "LaunchTemplateName") or each.template
            arn = f"{self._arn('ec2', f'launch-template/{each.template}')} version {number}"
            yield self._of_template(each, name, arn, refused or self._template_words(each, said))
        wanted = {text_at(each, "LaunchConfigurationName") for each in self._chosen.scaling} - {""}
        for each in self._region.asked.ask(calls.CONFIGURATIONS).items if wanted else ():
            if text_at(each, "LaunchConfigurationName") in wanted:
                name, arn = text_at(each, "LaunchConfigurationName"), text_at(each, "LaunchConfigurationARN")
                said = words.configuration(each, self._root_of(text_at(each, "ImageId")))
                yield self._made(words.CONFIGURATION, name, arn, said, outputs={"id": name})

    def _of_template(self, named: Version, name: str, arn: str, said: dict[str, Any] | str) -> AwsResource:
        guards = [self._arn("ec2", f"security-group/{each}") for each in _guards(said)]
        dependencies = {"vpcSecurityGroupIds": guards, "networkInterfaces": guards}
        return self._made(words.TEMPLATE, name, arn, said, outputs={"id": _key(named)}, dependencies=dependencies)

    def _template_words(self, named: Version, version: Data) -> dict[str, Any]:
        image = text_at(version, "LaunchTemplateData", "ImageId")
        said = words.template(version, text_at(self.images[0].get(image, {}), "ImdsSupport"))
        said.pop("name")
        self._fill_in_disks(named, said)
        refused = self._region.asked.ask(calls.SECURITY_GROUPS).refused
        if refused:
            _forget_guards(said, refused)
        if at(said, "placement", "groupName"):
            said["placement"]["groupName"] = self._unless_refused(
                calls.PLACEMENT_GROUPS, said["placement"]["groupName"]
            )
        return said

    def _root_of(self, image: str) -> str:
        """The device that holds the system of an image; where AWS does not tell it, the one of Amazon's own images."""
        return text_at(self._region.images([image])[0].get(image), "RootDeviceName") or "/dev/xvda"

    def _fill_in_disks(self, named: Version, said: dict[str, Any]) -> None:
        """What a template leaves to the account and to the image, the volumes tell that were made from it."""
        devices = {text_at(each, "deviceName") for each in _mapped(said)}
        for device, encrypted in self._volumes_of(named, devices).items():
            if device not in devices:
                said.setdefault("blockDeviceMappings", []).append({"deviceName": device, "ebs": {}})
            for each in _mapped(said):
                if text_at(each, "deviceName") == device and isinstance(each.get("ebs"), dict):
                    each["ebs"].setdefault("encrypted", encrypted)

    def _volumes_of(self, named: Version, mapped: Set[str]) -> Mapping[str, Any]:
        """Whether these volumes and the root device are encrypted, where all are or nobody may say. Volumes that pods
        had attached do not count."""
        found: dict[str, set[bool]] = defaultdict(set)
        groups = (each for each in self._chosen.every_scaling if self._starts_from(each, named))
        there = (self._region.instances.get(identifier) for group in groups for identifier, _ in members(group))
        for machine in filter(None, there):
            own = {*mapped, text_at(machine, "RootDeviceName")}
            for each in mappings_at(machine, "BlockDeviceMappings"):
                if text_at(each, "DeviceName") in own:
                    volume = self._region.volumes.get(text_at(each, "Ebs", "VolumeId"))
                    found[text_at(each, "DeviceName")].add(at(volume, "Encrypted") is True)
        if self._region.refused_volumes:
            return dict.fromkeys(found, Unknown(self._region.refused_volumes))
        return {device: True for device, said in found.items() if said == {True}}

    # Images

    @cached_property
    def images(self) -> tuple[Mapping[str, Data], str]:
        """The images of templates and machines, by id; and why not all are known."""
        ids = [text_at(self._region.version(each), "LaunchTemplateData", "ImageId") for each in self.versions]
        ids += [self.resolve(each) for each in ids if each.startswith(_SSM)]
        for group in self._chosen.every_scaling:
            machines = (
                self._region.instances.get(text_at(each, "InstanceId")) for each in mappings_at(group, "Instances")
            )
            ids += [text_at(each, "ImageId") for each in machines if each is not None]
        return self._region.images(ids)

    def resolve(self, image: str) -> str:
        """The image that a parameter names now; itself where it is none or AWS does not say."""
        if not image.startswith(_SSM):
            return image
        return self._region.parameter(image.removeprefix(_SSM))[0] or image

    def why_unresolved(self, image: str) -> str:
        return self._region.parameter(image.removeprefix(_SSM))[1] if image.startswith(_SSM) else ""

    def _asked_images(self) -> Iterator[tuple[str, AskedImage]]:
        for identifier, each in self.images[0].items():
            owners = frozenset(filter(None, (text_at(each, "OwnerId"), text_at(each, "ImageOwnerAlias"))))
            yield identifier, AskedImage(text_at(each, "Name"), owners)

    # Network and doors

    def _doors(self) -> Iterator[AwsResource]:
        for each in self._region.asked.ask(calls.SECURITY_GROUPS).items:
            identifier = text_at(each, "GroupId")
            arn = self._arn("ec2", f"security-group/{identifier}")
            said = words.security_group(each)
            said.pop("name")  # names are only of their network
            yield self._made(words.SECURITY_GROUP, text_at(each, "GroupName"), arn, said, outputs={"id": identifier})

    def _network(self) -> Iterator[AwsResource]:
        ask = self._region.asked.ask
        for each in ask(calls.SUBNETS).items:
            identifier = text_at(each, "SubnetId")
            said = {"availabilityZone": text_at(each, "AvailabilityZone"), "cidrBlock": text_at(each, "CidrBlock")}
            arn = self._arn("ec2", f"subnet/{identifier}")
            yield self._made(SUBNET, identifier, arn, said, outputs={"id": identifier})
        used = set(self._networks_used())
        for each in ask(calls.NETWORKS).items:
            identifier = text_at(each, "VpcId")
            if identifier in used:
                said = {"cidrBlock": text_at(each, "CidrBlock")}
                yield self._made(
                    VPC, identifier, self._arn("ec2", f"vpc/{identifier}"), said, outputs={"id": identifier}
                )
        for each in ask(calls.PLACEMENT_GROUPS).items:
            name, arn = text_at(each, "GroupName"), text_at(each, "GroupArn")
            said = {"name": name, "strategy": text_at(each, "Strategy")}
            yield self._made(
                PLACEMENT, name, arn or self._arn("ec2", f"placement-group/{name}"), said, outputs={"id": name}
            )

    def _networks_used(self) -> Iterator[str]:
        named = {one for each in self._chosen.scaling for one in text_at(each, "VPCZoneIdentifier").split(",")}
        named |= {str(one) for each in self._chosen.managed for one in each.get("subnets") or ()}
        for each in self._region.asked.ask(calls.SUBNETS).items:
            if text_at(each, "SubnetId") in named:
                yield text_at(each, "VpcId")

    # What acts on groups

    def _around_groups(self) -> Iterator[AwsResource]:
        ask = self._region.asked.ask
        names = [text_at(each, "AutoScalingGroupName") for each in self._chosen.scaling]
        self._region.asked.ask_at_once((calls.HOOKS, {"AutoScalingGroupName": each}) for each in names)
        for name in names:
            hooks = ask(calls.HOOKS, AutoScalingGroupName=name)
            if hooks.refused:
                yield self._made(HOOK, "(not seen)", self._arn("autoscaling", f"lifecycleHooks/{name}"), hooks.refused)
            for each in hooks.items:
                yield self._beside(HOOK, each, "LifecycleHookName")
        for call, kind, called in (
            (calls.POLICIES, POLICIES[0], "PolicyName"),
            (calls.SCHEDULES, SCHEDULES[0], "ScheduledActionName"),
        ):
            answer = ask(call)
            if answer.refused:
                yield self._made(kind, "(not seen)", self._arn("autoscaling", call.operation), answer.refused)
            for each in answer.items:
                if text_at(each, "AutoScalingGroupName") in names:
                    yield self._beside(kind, each, called)

    def _beside(self, kind: str, said: Data, called: str) -> AwsResource:
        name, group = text_at(said, called), text_at(said, "AutoScalingGroupName")
        found = {
            "autoscalingGroupName": group,
            "lifecycleTransition": text_at(said, "LifecycleTransition"),
            **({"notificationTargetArn": said["NotificationTargetARN"]} if said.get("NotificationTargetARN") else {}),
            **({"desiredCapacity": said["DesiredCapacity"]} if "DesiredCapacity" in said else {}),
            **({"startTime": said["StartTime"]} if "StartTime" in said else {}),
        }
        arn = next((text_at(said, each) for each in ("PolicyARN", "ScheduledActionARN") if text_at(said, each)), "")
        return self._made(kind, name, arn or self._arn("autoscaling", f"{called}/{group}/{name}"), found)

    def _events(self) -> Iterator[AwsResource]:
        """The receivers that are told when auto scaling is about to end an instance."""
        for each in self._region.asked.ask(calls.EVENT_RULES).items:
            told = text_at(each, "EventPattern")
            if "EC2 Instance-terminate Lifecycle Action" not in told:
                continue
            name, arn = text_at(each, "Name"), text_at(each, "Arn")
            yield self._made(
                EVENT_RULE, name, arn, {"name": name, "eventPattern": told}, outputs={"arn": arn, "id": name}
            )
            for one in self._region.asked.ask(calls.EVENT_TARGETS, Rule=name).items:
                target = text_at(one, "Arn")
                yield self._made(EVENT_TARGET, target, f"{arn} {target}", {"rule": name, "arn": target})

    # Disks

    def _storage(self) -> Iterator[AwsResource]:
        answer = self._region.asked.ask(calls.ENCRYPTION)
        said = Unknown(answer.refused) if answer.refused else answer.one is True
        yield self._made(DEFAULT, "ebs", self._arn("ec2", "ebs-encryption-by-default"), {"enabled": said})
        files = self._region.asked.ask(calls.FILE_SYSTEMS)
        if files.refused and any(_FILES.search(each) for each in self._texts):
            yield self._made(FILES, "(not seen)", self._arn("elasticfilesystem", "file-system"), files.refused)
        for each in files.items:
            if self._is_mounted(each):
                name, arn = text_at(each, "FileSystemId"), text_at(each, "FileSystemArn")
                encrypted = {"encrypted": at(each, "Encrypted") is True}
                yield self._made(
                    FILES, name, arn or self._arn("elasticfilesystem", name), encrypted, outputs={"id": name}
                )

    def _is_mounted(self, files: Data) -> bool:
        """Whether what these nodes boot with names it."""
        return any(text_at(files, "FileSystemId") in each for each in self._texts)

    @cached_property
    def _texts(self) -> Sequence[str]:
        found = (text_at(self._region.version(each), "LaunchTemplateData", "UserData") for each in self.versions)
        return [_text(each) for each in found]


def _text(packed: str) -> str:
    return unpack_text(packed) or ""


def _key(named: Version) -> str:
    """The name under which a group refers to its version: two groups may start from two versions of one template."""
    return f"{named.template} {named.named}"


def _mapped(said: Mapping[str, Any]) -> Sequence[dict[str, Any]]:
    return [each for each in said.get("blockDeviceMappings") or () if isinstance(each, dict)]


def _overriding(group: Data) -> Sequence[Data]:
    return [each for each in overrides_of(group) if "LaunchTemplateSpecification" in each]


def _rename(said: dict[str, Any], group: Data, named: Version) -> None:
    mixed = at(said, "mixedInstancesPolicy", "launchTemplate")
    if not isinstance(mixed, dict):
        return
    mixed["launchTemplateSpecification"] = {"launchTemplateId": _key(named)}
    for each, one in zip(mixed.get("overrides") or (), overrides_of(group), strict=True):
        own = version_of({"LaunchTemplate": one.get("LaunchTemplateSpecification") or {}})
        if own is not None:
            each["launchTemplateSpecification"] = {"launchTemplateId": _key(own)}


def _guards(said: Mapping[str, Any] | str) -> Sequence[str]:
    return [] if isinstance(said, str) else words.groups_in(said)


def _forget_guards(said: dict[str, Any], why: str) -> None:
    for name in ("vpcSecurityGroupIds", "securityGroupNames"):
        if said.get(name):
            said[name] = Unknown(why)
    for each in said.get("networkInterfaces") or ():
        if each.get("securityGroups"):
            each["securityGroups"] = Unknown(why)
