"""What a rollout would do, before anything is done: whom, in which order, who would be evicted, what forbids it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import field, replace
from typing import Any

from nodeworthy.documents.plain import at, mapping_at, mappings_at, text_at
from nodeworthy.facts.gpus_in_words import gpus_in_words
from nodeworthy.records import dataclass
from nodeworthy.rollout.journal import Journal, Lane, Terms
from nodeworthy.rollout.stale import AuditedGroup, former_version
from nodeworthy.rollout.world import Machine, Node, Pod, World

AUTO = "auto"
NEWEST = "newest"


@dataclass(frozen=True)
class RolloutRequest:
    """What somebody asks for of it."""

    terms: Terms
    # auto, 0, 1
    surge: str = AUTO
    only_stale: bool = True
    # By their names, and no others.
    nodes: tuple[str, ...] = ()
    # Whether capacity may be lost for good.
    may_lose: bool = False
    # The version that the group is to be set to first; None: it stays at its own.
    to: str | None = None


@dataclass(frozen=True)
class Candidate:
    machine: Machine
    node: Node | None
    # In what it is old.
    old: str

    @property
    def title(self) -> str:
        return f"{self.node.name} ({self.machine.id})" if self.node is not None else self.machine.id


@dataclass(frozen=True)
class RolloutPlan:
    world: World
    found: AuditedGroup
    terms: Terms
    # In their order; the first is the canary.
    order: Sequence[Candidate]
    former: str
    target: str
    # By node, why it is left as it is.
    left_out: Mapping[str, str]
    # Why it does not begin.
    refusals: Sequence[str]
    # Why it is not known whether it could.
    unknown: Sequence[str] = field(default_factory=tuple)
    # What is said of its capacity.
    capacity: str = ""
    # By whom nodes are replaced where we may not, as people run it.
    owner_command: str = ""

    @property
    def may_begin(self) -> bool:
        return bool(self.order) and not self.refusals and not self.unknown

    def journal(self, identifier: str, where: Mapping[str, str], image: str) -> Journal:
        group = self.world.group
        lanes = [
            Lane(
                each.machine.id,
                each.node.name if each.node is not None else "",
                kept=each.node.kept if each.node is not None and self.terms.keeps_labels else {},
                was_protected=each.machine.is_protected,
            )
            for each in self.order
        ]
        return Journal(
            identifier,
            group.name,
            where["region"],
            where["account"],
            where["server"],
            group.named_version,
            self.former,
            self.target,
            group.desired,
            group.smallest,
            group.largest,
            self.terms,
            lanes,
            tuple(each.id for each in self.world.machines),
            sets_version=group.version != self.target,
            image=image,
            # AWS takes a refresh back only to a version that has a number, and to an image that has an id.
            rolls_back=group.named_version.isdecimal() and not self.found.running.image_by,
        )


def plan(world: World, found: AuditedGroup, asked: RolloutRequest, target: str) -> RolloutPlan:
    chosen, left_out = _chosen(world, found, asked)
    order = sorted(chosen, key=_rank)
    may_grow = asked.surge == AUTO and not found.no_room and not found.is_reserved and not asked.terms.by_refresh
    new_first = asked.surge == "1" or may_grow
    terms = replace(asked.terms, new_first=new_first)
    command = _owners_command(found, target)
    refusals = [
        *_of_owner(found, command),
        *(_refusals(world, found, asked, order, new_first=new_first) if order else ()),
    ]
    blocks = [why for each in order for why in blocks_of(each, terms)]
    unknown = [f"which nodes are stale is not known: {found.unknown}"] if found.unknown and asked.only_stale else []
    return RolloutPlan(
        world,
        found,
        terms,
        order,
        former_version(found),
        target,
        left_out,
        [*refusals, *blocks],
        unknown,
        _capacity(found, asked, new_first=new_first),
        command,
    )


def _chosen(world: World, found: AuditedGroup, asked: RolloutRequest) -> tuple[list[Candidate], dict[str, str]]:
    chosen: list[Candidate] = []
    left_out: dict[str, str] = {}
    for machine in world.machines:
        node = world.node_of(machine.id)
        name = node.name if node is not None else machine.id
        why = _why_left(machine, node, found, asked, name)
        if why:
            left_out[name] = why
        elif machine.is_there:
            chosen.append(Candidate(machine, node, found.stale.get(machine.id, "")))
    return chosen, left_out


def _why_left(machine: Machine, node: Node | None, found: AuditedGroup, asked: RolloutRequest, name: str) -> str:
    if not machine.is_there:
        return f"it is {machine.state} already"
    if asked.nodes and name not in asked.nodes:
        return "--node names others"
    if asked.only_stale and machine.id not in found.stale:
        return "it is what its group would start now"
    if node is not None and node.opted_out and name not in asked.nodes:
        return f"it opted out by its label {node.opted_out} (--node {name} replaces it)"
    return ""


def _rank(each: Candidate) -> tuple[bool, bool, bool, int, str]:
    """The order in which nodes are taken. First come those that are away already: that costs nothing, and no other may
    be taken beside them. Then idle nodes, then those whose work ends soonest. Last come those that opted out and were
    named."""
    if each.node is None:
        return (False, False, False, 0, each.machine.id)
    ends = [one.seconds_left if one.seconds_left is not None else 1 << 31 for one in _gpu_pods(each.node)]
    soonest = max(ends, default=0)
    return (not each.node.away, bool(each.node.opted_out), not each.node.is_idle, soonest, each.node.name)


def _gpu_pods(node: Node) -> Sequence[Pod]:
    return [each for each in node.guests if each.gpus]


# Why it does not begin


# Cluster API's provider tags a group so that a machine pool of its has.
_OF_CLUSTER_API = "sigs.k8s.io/cluster-api-provider-aws/cluster/"


def _of_owner(found: AuditedGroup, command: str) -> Iterator[str]:
    if any(text_at(each, "Key").startswith(_OF_CLUSTER_API) for each in mappings_at(found.data, "Tags")):
        yield (
            f"Cluster API owns the nodes of {found.name}, and sets the group back to what its machine pool says: "
            f"kubectl edit awsmachinepool {found.name} changes that, and then it replaces them itself"
        )
    if command:
        yield f"EKS owns the nodes of {found.name}, and replaces them itself: {command}"


def _owners_command(found: AuditedGroup, target: str) -> str:
    nodes = found.running.nodes
    if not nodes.is_managed or nodes.group is None:
        return ""
    cluster = nodes.groups("clusterName").text or "CLUSTER"
    name = nodes.groups("nodeGroupName").text or nodes.group.name
    to = f" --launch-template version={target},id={_template_id(found.data)}" if _template_id(found.data) else ""
    return f"aws eks update-nodegroup-version --cluster-name {cluster} --nodegroup-name {name}{to}"


def _template_id(data: Mapping[str, Any]) -> str:
    return text_at(data, "LaunchTemplate", "LaunchTemplateId")


def _refusals(
    world: World, found: AuditedGroup, asked: RolloutRequest, order: Sequence[Candidate], *, new_first: bool
) -> Iterator[str]:
    group = world.group
    if asked.terms.by_refresh and found.no_drain:
        yield f"an instance refresh does not drain {group.name}: {found.no_drain}"
    there = [each for each in world.machines if each.is_there]
    if group.refresh:
        yield f"the instance refresh {group.refresh} of {group.name} is under way"
    if group.desired != len(there):
        yield f"{group.name} is to have {group.desired} nodes, and has {len(there)}"
    for each in there:
        if not each.is_healthy:
            yield f"{each.id} is not healthy by the word of auto scaling"
    templates = mappings_at(mapping_at(found.data, "MixedInstancesPolicy", "LaunchTemplate"), "Overrides")
    if any(at(each, "LaunchTemplateSpecification") for each in templates):
        yield f"{group.name} starts from several launch templates"
    if not at(found.data, "LaunchTemplate") and not found.running.version:
        yield f"{group.name} has no launch template: to what version nodes are replaced can't be said"
    yield from _away(world, asked, order)
    if not new_first and not found.is_reserved and not asked.may_lose:
        yield (
            f"there is no room for one node more ({found.no_room or '--surge 0'}), so that each is ended before its "
            "successor is started, and AWS may have none left: --yes-may-lose-capacity accepts that"
        )
    yield from found.warnings


def _away(world: World, asked: RolloutRequest, order: Sequence[Candidate]) -> Iterator[str]:
    """The refusals of more nodes away than --max-unavailable allows, whoever took them."""
    chosen = {each.machine.id for each in order}
    away = world.unavailable()
    for machine in away:
        node = world.node_of(machine)
        if node is not None and node.mark:
            yield f"{node.name} is cordoned by rollout {node.mark}: that one is not over (--resume its file)"
        elif node is not None and node.is_cordoned and machine in chosen:
            yield f"{node.name} is cordoned by somebody else, who has to lift that first"
    others = [why for machine, why in away.items() if machine not in chosen]
    if len(others) >= asked.terms.most_unavailable:
        most = asked.terms.most_unavailable
        yield f"as many nodes are away as may be (--max-unavailable {most}): {'; '.join(others)}"


def blocks_of(each: Candidate, terms: Terms) -> Iterator[str]:
    """The reasons why a node can't be emptied."""
    if each.node is None:
        return
    for volume in each.node.local_volumes:
        yield f"{each.title} holds the local volume {volume}: its data would be lost"
    for one in each.node.guests:
        if one.title not in terms.evict:
            yield from _unless_named(one, each, terms)
        yield from _of_budgets(one, each)


