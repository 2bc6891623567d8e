"""What runs in a region as facts: one scene for each cluster, judged by the fleet where one declares it."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from nodeworthy.collect.aws.stack import Stack
from nodeworthy.collect.cloud.cluster_nodes import ClusterNodes
from nodeworthy.collect.cloud.deployment import declared_resources
from nodeworthy.collect.cloud.joining import Joining
from nodeworthy.collect.cloud.machines import Machines
from nodeworthy.collect.cloud.program import Program
from nodeworthy.collect.cloud.region import Data, Region, cluster_name, cluster_of
from nodeworthy.collect.cloud.resources import Chosen, Resources
from nodeworthy.collect.cloud.scripts import cloud_scripts
from nodeworthy.collect.cloud.watched import WatchedCluster, WatchedGroup
from nodeworthy.collect.cloud.words import tags_of
from nodeworthy.derive import Facts
from nodeworthy.documents.plain import mappings_at, text_at
from nodeworthy.errors import InputError
from nodeworthy.facts.aws.deployment import DeclaredResource, UnseenProgram
from nodeworthy.facts.aws.disk import Disk
from nodeworthy.facts.aws.efa_group import EfaGroups
from nodeworthy.facts.aws.ends import AnnouncedEvents, ImageAge
from nodeworthy.facts.aws.joined import JoinedMachines, NodeOfMachine
from nodeworthy.facts.aws.node_group import NodeGroup
from nodeworthy.facts.aws.node_sides import GuardedNodes
from nodeworthy.facts.aws.room import NodeReservation, QuotaRoom, SubnetRoom
from nodeworthy.facts.aws.running import RunningNodes
from nodeworthy.facts.aws.security_group import SecurityGroup
from nodeworthy.facts.aws.settling import InstanceRefreshes, Launches
from nodeworthy.facts.aws.stack import AwsResource
from nodeworthy.facts.aws.world_ports import PlannedFleet
from nodeworthy.facts.boot.script import POOL_LABEL, BootScript
from nodeworthy.facts.fleet.gpu_pool import GpuPool, pools_of
from nodeworthy.facts.not_seen import NotLookedAt
from nodeworthy.fleet.model import Fleet
from nodeworthy.records import dataclass
from nodeworthy.scene import Fact, Missing, Scene, make_scene
from nodeworthy.verdict import Known, Place, Verdict

# Of what starts nodes: without it, nothing of these is known.
_OF_GROUPS: Final[tuple[type[Any], ...]] = (
    NodeGroup,
    RunningNodes,
    BootScript,
    GuardedNodes,
    EfaGroups,
    Disk,
    SecurityGroup,
    InstanceRefreshes,
    Launches,
    SubnetRoom,
    AnnouncedEvents,
    ImageAge,
    NodeReservation,
    QuotaRoom,
    JoinedMachines,
)


_NO_CLUSTER: Final = "no cluster was named whose nodes they are (--kubernetes CONTEXT)"
# All that the scene of a program is about.
_OF_PROGRAM: Final = frozenset({DeclaredResource, UnseenProgram})


@dataclass(frozen=True)
class Wanted:
    """The part of a region that is to be judged, and the fleet by which."""

    fleet: Fleet | None
    no_fleet: str
    pool: str | None = None


@dataclass(frozen=True)
class Looked:
    scenes: Sequence[Scene]
    groups: int
    machines: int
    # Groups of nodes that are of another cluster than the fleet's.
    of_others: int
    # Those that are there, whatever pool was asked about; and why not all of them are known, empty where they are.
    there: Sequence[str]
    unread: str


def look(region: Region, wanted: Wanted, program: Program | None = None, cluster: ClusterNodes | None = None) -> Looked:
    region.ask_at_first()
    declared = [_of_program(region, program)] if program is not None else []
    joining = Joining(region, cluster) if cluster is not None else None
    if region.scaling_groups.refused:
        return Looked([_blind(region), *declared], 0, 0, 0, (), region.scaling_groups.refused)
    by_cluster = _by_cluster(region)
    ours = {name: each for name, each in by_cluster.items() if _is_asked_about(name, wanted.fleet)}
    made = [_Cluster(region, wanted, chosen, joining) for chosen in ours.values()]
    scenes = [each.scene() for each in made if each.has_something]
    groups = [one for each in made for one in each.watched]
    scenes.append(_of_nodes(joining, groups if wanted.pool is not None else None))
    machines = sum(len(mappings_at(each.group, "Instances")) for each in groups)
    others = sum(len(each.every_scaling) for name, each in by_cluster.items() if name not in ours)
    there = [text_at(one, "AutoScalingGroupName") for each in ours.values() for one in each.every_scaling]
    return Looked([*scenes, *declared], len(groups), machines, others, there, region.refused_managed_groups)


def _of_program(region: Region, program: Program) -> Scene:
    """What it declares here, in a scene of its own: it is of the stack, and may be of several clusters."""
    if program.none:
        return make_scene([], {DeclaredResource: program.none}, about=_OF_PROGRAM)
    if program.unseen:
        return make_scene([UnseenProgram(program.place, program.unseen)], about=_OF_PROGRAM)
    stack = program.by_region.get(region.asked.region)
    if stack is None:
        return make_scene(
            [], {DeclaredResource: f"the program declares nothing in {region.asked.region}"}, about=_OF_PROGRAM
        )
    facts = declared_resources(region, stack, program.ids)
    if facts:
        return make_scene(facts, about=_OF_PROGRAM)
    why = f"nothing that the program declares is found in {region.asked.region}: was the stack brought up here?"
    return make_scene([UnseenProgram(program.place, why)], about=_OF_PROGRAM)


def _of_nodes(joining: Joining | None, groups: Sequence[WatchedGroup] | None) -> Scene:
    """The nodes of a cluster, in a scene of their own: which of AWS' clusters theirs is, only their machines say."""
    if joining is None:
        return make_scene([], {NodeOfMachine: _NO_CLUSTER})
    if joining.refused:
        return make_scene([], {NodeOfMachine: Missing(joining.refused, Verdict.UNKNOWN, joining.place)})
    facts = list(joining.nodes(groups))
    return make_scene(facts, {NodeOfMachine: f"none of its nodes is a machine of {joining.region}"})


