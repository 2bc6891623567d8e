"""Looks at files and folders, and groups what it finds by the fleet that it is judged by."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, cast

from nodeworthy.backstop import TookTooLong, call_bounded
from nodeworthy.collect.source.boot_scripts import SHELLS
from nodeworthy.collect.source.completed_values import is_loose
from nodeworthy.collect.source.files import Source, sources
from nodeworthy.collect.source.files_beside import Span
from nodeworthy.collect.source.fleets import Fleets
from nodeworthy.collect.source.groups import FileGroup, Groups, Member
from nodeworthy.collect.source.one_file import whats_in
from nodeworthy.collect.source.parsing import FileContents, InputRefused, refused_as_too_long
from nodeworthy.collect.source.scope import Scopes
from nodeworthy.errors import InputError
from nodeworthy.facts.fleet.gpu_pool import (
    GpuPool,
    PoolDoor,
    doors_of_pools,
    pools_of,
    refused_machines,
    reserved_machines,
    retired_machines,
)
from nodeworthy.facts.not_seen import NotLookedAt, UnreadableInput
from nodeworthy.facts.operator.fleet_operator import DeclaredFleet, with_release_of
from nodeworthy.facts.operator.values import OperatorValues
from nodeworthy.fleet.model import Fleet, no_fleet
from nodeworthy.limits import SECONDS_TOGETHER
from nodeworthy.records import dataclass, field
from nodeworthy.scene import Fact, Scene, make_scene
from nodeworthy.verdict import Place

if TYPE_CHECKING:
    from nodeworthy.facts.boot.script import BootScript
    from nodeworthy.facts.slurm.job import SlurmJob


Read = Callable[[Source], FileContents | None]
# Fewer are read before a process that helps has begun.
_MANY = 2000
_NO_KIND = "this is no kind of file that nodeworthy knows"
_TERRAFORM = "its root of Terraform installs no chart, has no manifest and starts no GPU node that is judged here"
_HCL = "of HCL only Terraform's and Packer's own files are read (*.tf, *.tofu, *.tfvars, *.pkr.hcl with inline shell)"
_NOT_READ = {**dict.fromkeys((".tf", ".tofu", ".tfvars"), _TERRAFORM), ".hcl": _HCL}


# What asks for nodes, whose cluster may be said elsewhere.
_OF_A_CLUSTER = frozenset(("AskedNodes", "KarpenterPool"))
# How a machine joins a cluster whose version stands in a file beside its script.
_BY_KUBEADM = "kubeadm join"
# What goes to nodes with GPUs beside the pods that ask for some.
_MAKE_CLASSES = frozenset(("OperatorValues", "PriorityClass", "RuntimeClass"))
_GO_TO_NODES = frozenset(("OperatorValues", "DaemonSetManifest", "EfaPlugin"))


@dataclass
class Looked:
    """What was found, and what could not be read of what was named."""

    scenes: list[Scene] = field(default_factory=list)
    recognised: int = 0
    # The files that hold nothing of ours.
    nothing: list[str] = field(default_factory=list)
    refused: list[str] = field(default_factory=list)
    # The files whose values belong to a release, and where those were looked for.
    beside: list[Path] = field(default_factory=list)
    read: list[Span] = field(default_factory=list)
    # Those that files name and that lie out of their tree: they were not read.
    out_of_the_tree: list[str] = field(default_factory=list)
    # What was looked at as evidence.
    scopes: Scopes = field(default_factory=Scopes)

    @property
    def counts(self) -> dict[str, int]:
        return {"files": self.recognised, "unrecognised": len(self.nothing)}

    def refusals(self) -> list[str]:
        """A line each: of a fleet everything that is wrong with it is told."""
        return [line for refusal in self.refused for line in refusal.splitlines()]

    @property
    def asked_for(self) -> Iterator[Path]:
        """The files beside them that they name, whether they are there or not."""
        yield from self.beside
        yield from self.scopes.asked
        jobs = [fact for scene in self.scenes for fact in scene.facts if type(fact).__name__ == "SlurmJob"]
        if jobs:
            from nodeworthy.collect.source.slurm_reading import paths_asked_for

            for job in jobs:
                yield from paths_asked_for(cast("SlurmJob", job))


def look(paths: list[str], fleets: Fleets, rules: frozenset[str], *, named: bool = True) -> Looked:
    """`named`: somebody asked for these files, so that one of no known kind is a mistake of the call."""
    return look_at(sources(paths, named=named), fleets, rules)


def look_at(
    found_there: Iterable[Source], fleets: Fleets, rules: frozenset[str], nothing: frozenset[str] = frozenset()
) -> Looked:
    """Reads every file and says what there is. It judges nothing. `nothing` are files that are known to hold nothing of
    ours."""
    looked = Looked()
    groups = Groups(fleets, rules, looked.refused)
    unread: list[Fact] = []
    every = [*found_there]
    read = _reader(every, rules, nothing)
    for source in every:
        looked.scopes = source.scopes
        groups.know(source)
        try:
            found = call_bounded(_read_source, source, fleets, rules, read)
        except InputRefused as refusal:
            _note_refusal(looked, refusal, source, unread)
            continue
        except TookTooLong as problem:
            _note_refusal(looked, refused_as_too_long(source, problem), source, unread)
            continue
        if found is None:
            _note_unknown_file(looked, source)
            continue
        looked.recognised += 1
        if found.fleet is not None:
            looked.scenes.append(_scene(found, found.fleet, ""))
        else:
            groups.add(source, found)
    looked.scenes += [make_scene(unread)] if unread else []
    groups.with_evidence(looked.scopes)
    _add_scenes(groups, looked)
    return looked


def _reader(every: Sequence[Source], rules: frozenset[str], nothing: frozenset[str]) -> Read:
    """Where an earlier run has told those that hold something from the others, they are what is left to be read."""
    if len(every) < _MANY or nothing:
        return lambda source: whats_in(source, rules) if source.shown not in nothing else None
    from nodeworthy.collect.source.read_ahead import read_ahead

    return read_ahead(every, rules)


def _read_source(source: Source, fleets: Fleets, rules: frozenset[str], read: Read) -> FileContents | None:
    found = read(source)
    if found is not None or source.path.suffix not in SHELLS:
        return found
    from nodeworthy.collect.source.script_files import firewall_script

    return firewall_script(source, fleets, rules)


def _note_unknown_file(looked: Looked, source: Source) -> None:
    looked.nothing.append(source.shown)
    if source.named:
        looked.refused.append(f"{source.shown}: {_NOT_READ.get(source.path.suffix, _NO_KIND)}")


def _add_scenes(groups: Groups, looked: Looked) -> None:
    """Makes one scene of each group. Files that are only evidence for others stand among its files, in their order."""
    for each in groups.every:
        for beside in filter(None, (member.found.beside for member in each.members)):
            looked.beside += beside.asked
            looked.read += beside.read
            looked.out_of_the_tree += beside.out_of_the_tree
    judged = frozenset(member.source.shown for each in groups.every for member in each.members if member.is_judged)
    for each in groups.every:
        try:
            scene = call_bounded(_scene_of_group, each, groups, looked.read, seconds=SECONDS_TOGETHER)
        except TookTooLong as problem:
            scene = _scene_of_unjudged(each, problem.why)
        evidence = frozenset(path for member in each.members for path in _files_of_evidence(member)) - judged
        looked.scenes.append(scene.with_evidence(evidence, judged) if evidence else scene)
        fleet = each.choice.fleet
        if fleet is not None and not groups.judges(fleet):
            _refuse_impossible(fleet, looked)


def _files_of_evidence(member: Member) -> Iterator[str]:
    """The files that nobody asked about and that are read to judge others by: this one, those of its play, and those of
    its root of Terraform, which is read as a whole."""
    if not member.is_judged:
        yield member.source.shown
    yield from member.found.files_of_play
    if member.source.named or not member.is_judged:
        yield from member.found.files_of_root


def _scene_of_group(group: FileGroup, groups: Groups, read: list[Span]) -> Scene:
    fleet, found = group.choice.fleet, group.together(groups.filled_in)
    found.facts = with_release_of(
        fleet, [*_without_values_of_releases(found.facts, read), *_warning_of_unseen_files(group)]
    )
    hosted = [*_planned_pools(group), *_asked_pools(found.facts)]
    of_clouds: list[Fact] = [*retired_machines(hosted), *refused_machines(hosted), *reserved_machines(hosted)]
    scene = _scene(found, fleet, group.choice.why).with_more(of_clouds)
    if fleet is not None:
        return scene
    if hosted:
        from nodeworthy.facts.fleet.no_driver import drivers_left

        scene = scene.with_more(drivers_left(hosted))
    kinds = {type(each).__name__ for each in found.facts}
    joins = any(_BY_KUBEADM in part.text for script in found.scripts for part in script.userdata.parts)
    if (joins or kinds & _OF_A_CLUSTER) and "SaidCluster" not in kinds:
        scene = scene.with_more(groups.around.clusters(group.first.source))
    asks = "PodTemplate" in kinds and _ask_for_gpus(scene.facts)
    if (asks or "DaemonSetManifest" in kinds) and kinds.isdisjoint(_MAKE_CLASSES):
        scene = scene.with_more(_classes_around(scene.facts, group))
    own = [pool for stack in found.stacks for pool in stack.gpu_pools(scene.facts)]
    pools = [*own]
    pools += _pools_of_other_clouds(scene.facts, group) if asks or kinds & _GO_TO_NODES else []
    if pools:
        # Pools from which the same follows for values may be of other sizes.
        every = [*own, *_planned_pools(group)]
        sizes = groups.around.all_sizes(every, scene.facts, group.first.source) if asks else []
        doors = [door for stack in found.stacks for door in stack.doors(scene.facts)]
        return scene.with_more([*pools, *sizes, *doors, *_doors_of_other_clouds(group, groups)])
    is_judged_by_pools = "OperatorValues" in kinds or ("NvidiaExtensions" in kinds and _is_the_only_image(group))
    judged_by: Sequence[Fact] = _pools_around(scene.facts, group, groups) if is_judged_by_pools else []
    if not judged_by and "DaemonSetManifest" in kinds:
        judged_by = _settled(_asked_pools(scene.facts), scene.facts)
    sizes = groups.around.sizes(scene.facts, group.first.source) if asks else []
    doors = groups.around.doors(scene.facts, group.first.source) if asks or kinds & _GO_TO_NODES else []
    return scene.with_more([*judged_by, *sizes, *(doors or _doors_of_other_clouds(group, groups))])


def _classes_around(facts: Sequence[Fact], group: FileGroup) -> list[Fact]:
    """Imported only where a pod asks for GPUs beside nothing that makes classes."""
    from nodeworthy.collect.source.classes_around import classes_around

    return list(classes_around(facts, group.first.source))


def _is_the_only_image(group: FileGroup) -> bool:
    """Whether no other file around names NVIDIA's modules for an image of Talos: of two nobody knows whose each is."""
    from nodeworthy.facts.fleet.talos_extensions import HOLDS_MODULES

    held = group.first.source.scope.holding(HOLDS_MODULES, (".yaml", ".yml"))
    own = {Path(each.source.lies) for each in group.members}
    return all(each.path in own for each in held)


