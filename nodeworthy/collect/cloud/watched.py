"""What is asked of AWS beside the resources themselves: what failed, what is full, what ends."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import UTC, date, datetime, timedelta
from typing import Any

from nodeworthy.collect.cloud import calls
from nodeworthy.collect.cloud.region import Data, Region, members
from nodeworthy.collect.cloud.resources import Resources
from nodeworthy.documents.plain import at, mapping_at, mappings_at, number_at, text_at
from nodeworthy.documents.tree import plant
from nodeworthy.facts.aws.ends import AnnouncedEvents, ClusterRelease, ImageAge
from nodeworthy.facts.aws.node_capacity import is_block, reservation
from nodeworthy.facts.aws.node_group import NodeGroup
from nodeworthy.facts.aws.node_types import instance_types
from nodeworthy.facts.aws.room import NodeReservation, QuotaRoom, SubnetRoom
from nodeworthy.facts.aws.settling import FailedLaunch, InstanceRefreshes, Launches
from nodeworthy.fleet.model import CapacityKind
from nodeworthy.known import quotas
from nodeworthy.patterns import pattern
from nodeworthy.records import dataclass
from nodeworthy.scene import Fact
from nodeworthy.verdict import Known, Located, Place, Unknown

_IDS = "CapacityReservationIds"
_DAY = timedelta(hours=24)
_FAILED = ("Failed", "Cancelled")
_LAUNCHING = "Launching a new EC2 instance"
# amazon-eks-node-al2023-x86_64-nvidia-1.34-v20251016
_EKS_IMAGE = pattern(
    r"amazon-eks-node-(?P<system>al2023)-(?P<machine>x86_64|arm64)-(?P<variant>standard|nvidia|neuron)-"
    r"(?P<kubernetes>\d\.\d+)-v(?P<day>\d{8})"
)
_EKS_PARAMETER = (
    "/aws/service/eks/optimized-ami/{kubernetes}/amazon-linux-2023/{machine}/{variant}/recommended/image_id"
)


@dataclass(frozen=True)
class WatchedGroup:
    """A group of nodes, with the auto scaling group that has its machines."""

    nodes: NodeGroup
    group: Data

    @property
    def name(self) -> str:
        return text_at(self.group, "AutoScalingGroupName")

    @property
    def place(self) -> Place:
        return Place(urn=text_at(self.group, "AutoScalingGroupARN"))


class WatchedCluster:
    """All of it for one cluster."""

    def __init__(self, region: Region, resources: Resources, groups: Sequence[WatchedGroup]) -> None:
        self._region = region
        self._resources = resources
        self._groups = groups
        self._seen_at = region.asked.seen_at

    def facts(self) -> Iterator[Fact]:
        asked = ((call, {"AutoScalingGroupName": each.name}) for each in self._groups for call in _OF_EACH_GROUP)
        self._region.asked.ask_at_once(asked)
        for each in self._groups:
            yield self._refreshes(each)
            yield self._launches(each)
            yield self._addresses(each)
            yield self._announced(each)
            yield from self._images(each)
        yield from self._reservations()
        yield from self._quotas()
        yield from self._cluster()

    # Whether it settled

    def _refreshes(self, each: WatchedGroup) -> InstanceRefreshes:
        answer = self._region.asked.ask(calls.REFRESHES, AutoScalingGroupName=each.name)
        last = max(answer.items, key=_begun, default=None)
        told = _located(answer.refused, plant(last, each.place) if last is not None else None, each.place)
        started = self._started(each)
        return InstanceRefreshes(each.place, each.nodes, told, started, self._seen_at)

    def _started(self, each: WatchedGroup) -> Sequence[datetime]:
        """When its machines were, the oldest first."""
        return sorted(filter(None, (time_at(data, "LaunchTime") for data in self._machines(each))))

    def _machines(self, each: WatchedGroup) -> Sequence[Data]:
        found = (self._region.instances.get(identifier) for identifier, _ in members(each.group))
        return [data for data in found if data is not None]

    def _launches(self, each: WatchedGroup) -> Launches:
        answer = self._region.asked.ask(calls.ACTIVITIES, AutoScalingGroupName=each.name)
        failed = list(self._failed(answer.items, each.place))
        in_service = sum(text_at(member, "LifecycleState") == "InService" for _, member in members(each.group))
        went_well = (
            time_at(one, "EndTime")
            for one in answer.items
            if _is_launch(one) and text_at(one, "StatusCode") == "Successful"
        )
        changes = [time_at(each.group, "CreatedTime"), *(time_at(one, "StartTime") for one in answer.items)]
        return Launches(
            each.place,
            each.nodes,
            _located(answer.refused, failed, each.place),
            max(filter(None, went_well), default=None),
            number_at(each.group, "DesiredCapacity") or 0,
            in_service,
            max(filter(None, [*changes, *self._started(each)]), default=None),
            [
                Located.known(text_at(one, "ProcessName"), each.place.about("SuspendedProcesses"))
                for one in mappings_at(each.group, "SuspendedProcesses")
            ],
            self._seen_at,
        )

    def _failed(self, activities: Iterable[Data], place: Place) -> Iterator[FailedLaunch]:
        for each in activities:
            begun = time_at(each, "StartTime")
            if begun is None or self._seen_at - begun > _DAY or not _is_launch(each):
                continue
            if text_at(each, "StatusCode") in _FAILED:
                why = text_at(each, "StatusMessage") or text_at(each, "Cause") or text_at(each, "StatusCode")
                yield FailedLaunch(place.about(f"activity {text_at(each, 'ActivityId')}"), begun, " ".join(why.split()))

    # Room

    def _reservations(self) -> Iterator[NodeReservation]:
        answer = self._region.asked.ask(calls.RESERVATIONS)
        known = {text_at(each, "CapacityReservationId"): each for each in answer.items}
        for identifier, groups in self._by_reservation(known).items():
            said = known.get(identifier)
            place = Place(urn=text_at(said, "CapacityReservationArn") or identifier)
            yield NodeReservation(
                place,
                identifier,
                [each.nodes for each in groups],
                _located(answer.refused, plant(said, place) if said is not None else None, place),
                _machines_wanted(groups),
                _machines_wanted(each for each in groups if _only_there(each, identifier)),
                self._emptied({each.name for each in groups}, time_at(said or {}, "EndDate"), place),
                self._seen_at,
            )

    def _by_reservation(self, known: Mapping[str, Data]) -> Mapping[str, Sequence[WatchedGroup]]:
        """The groups by reservation: those that a group names, and those that its machines run in, whatever led them
        there."""
        found: dict[str, list[WatchedGroup]] = {}
        for each in self._groups:
            used = {text_at(data, "CapacityReservationId") for data in self._machines(each)}
            for identifier in sorted({*_reservations_of(each), *(used & known.keys())}):
                if identifier.startswith("cr-"):
                    found.setdefault(identifier, []).append(each)
        return found

    def _emptied(self, names: set[str], ends: datetime | None, place: Place) -> Located[datetime | None]:
        """When schedules have brought all of these groups down to nothing, and leave them there until it ends."""
        schedules = self._region.asked.ask(calls.SCHEDULES)
        if schedules.refused:
            return Located.unknown(schedules.refused, place)
        of_each = (
            _emptied_at(sorted(_sizes(each for each in schedules.items if _group_of(each) == name)), ends)
            for name in names
        )
        times = [each for each in of_each if each is not None]
        return Located.known(max(times) if times and len(times) == len(names) else None, place)

    def _quotas(self) -> Iterator[QuotaRoom]:
        """One for all groups whose next node is as large; of several that a group may ask, the one with most room."""
        found: dict[tuple[str, object], list[QuotaRoom]] = {}
        for each in self._groups:
            rooms = [] if is_block(each.nodes) else list(self._quotas_of(each))
            if rooms:
                best = max(rooms, key=_promise)
                found.setdefault((best.named, best.one_node.state), []).append(best)
        for some in found.values():
            yield replace(some[0], nodes=[one for each in some for one in each.nodes])

    def _quotas_of(self, each: WatchedGroup) -> Iterator[QuotaRoom]:
        kinds, why = _kinds(each.nodes)
        if why:
            unseen: Located[Any] = Located.unknown(why, each.place)
            yield QuotaRoom(each.place, "of vCPUs", [each.nodes], unseen, unseen, unseen)
            return
        counted: dict[quotas.Quota, list[str]] = defaultdict(list)
        for kind, is_spot in ((kind, is_spot) for kind in kinds for is_spot in _markets(each)):
            if (quota := quotas.quota_of(kind, is_spot=is_spot)) is not None:
                counted[quota].append(kind)
        yield from (self._quota(each, quota, some) for quota, some in counted.items())

    def _quota(self, each: WatchedGroup, wanted: quotas.Quota, kinds: Sequence[str]) -> QuotaRoom:
        answer = self._region.asked.ask(calls.QUOTAS)
        said = next((one for one in answer.items if text_at(one, "QuotaName") == wanted.named), None)
        place = Place(urn=text_at(said, "QuotaArn") or each.place.urn, subject=wanted.named)
        why = answer.refused or ("" if said is not None else f"AWS names no quota {wanted.named!r}")
        value = at(said, "Value") if said is not None else None
        quota: Located[float] = (
            Located.known(float(value), place) if isinstance(value, (int, float)) else Located.unknown(why, place)
        )
        smallest = _least([self._vcpus(kind, place) for kind in kinds])
        return QuotaRoom(place, wanted.named, [each.nodes], quota, self._used(wanted, place), smallest)

    def _used(self, quota: quotas.Quota, place: Place) -> Located[int]:
        refused = self._region.instances_answer.refused
        if refused:
            return Located.unknown(refused, place)
        counted = 0
        for each in self._region.instances.values():
            kind = text_at(each, "InstanceType")
            if quotas.quota_of(kind, is_spot=text_at(each, "InstanceLifecycle") == "spot") == quota:
                cores, threads = at(each, "CpuOptions", "CoreCount"), at(each, "CpuOptions", "ThreadsPerCore")
                if isinstance(cores, int) and isinstance(threads, int):
                    counted += cores * threads
                    continue
                told = self._vcpus(kind, place)
                if not isinstance(told.state, Known):
                    return told
                counted += told.state.value
        return Located.known(counted, place)

    def _type(self, kind: str) -> tuple[Data, str]:
        answer = self._region.asked.ask(calls.TYPES, InstanceTypes=[kind])
        found: Data = next(iter(answer.items), {})
        return found, answer.refused or ("" if found else f"AWS describes no type {kind}")

    def _vcpus(self, kind: str, place: Place) -> Located[int]:
        said, why = self._type(kind)
        count = number_at(said, "VCpuInfo", "DefaultVCpus")
        return Located.known(count, place) if count is not None else Located.unknown(why, place)

    def _addresses(self, each: WatchedGroup) -> SubnetRoom:
        answer = self._region.asked.ask(calls.SUBNETS)
        named = {one.strip() for one in text_at(each.group, "VPCZoneIdentifier").split(",")}
        free = [
            (text_at(one, "SubnetId"), number_at(one, "AvailableIpAddressCount") or 0)
            for one in answer.items
            if text_at(one, "SubnetId") in named
        ]
        told = _located(answer.refused, free, each.place)
        return SubnetRoom(each.place, each.nodes, told, self._one_nodes_addresses(each))

    def _one_nodes_addresses(self, each: WatchedGroup) -> Located[Mapping[str, int]]:
        """The addresses that a node takes when it starts: all of its first interface, and one for each further one that
        has any."""
        kinds, why = _kinds(each.nodes)
        others = [one for one in each.nodes.interfaces if one.get("interfaceType").text != "efa-only"]
        found: dict[str, int] = {}
        for kind in kinds:
            said, refused = self._type(kind)
            count = number_at(said, "NetworkInfo", "Ipv4AddressesPerInterface")
            if count is None:
                why = refused or f"AWS does not say how many addresses a {kind} has"
            found[kind] = (count or 0) + max(0, len(others) - 1)
        return Located.unknown(why, each.place) if why else Located.known(found, each.place)

    # Ends

    def _announced(self, each: WatchedGroup) -> AnnouncedEvents:
        answer = self._region.asked.ask(calls.STATUSES)
        there = (self._region.statuses.get(identifier) for identifier, _ in members(each.group))
        found = [
            plant(one, self._region.place_of_machine(text_at(one, "InstanceId"))) for one in there if one is not None
        ]
        return AnnouncedEvents(each.place, each.nodes, _located(answer.refused, found, each.place))

    def _images(self, each: WatchedGroup) -> Iterator[ImageAge]:
        known, refused = self._resources.images
        unseen = self._region.instances_answer.refused
        if unseen:
            yield ImageAge(each.place, "", each.nodes, Located.unknown(unseen, each.place), None, None, self._seen_at)
        for identifier in sorted({text_at(data, "ImageId") for data in self._machines(each)}):
            if not identifier.startswith("ami-"):
                continue
            place = Place(urn=f"arn:aws:ec2:{self._region.asked.region}::image/{identifier}")
            said = known.get(identifier)
            told = _located(refused, None, place) if said is None else Located.known(plant(said, place), place)
            parts = _EKS_IMAGE.search(text_at(said, "Name"))
            yield ImageAge(
                place,
                identifier,
                each.nodes,
                told,
                _day(parts["day"]) if parts is not None else None,
                self._recommended(parts, place) if parts is not None else None,
                self._seen_at,
            )

    def _recommended(self, parts: re.Match[str], place: Place) -> Located[date]:
        """When the image was released that AWS recommends now in the place of this one."""
        newest, refused = self._region.parameter(_EKS_PARAMETER.format(**parts.groupdict()))
        if refused:
            return Located.unknown(refused, place)
        found, why = self._region.images([newest])
        now = _EKS_IMAGE.search(text_at(found.get(newest), "Name"))
        day = _day(now["day"]) if now is not None else None
        unseen = why or f"AWS does not say when the image {newest} was released"
        return Located.known(day, place) if day is not None else Located.unknown(unseen, place)

    def _cluster(self) -> Iterator[ClusterRelease]:
        cluster = self._resources.cluster
        if cluster is None:
            yield from self._unseen_cluster()
            return
        place, name = self._resources.place, text_at(cluster, "name")
        versions, insights = (
            self._region.asked.ask(calls.CLUSTER_VERSIONS),
            self._region.asked.ask(calls.INSIGHTS, clusterName=name),
        )
        number = text_at(cluster, "version")
        said = next((each for each in versions.items if text_at(each, "clusterVersion") == number), None)
        yield ClusterRelease(
            place,
            name,
            Located.known(number, place.about("version")),
            _located(versions.refused, plant(said, place) if said is not None else None, place),
            _located(insights.refused, [plant(each, place) for each in insights.items], place),
            self._seen_at,
            text_at(cluster, "upgradePolicy", "supportType") == "STANDARD",
        )

    def _unseen_cluster(self) -> Iterator[ClusterRelease]:
        name, why = self._resources.unseen_cluster
        if why:
            place = self._resources.place
            unseen: Located[Any] = Located.unknown(why, place)
            yield ClusterRelease(place, name, unseen, unseen, unseen, self._seen_at)


_OF_EACH_GROUP = (calls.REFRESHES, calls.ACTIVITIES)


def _located(refused: str, found: Any, place: Place) -> Located[Any]:
    return Located.unknown(refused, place) if refused else Located.known(found, place)


def time_at(said: Mapping[str, Any], name: str) -> datetime | None:
    try:
        found = datetime.fromisoformat(text_at(said, name))
    except ValueError:
        return None
    return found if found.tzinfo is not None else found.replace(tzinfo=UTC)


def _day(text: str) -> date | None:
    try:
        return date(int(text[:4]), int(text[4:6]), int(text[6:]))
    except ValueError:
        return None


def _is_launch(activity: Data) -> bool:
    return text_at(activity, "Description").startswith(_LAUNCHING)


def _machines_wanted(groups: Iterable[WatchedGroup]) -> int:
    return sum(number_at(each.group, "DesiredCapacity") or 0 for each in groups)


def _begun(refresh: Data) -> datetime:
    """One that is still to begin has no time, and is the newest."""
    return time_at(refresh, "StartTime") or datetime.max.replace(tzinfo=UTC)


def _reservations_of(each: WatchedGroup) -> Sequence[str]:
    """The reservations that a group names: in its template, in its own options, or in the fleet."""
    own = at(each.group, "CapacityReservationSpecification", "CapacityReservationTarget", _IDS) or []
    said, pool = reservation(each.nodes).text, each.nodes.pool
    if said is None and not own and pool is not None and pool.capacity.kind is not CapacityKind.ON_DEMAND:
        said = pool.capacity.id
    return [*filter(None, (said,)), *own]


def _only_there(each: WatchedGroup, identifier: str) -> bool:
    """Whether its machines are started in this reservation or not at all."""
    takes_others = text_at(each.group, "CapacityReservationSpecification", "CapacityReservationPreference")
    return _reservations_of(each) == [identifier] and takes_others != "capacity-reservations-first"


def _group_of(schedule: Data) -> str:
    return text_at(schedule, "AutoScalingGroupName")


def _sizes(schedules: Iterable[Data]) -> Iterator[tuple[datetime, int]]:
    """When a group is to be how large, where a schedule says it. A largest size of nothing leaves nothing."""
    for each in schedules:
        starts = time_at(each, "StartTime")
        size = at(each, "DesiredCapacity")
        if size is None and at(each, "MaxSize") == 0:
            size = 0
        if starts is not None and isinstance(size, int):
            yield starts, size


def _emptied_at(sizes: Iterable[tuple[datetime, int]], ends: datetime | None) -> datetime | None:
    """Since when it is empty; None where it is not, or is filled again before the end."""
    found: datetime | None = None
    for starts, size in sizes:
        if ends is None or starts < ends:
            found = None if size else (found or starts)
    return found


def _kinds(nodes: NodeGroup) -> tuple[Sequence[str], str]:
    """The types that it may start, or why not all of them are known."""
    said = instance_types(nodes)
    why = next((each.state.why for each in said if isinstance(each.state, Unknown)), "")
    if why:
        return (), why
    return sorted({str(each.state.value) for each in said if isinstance(each.state, Known)}), ""


def _markets(each: WatchedGroup) -> Sequence[bool]:
    """Whether its next machine is a spot one; both where it may be either."""
    if each.nodes.templates("instanceMarketOptions", "marketType").text == "spot":
        return (True,)
    if each.nodes.groups("capacityType").text == "SPOT":
        return (True,)
    said = mapping_at(each.group, "MixedInstancesPolicy", "InstancesDistribution")
    on_demand = number_at(said, "OnDemandPercentageAboveBaseCapacity")
    if on_demand is None or on_demand >= 100:
        return (False,)
    return (False, True) if on_demand or number_at(said, "OnDemandBaseCapacity") else (True,)


def _least(some: Sequence[Located[int]]) -> Located[int]:
    """The first that is not known, where one is not."""
    return next((each for each in some if isinstance(each.state, Unknown)), None) or min(
        some, key=lambda each: each.state.value if isinstance(each.state, Known) else 0
    )


def _promise(room: QuotaRoom) -> tuple[int, float]:
    """Rooms in their order: those that have none, those of which it is not known, those with some."""
    left = room.left
    return (1, 0.0) if left is None else (2 if left >= 0 else 0, left)