def _blind(region: Region) -> Scene:
    """What AWS refuses to list may be there."""
    place = Place(urn=f"{region.asked.account} {region.asked.region}")
    missing = Missing(region.scaling_groups.refused, Verdict.UNKNOWN, place)
    return make_scene([NotLookedAt(place, region.scaling_groups.refused)], dict.fromkeys(_OF_GROUPS, missing))


def _is_asked_about(cluster: str | None, fleet: Fleet | None) -> bool:
    if fleet is None or cluster is None:
        return True
    name = fleet.cluster.name.state
    return not isinstance(name, Known) or name.value == cluster


def _by_cluster(region: Region) -> Mapping[str | None, Chosen]:
    """What starts nodes, by the cluster that its tags name."""
    scaling: dict[str | None, list[Data]] = defaultdict(list)
    every: dict[str | None, list[Data]] = defaultdict(list)
    managed: dict[str | None, list[Data]] = defaultdict(list)
    for each in region.managed_groups:
        managed[cluster_name(each)].append(each)
    for each in region.groups:
        owner = region.owned_by_eks.get(text_at(each, "AutoScalingGroupName"))
        name = cluster_name(owner) if owner is not None else cluster_of(tags_of(each.get("Tags"))) or None
        every[name].append(each)
        if owner is None:
            scaling[name].append(each)
    names = [*map(str, region.cluster_names.items), *every, *managed]
    return {name: Chosen(name, scaling[name], managed[name], every[name]) for name in dict.fromkeys(names)}