def _ask_for_gpus(facts: Sequence[Fact]) -> bool:
    from nodeworthy.facts.pod.template import PodTemplate

    return any(isinstance(each, PodTemplate) and each.gpu_resources for each in facts)


def _pools_of_other_clouds(facts: Sequence[Fact], group: FileGroup) -> list[GpuPool]:
    """Imported only where there are some, and nobody declares any."""
    return _settled(_planned_pools(group), facts)


def _settled(pools: Sequence[GpuPool], facts: Sequence[Fact]) -> list[GpuPool]:
    if not pools:
        return []
    from nodeworthy.facts.fleet.pools_by_evidence import settle_drivers

    return list(settle_drivers(pools, [each for each in facts if isinstance(each, OperatorValues)]))


def _planned_pools(group: FileGroup) -> list[GpuPool]:
    """The pools that a root of Terraform asks of other clouds."""
    return [*{id(pool): pool for member in group.members for pool in member.found.pools}.values()]


def _asked_pools(facts: Sequence[Fact]) -> list[GpuPool]:
    """The pools that objects and commands ask of other clouds, without those that stand under a condition and may not
    come to be."""
    hosted = (getattr(each, "hosted", None) for each in facts if type(each).__name__ == "AskedNodes")
    return [each for each in hosted if isinstance(each, GpuPool) and not each.is_likely]


