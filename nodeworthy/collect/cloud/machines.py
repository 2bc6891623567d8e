"""The machines of a group as they run, and the boot script that each was really started with."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from typing import Any, TypeVar

from nodeworthy.boot.unpack.packed_text import unpack_text
from nodeworthy.collect.cloud import calls, words
from nodeworthy.collect.cloud.region import Data, Region, Version, members, overrides_of, version_claimed, version_of
from nodeworthy.collect.cloud.resources import Resources
from nodeworthy.collect.cloud.scripts import cloud_scripts
from nodeworthy.documents.plain import at, mapping_at, mappings_at, number_at, text_at
from nodeworthy.documents.tree import plant
from nodeworthy.facts.aws.joined import JoinedNode
from nodeworthy.facts.aws.node_group import INSTANCES, NodeGroup
from nodeworthy.facts.aws.running import Makeup, RunningMachine, RunningNodes
from nodeworthy.facts.aws.stack import AwsResource
from nodeworthy.facts.boot.script import BootScript
from nodeworthy.records import dataclass
from nodeworthy.verdict import Located, Place

T = TypeVar("T")
# How EKS' network plugin and Cilium describe the interfaces that they add to a machine.
_OF_PLUGINS = ("aws-K8S-", "Cilium-CNI")
_LEAVING = ("Terminat", "Detach", "Warmed")
_GOING_ON = frozenset("Pending InProgress Cancelling RollbackInProgress Baking".split())


@dataclass(frozen=True)
class _Alike:
    """Machines that were started from the same: one of them shows what they all boot with."""

    claimed: str
    image: str
    # How many versions of the template there were when they were started.
    after: int


class Machines:
    """The machines of one auto scaling group."""

    def __init__(self, region: Region, resources: Resources, group: Data, nodes: NodeGroup) -> None:
        self._region = region
        self._resources = resources
        self._group = group
        self._nodes = nodes
        self.place = Place(urn=text_at(group, "AutoScalingGroupARN"))

    def running(self, joined: Mapping[str, JoinedNode]) -> RunningNodes:
        named = version_of(self._group)
        number = str(at(self._region.version(named), "VersionNumber") or "") if named is not None else ""
        return RunningNodes(
            self.place,
            self._nodes,
            self._machines(),
            self._now(named),
            number,
            self._newer(named, number),
            self._renewed(),
            self._image if self._image.startswith("resolve:ssm:") else "",
            joined,
        )

    # What it would start now

    def _now(self, named: Version | None) -> Located[Makeup]:
        if named is None:
            return self._by_configuration()
        refused = self._region.refused_version(named)
        if refused:
            return Located.unknown(refused, self.place)
        data = mapping_at(self._region.version(named), "LaunchTemplateData")
        said = words.template(self._region.version(named), "")
        return self._known(self._of_words(said, text_at(data, "UserData"), self._place_of(named)))

    def _by_configuration(self) -> Located[Makeup]:
        found, refused = self._configuration
        if not found:
            return Located.unknown(refused or f"{self._nodes.title} has no launch template", self.place)
        place = Place(urn=text_at(found, "LaunchConfigurationARN"))
        said = {
            "instanceType": text_at(found, "InstanceType"),
            "iamInstanceProfile": {"name": text_at(found, "IamInstanceProfile")},
            "vpcSecurityGroupIds": found.get("SecurityGroups") or [],
        }
        return self._known(self._of_words(said, text_at(found, "UserData"), place))

    @cached_property
    def _configuration(self) -> tuple[Data, str]:
        """The launch configuration that it starts from, and why that is not known."""
        name = text_at(self._group, "LaunchConfigurationName")
        if not name:
            return {}, ""
        answer = self._region.asked.ask(calls.CONFIGURATIONS)
        found = (each for each in answer.items if text_at(each, "LaunchConfigurationName") == name)
        return next(found, {}), answer.refused

    def _known(self, made_of: Makeup) -> Located[Makeup]:
        return Located.known(made_of, self.place)

    def _place_of(self, named: Version) -> Place:
        number = at(self._region.version(named), "VersionNumber")
        arn = f"arn:aws:ec2:{self._region.asked.region}:{self._region.asked.account}:launch-template/{named.template}"
        return Place(urn=f"{arn} version {number}")

    def _of_words(self, said: Mapping[str, Any], packed: str, place: Place) -> Makeup:
        doors = words.groups_in(said)
        return Makeup(
            self._image_now(place),
            Located.known(self._types(text_at(said, "instanceType")), place.about("instanceType")),
            Located.known(_name_of_profile(mapping_at(said, "iamInstanceProfile")), place.about("iamInstanceProfile")),
            Located.known(frozenset(doors) if doors else None, place.about("vpcSecurityGroupIds")),
            Located.known(unpack_text(packed) if packed else None, place.about("userData")),
            dict(_encrypted(said, place)),
            dict(_sizes(said, place)),
            dict(_metadata(mapping_at(said, "metadataOptions"), ("httpTokens", "httpPutResponseHopLimit"), place)),
        )

    @cached_property
    def _image(self) -> str:
        named = version_of(self._group)
        if named is None:
            return text_at(self._configuration[0], "ImageId")
        return text_at(self._region.version(named), "LaunchTemplateData", "ImageId")

    def _image_now(self, place: Place) -> Located[str | None]:
        where = place.about("imageId")
        if not self._image:
            return Located.known(None, where)
        if {text_at(data, "ImageId") for _, data in self._there} == {self._image}:
            return Located.known(self._image, where)  # whatever it means: they run what the template names
        why = self._resources.why_unresolved(self._image)
        if why:
            return Located.unknown(why, where)
        return Located.known(self._resources.resolve(self._image), where)

    def _types(self, own: str) -> frozenset[str]:
        overriding = {text_at(each, "InstanceType") for each in overrides_of(self._group)} - {""}
        return frozenset(overriding or ({own} if own else ()))

    def _newer(self, named: Version | None, number: str) -> Located[str] | None:
        """The newest version, for a group that follows the default one: only there somebody may wonder why the newest
        is not used."""
        if named is None or named.named != "$Default" or not number:
            return None
        newest = Version(named.template, "$Latest")
        refused = self._region.refused_version(newest)
        if refused:
            return Located.unknown(refused, self.place)
        said, now = self._region.version(newest), self._region.version(named)
        if at(said, "LaunchTemplateData") == at(now, "LaunchTemplateData"):
            return None
        return Located.known(str(at(said, "VersionNumber")), self._place_of(newest))

    def _renewed(self) -> str:
        name = text_at(self._group, "AutoScalingGroupName")
        for each in self._region.asked.ask(calls.REFRESHES, AutoScalingGroupName=name).items[:1]:
            if text_at(each, "Status") in _GOING_ON:
                return f"the instance refresh {text_at(each, 'InstanceRefreshId')} is {text_at(each, 'Status')}"
        return ""

    # What runs

    def _machines(self) -> Located[Sequence[RunningMachine]]:
        refused = self._region.instances_answer.refused
        if refused:
            return Located.unknown(refused, self.place)
        return Located.known([self._machine(member, data) for member, data in self._there], self.place)

    @cached_property
    def _there(self) -> Sequence[tuple[Data, Data]]:
        """Each as auto scaling has it, and as EC2 does."""
        found: list[tuple[Data, Data]] = []
        for identifier, member in members(self._group):
            data = self._region.instances.get(identifier)
            if data is not None and not text_at(member, "LifecycleState").startswith(_LEAVING):
                found.append((member, data))
        return found

    def _machine(self, member: Data, data: Data) -> RunningMachine:
        identifier = text_at(data, "InstanceId")
        place, first = self._region.place_of_machine(identifier), self._shown_by[self._alike(member, data)]
        profile = text_at(data, "IamInstanceProfile", "Arn").rpartition("/")[2]
        made_of = Makeup(
            Located.known(text_at(data, "ImageId"), place),
            Located.known(frozenset({text_at(data, "InstanceType")}), place),
            self._profile(profile, place),
            Located.known(frozenset(_doors(data)), place),
            self._script(first),
            self._volumes(data, place, lambda volume: at(volume, "Encrypted") is True),
            self._volumes(data, place, lambda volume: number_at(volume, "Size") or 0),
            dict(_metadata(mapping_at(data, "MetadataOptions"), ("HttpTokens", "HttpPutResponseHopLimit"), place)),
        )
        return RunningMachine(
            identifier,
            place,
            made_of,
            text_at(member, "LaunchTemplate", "Version"),
            self._region.place_of_machine(first),
        )

    def _profile(self, name: str, place: Place) -> Located[str | None]:
        """Where no machine of the region is told to have one, nobody tells."""
        tells = any("IamInstanceProfile" in each for each in self._region.instances.values())
        if not name and not tells:
            return Located.known(None, place)
        return Located.known(name or "none", place)

    def _volumes(self, data: Data, place: Place, told: Callable[[Data], T]) -> Mapping[str, Located[T]]:
        found: dict[str, Located[T]] = {}
        for each in mappings_at(data, "BlockDeviceMappings"):
            device, volume = text_at(each, "DeviceName"), self._region.volumes.get(text_at(each, "Ebs", "VolumeId"))
            if volume is None and self._region.refused_volumes:
                found[device] = Located.unknown(self._region.refused_volumes, place)
            elif volume is not None:
                found[device] = Located.known(told(volume), place)
        return found

    # Boot scripts

    def _alike(self, member: Data, data: Data) -> _Alike:
        claimed = version_claimed(member)
        launched = text_at(data, "LaunchTime")
        after = sum(each <= launched for each in self._made_at)
        return _Alike(f"{claimed.template} {claimed.named}" if claimed else "", text_at(data, "ImageId"), after)

    @cached_property
    def _made_at(self) -> Sequence[str]:
        """When the versions were made that are known: since then machines may be others, whatever they claim."""
        named = {version_of(self._group), *(version_claimed(member) for _, member in members(self._group))}
        return [text_at(self._region.version(each), "CreateTime") for each in named if each is not None]

    @cached_property
    def _shown_by(self) -> Mapping[_Alike, str]:
        """Among machines that were started from the same version, the one that is asked for all of them."""
        found: dict[_Alike, str] = {}
        for member, data in self._there:
            found.setdefault(self._alike(member, data), text_at(data, "InstanceId"))
        self._region.asked.ask_at_once((calls.USER_DATA, {"InstanceId": each}) for each in found.values())
        return found

    def _packed(self, identifier: str) -> tuple[str, str]:
        answer = self._region.asked.ask(calls.USER_DATA, InstanceId=identifier)
        return text_at(answer.one, "Value"), answer.refused

    def _script(self, identifier: str) -> Located[str | None]:
        packed, refused = self._packed(identifier)
        place = self._region.place_of_machine(identifier).about("userData")
        if refused:
            return Located.unknown(refused, place)
        return Located.known(unpack_text(packed) if packed else None, place)

    def old_scripts(self, beside: Sequence[BootScript]) -> Iterator[BootScript]:
        """What machines still boot with that their group would not start any more, each once."""
        now = {unpack_text(text_at(self._version_now, "LaunchTemplateData", "UserData"))}
        for identifier in self._shown_by.values():
            packed, _ = self._packed(identifier)
            text = unpack_text(packed) if packed else None
            if text is None or text in now:
                continue
            now.add(text)
            yield from (_like(each, beside) for each in cloud_scripts(self._resource(identifier, packed)))

    @cached_property
    def _version_now(self) -> Data:
        named = version_of(self._group)
        return self._region.version(named) if named is not None else {}

    def _resource(self, identifier: str, packed: str) -> AwsResource:
        place = self._region.place_of_machine(identifier)
        said = plant({"userDataBase64": packed}, place)
        return AwsResource(INSTANCES[0], identifier, str(place.urn), place, lambda: said, is_made=True)


def _like(script: BootScript, beside: Sequence[BootScript]) -> BootScript:
    """Gives the script the pool of the group's own script."""
    if not beside:
        return replace(script, no_pool="its group has no boot script any more")
    own = beside[0]
    return replace(script, pools=own.pools, no_pool=own.no_pool, on_its_own=own.on_its_own)