class _Cluster:
    """One cluster, or the nodes of which nothing says their cluster."""

    def __init__(self, region: Region, wanted: Wanted, chosen: Chosen, joining: Joining | None) -> None:
        self._region = region
        self._joining = joining
        self._wanted = wanted
        self._chosen = chosen if wanted.pool is None else _only_of(region, wanted, chosen)
        self._resources = Resources(region, self._chosen)
        self._stack = Stack(self._resources.stack, cloud_scripts)
        self._facts = self._stack.facts(wanted.fleet, wanted.no_fleet)

    @property
    def has_something(self) -> bool:
        return bool(self._groups) or (self._resources.cluster is not None and self._wanted.pool is None)

    @property
    def _groups(self) -> Sequence[NodeGroup]:
        return [each for each in self._facts if isinstance(each, NodeGroup) and each.group is not None]

    @property
    def watched(self) -> Sequence[WatchedGroup]:
        by_place = {each.place.urn: each for each in self._groups}
        found: dict[str, WatchedGroup] = {}
        for group in self._chosen.every_scaling:
            owner = self._region.owned_by_eks.get(text_at(group, "AutoScalingGroupName"))
            arn = text_at(owner, "nodegroupArn") or text_at(group, "AutoScalingGroupARN")
            nodes = by_place.get(arn)
            if nodes is not None:
                found[text_at(group, "AutoScalingGroupARN")] = WatchedGroup(nodes, group)
        return list(found.values())

    def scene(self) -> Scene:
        facts = [*self._judged(), *self._of_machines()]
        facts += WatchedCluster(self._region, self._resources, self.watched).facts()
        facts += self._unread()
        fleet = self._wanted.fleet
        if fleet is None:
            return make_scene([*facts, *self._stack.gpu_pools(facts)], self._missing(self._wanted.no_fleet))
        pools = pools_of(fleet, facts, [each for each in facts if isinstance(each, NodeGroup)])
        missing = self._missing("the fleet has no GPU pool")
        return make_scene([*facts, fleet, PlannedFleet(fleet), *pools], missing)

    def _missing(self, no_pool: str) -> dict[type[Any], str]:
        no_nodes = _NO_CLUSTER if self._joining is None else "the context's cluster is another one"
        return {GpuPool: no_pool, JoinedMachines: no_nodes}

    def _judged(self) -> Iterator[Fact]:
        """A region has many a security group that guards no node of these; and what AWS keeps, AWS accepts."""
        guarding = {each.urn for each in self._guards()}
        for each in self._facts:
            if isinstance(each, AwsResource) or (isinstance(each, SecurityGroup) and each.resource.urn not in guarding):
                continue
            yield each

    def _guards(self) -> Iterator[AwsResource]:
        for each in self._groups:
            yield from (one.resource for one in each.security_groups[0])
        yield from self._resources.stack.of("aws:eks/cluster:Cluster")

    def _of_machines(self) -> Iterator[Fact]:
        if self._joining is not None:
            yield from self._joining.groups(self._resources.cluster, self.watched)
        scripts = Facts(self._facts).of(BootScript)
        for each in self.watched:
            machines = Machines(self._region, self._resources, each.group, each.nodes)
            yield machines.running(self._joining.by_machine if self._joining is not None else {})
            template = each.nodes.template
            beside = [one for one in scripts if template is not None and one.holder == template.urn]
            yield from machines.old_scripts(beside)

    def _unread(self) -> Iterator[NotLookedAt]:
        refused = self._region.refused_managed_groups
        yield from self._in_no_group()
        name, why = self._resources.unseen_cluster
        if why:
            yield NotLookedAt(self._resources.place, f"the control plane of {name} is not known: {why}")
        if refused and self._chosen.cluster is not None:
            yield NotLookedAt(self._resources.place, f"which managed node groups there are is not known: {refused}")

    def _in_no_group(self) -> Iterator[NotLookedAt]:
        if self._chosen.cluster is None or self._wanted.pool is not None:
            return
        alone = self._region.in_no_group(self._chosen.cluster)
        if alone:
            named = ", ".join(alone[:3]) + (f" and {len(alone) - 3} more" if len(alone) > 3 else "")
            why = f"machines of {self._chosen.cluster} are in no auto scaling group, and are not looked at: {named}"
            yield NotLookedAt(self._resources.place, why, remedy="nodeworthy node HOST looks at a machine itself")


def _only_of(region: Region, wanted: Wanted, chosen: Chosen) -> Chosen:
    """The resources of one pool: of the fleet's pool, else by the group's own name or tag."""
    whole = Stack(Resources(region, chosen).stack, cloud_scripts).facts(wanted.fleet, wanted.no_fleet)
    named = {
        each.place.urn
        for each in whole
        if isinstance(each, NodeGroup)
        and each.group is not None
        and wanted.pool in (each.pool.name if each.pool is not None else None, each.group.name, _tagged(each))
    }
    managed = [each for each in chosen.managed if text_at(each, "nodegroupArn") in named]
    scaling = [each for each in chosen.scaling if text_at(each, "AutoScalingGroupARN") in named]
    behind = {text_at(one, "name") for each in managed for one in mappings_at(each, "resources", "autoScalingGroups")}
    every = [*scaling, *(each for each in chosen.every_scaling if text_at(each, "AutoScalingGroupName") in behind)]
    return Chosen(chosen.cluster, scaling, managed, every)


def _tagged(nodes: NodeGroup) -> str | None:
    tags = nodes.groups("tags")
    named = [each.get("value").text for each in tags.sequence if each.get("key").text == POOL_LABEL]
    return next(iter(named), tags.get(POOL_LABEL).text)


def refuse_unknown_pool(wanted: Wanted, looked: Sequence[Looked]) -> None:
    """Raises InputError where `--pool` names none; where not all are known, nobody can say that."""
    if wanted.pool is None:
        return
    names = [each.name for each in wanted.fleet.pools] if wanted.fleet is not None else []
    if names and wanted.pool not in names:
        raise InputError(f"--pool {wanted.pool}: the fleet has no such pool; it has {', '.join(names)}")
    if names or any(each.groups or each.unread for each in looked):
        return
    there = ", ".join(sorted({one for each in looked for one in each.there})) or "none"
    raise InputError(f"--pool {wanted.pool}: no group of nodes is of that name; there is {there}")