def _doors_of_other_clouds(group: FileGroup, groups: Groups) -> list[PoolDoor]:
    """The doors of pools that name their cluster. Of a root with several, nobody knows which pods are for which."""
    named = [each for each in _planned_pools(group) if each.cluster is not None]
    return [] if not named or groups.around.grow_for_pods(named, group.first.source) else doors_of_pools(named)


def _pools_around(facts: Sequence[Fact], group: FileGroup, groups: Groups) -> list[Fact]:
    """Imported only where there is something to judge by pools, and nobody declares any."""
    return list(groups.around.pools(facts, group.first.source))


def _scene_of_unjudged(group: FileGroup, why: str) -> Scene:
    """Says of each file that it was not judged, where the files of a group could not be put together. What one file
    says may depend on the others."""
    judged = [member.source.shown for member in group.members if member.is_judged]
    return make_scene(
        [UnreadableInput(Place(path=each), f"it was not judged, with what joins with it: {why}") for each in judged]
    )


def _warning_of_unseen_files(group: FileGroup) -> Iterator[Fact]:
    """Says that some files were not looked at. An unseen file may collide with what is judged, so nothing may pass."""
    if group.cut_off:
        first = next(each for each in group.members if each.is_judged)
        place = Place(path=first.source.shown)
        why = f"not everything that may join with it was looked at: {group.cut_off}"
        yield NotLookedAt(place, why, remedy="keep a fleet in a folder, or a repository, of fewer files")