def _doors(machine: Data) -> Iterator[str]:
    """The security groups that a machine was started with. Interfaces that a network plugin adds for pods have their
    own."""
    yield from (text_at(each, "GroupId") for each in mappings_at(machine, "SecurityGroups"))
    for each in mappings_at(machine, "NetworkInterfaces"):
        if not text_at(each, "Description").startswith(_OF_PLUGINS):
            yield from (text_at(one, "GroupId") for one in mappings_at(each, "Groups"))


def _name_of_profile(said: Mapping[str, Any]) -> str | None:
    """A launch configuration may have its ARN where its name stands."""
    return (text_at(said, "name") or text_at(said, "arn")).rpartition("/")[2] or None


def _encrypted(said: Mapping[str, Any], place: Place) -> Iterator[tuple[str, Located[bool]]]:
    for index, each in enumerate(mappings_at(said, "blockDeviceMappings")):
        told = at(each, "ebs", "encrypted")
        if told is not None:
            subject = f"blockDeviceMappings[{index}].ebs.encrypted"
            yield text_at(each, "deviceName"), Located.known(str(told).lower() == "true", place.about(subject))


def _sizes(said: Mapping[str, Any], place: Place) -> Iterator[tuple[str, Located[int]]]:
    for index, each in enumerate(mappings_at(said, "blockDeviceMappings")):
        told = number_at(each, "ebs", "volumeSize")
        if told is not None:
            yield text_at(each, "deviceName"), Located.known(told, place.about(f"blockDeviceMappings[{index}].ebs"))


def _metadata(said: Data, names: Sequence[str], place: Place) -> Iterator[tuple[str, Located[str]]]:
    """A template has the names of the provider, a machine those of AWS: both by those of AWS."""
    for name in names:
        if said.get(name) is not None:
            yield (
                f"{name[:1].upper()}{name[1:]}",
                Located.known(str(said[name]), place.about(f"metadataOptions.{name}")),
            )