def _unless_named(pod: Pod, each: Candidate, terms: Terms) -> Iterator[str]:
    if pod.blocks:
        yield f"{pod.title} on {each.title} {pod.blocks} (--evict {pod.title})"
    elif pod.is_gpu_job and terms.job_seconds is None and pod.seconds_left is None:
        gpus = gpus_in_words(pod.gpus)
        yield (
            f"{pod.title} computes on {gpus} of {each.title} since {pod.since}, and declares no end "
            f"(--wait-for-jobs TIME, or --evict {pod.title})"
        )


def _of_budgets(pod: Pod, each: Candidate) -> Iterator[str]:
    if len(pod.budgets) > 1:
        named = " and ".join(f"{one.namespace}/{one.name}" for one in pod.budgets)
        yield f"{pod.title} on {each.title} has two budgets, and can't be evicted: {named}"
        return
    for one in pod.budgets:
        if one.allowed < 1:
            yield f"{pod.title} on {each.title} can't be evicted: the budget {one.told}"


def _capacity(found: AuditedGroup, asked: RolloutRequest, *, new_first: bool) -> str:
    if new_first:
        return "one more is started and proven before each node goes (--surge 1)"
    if found.is_reserved:
        return "each node goes first, and its successor takes its place in the reservation"
    return f"each node goes first: {'--surge 0' if asked.surge == '0' else found.no_room}"