def _without_values_of_releases(facts: list[Fact], read: list[Span]) -> list[Fact]:
    """Values that a release names are judged as its own, with all that it lays over them."""
    if not read:
        return facts
    return [each for each in facts if not (is_loose(each) and any(span.holds(each.place) for span in read))]


def _refuse_impossible(fleet: Fleet, looked: Looked) -> None:
    """A fleet that can't exist is a finding where it is checked; where others are judged by it, it is a mistake."""
    from nodeworthy.fleet.read import refuse_impossible

    try:
        refuse_impossible(fleet)
    except InputError as impossible:
        looked.refused.append(str(impossible))


def _note_refusal(looked: Looked, refusal: InputRefused, source: Source, unread: list[Fact]) -> None:
    """A named input that can't be read is a mistake of the call; one found in a folder is a finding."""
    if source.named:
        looked.refused.append(str(refusal))
    else:
        unread += [UnreadableInput(place, why) for place, why in refusal.faults]


def _scene(found: FileContents, fleet: Fleet | None, why: str) -> Scene:
    facts = [*found.facts, *_scripts_in_fleet(found, fleet, why), *_firewalls(found, fleet, why)]
    facts += _files_of_nodes(found, fleet, why)
    facts += _facts_of_aws(found, fleet, why)
    facts += _nodes_of_tools(found.facts)
    if fleet is None:
        from nodeworthy.facts.fleet.node_size import NodeSize

        missing = {each: no_fleet(each.asked) if why == no_fleet() else why for each in (GpuPool, NodeSize)}
        return make_scene(facts, missing, found.suppressions)
    missing = {GpuPool: f"the fleet of {fleet.place.path} has no GPU pool"}
    declared: list[Fact] = [fleet, DeclaredFleet(fleet)]
    return make_scene([*facts, *declared, *pools_of(fleet, facts)], missing, found.suppressions)


def _facts_of_aws(found: FileContents, fleet: Fleet | None, why: str) -> Iterator[Fact]:
    """What the resources of AWS come to. Imported only where there are some."""
    if found.stacks:
        from nodeworthy.facts.boot.script import BootScript

        facts = [each for stack in found.stacks for each in stack.facts(fleet, why)]
        yield from facts
        yield from _not_followed([each for each in facts if isinstance(each, BootScript)])


def _not_followed(scripts: Sequence[BootScript]) -> Iterator[Fact]:
    if scripts:
        from nodeworthy.facts.boot.unread_steps import not_followed

        yield from not_followed(scripts)


def _nodes_of_tools(facts: Sequence[Fact]) -> Iterator[Fact]:
    """What tools make in AWS. Imported only where one is told to."""
    kinds = {type(each).__name__ for each in facts}
    if not kinds.isdisjoint(("EksctlGroup", "LoginDoor", "KarpenterPool", "KarpenterClass")):
        from nodeworthy.collect.aws.manifests import nodes_in_aws

        yield from nodes_in_aws(facts)
    asked = (each for each in facts if type(each).__name__ == "AskedNodes") if "ApiDoors" in kinds else ()
    is_asked = any(getattr(each, "has_gpus", False) for each in asked)
    if "ApiMachines" in kinds or is_asked:
        from nodeworthy.collect.aws.api_machines import machines_in_aws

        yield from machines_in_aws(facts)


def _scripts_in_fleet(found: FileContents, fleet: Fleet | None, why: str) -> list[Fact]:
    """Imported only where there is a script to read: most files are none."""
    if not found.scripts:
        return []
    from nodeworthy.facts.boot.pools import in_fleet
    from nodeworthy.facts.boot.unread_steps import not_followed

    scripts = [in_fleet(each, fleet, why) for each in found.scripts]
    return [*scripts, *not_followed(scripts)]


def _firewalls(found: FileContents, fleet: Fleet | None, why: str) -> Sequence[Fact]:
    """ufw's files that belong together are one firewall."""
    if not found.ufw:
        return []
    from nodeworthy.facts.firewall.ufw_files import firewalls

    return firewalls(found.ufw, fleet, why)


def _files_of_nodes(found: FileContents, fleet: Fleet | None, why: str) -> list[Fact]:
    """The files of nodes. Those that belong together are one node's."""
    if not found.node_files:
        return []
    from nodeworthy.facts.node.files import files_by_node
    from nodeworthy.facts.node.pools import with_its_pools

    return [with_its_pools(each, fleet, why) for each in files_by_node(found.node_files)]
