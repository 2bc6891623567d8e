"""Pods that wait because others hold the GPUs: who, how many, since when."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime

from nodeworthy.facts.cluster.asking_pod import AskingPod
from nodeworthy.facts.cluster.no_library import without_library
from nodeworthy.facts.cluster.node import GPU
from nodeworthy.facts.cluster.node_gpus import NodeGpus
from nodeworthy.facts.cluster.pending_cause import PendingCause
from nodeworthy.facts.cluster.pending_world import PendingWorld
from nodeworthy.facts.pod.containers import holds_a_gpu
from nodeworthy.known.evidence import Evidence, in_text
from nodeworthy.patterns import pattern
from nodeworthy.records import dataclass
from nodeworthy.verdict import NOWHERE, Place, Related, fail, unknown

_SHOWN = 4
_PACK = "let small pods share nodes (pack them by the scheduler's MostAllocated), or wait until a node is empty"
_BY_NODES = (
    "; Kueue admits by sums of quota, whether or not one node has room: let its flavor know nodes (topology-aware "
    "scheduling: topologyName, level kubernetes.io/hostname), or let waitForPodsReady queue again what finds none"
)
_END = "end what is done (nodeworthy diagnose --ledger tells who holds them), or give what matters a PriorityClass"


@dataclass(frozen=True)
class Holding:
    """What the pods of one maker hold."""

    made_by: str
    place: Place
    amount: int
    pods: int
    priority: int
    since: datetime | None
    # The first of its pods that was told to end and has not.
    ending: str = ""

    @property
    def says(self) -> str:
        pods = "" if self.pods == 1 else f" in {self.pods} pods"
        since = f" since {self.since:%Y-%m-%d %H:%M}Z" if self.since else ""
        ending = f", and {self.ending} is being deleted" if self.ending else ""
        return f"{self.made_by} holds {self.amount}{pods}{since}, priority {self.priority}{ending}"


def holdings(pods: Sequence[AskingPod], resource: str) -> list[Holding]:
    """The largest first."""
    by_maker: dict[str, list[AskingPod]] = defaultdict(list)
    for each in pods:
        by_maker[each.made_by].append(each)
    found = [_holding(maker, some, resource) for maker, some in by_maker.items()]
    return sorted(found, key=lambda each: (-each.amount, each.made_by))


def _holding(maker: str, pods: Sequence[AskingPod], resource: str) -> Holding:
    return Holding(
        maker,
        pods[0].place,
        sum(each.amounts.get(resource, 0) for each in pods),
        len(pods),
        max(each.priority for each in pods),
        min((each.since for each in pods if each.since is not None), default=None),
        next((f"{each.namespace}/{each.name}" for each in pods if each.terminating), ""),
    )


def cause_of_held(
    pod: AskingPod, asked: tuple[str, int], nodes: Sequence[NodeGpus], taints: Mapping[str, int], world: PendingWorld
) -> PendingCause:
    resource, amount = asked
    free = [world.free(node, resource) for node in nodes]
    who = holdings(world.holders(nodes, resource), resource)
    there = sum(node.allocatable.get(resource, 0) for node in nodes)
    besides = "".join(f"; {_more(count)} them away: {taint}" for taint, count in sorted(taints.items())[:2])
    named = ", ".join(each.says for each in who[:_SHOWN]) + (" …" if len(who) > _SHOWN else "")
    scattered = sum(free) >= amount
    return PendingCause(
        ("scattered" if scattered else "held", resource, pod.choice.written),
        fail(
            NOWHERE,
            f"{sum(free)} {resource} are free, and at most {max(free)} of them on one node"
            if scattered
            else f"the {resource} that they may have are held",
            is_=f"{there - sum(free)} of {there} held on {_nodes(len(nodes))}",
            should=f"{amount} free on one node",
            cause=f"{named}{besides}{_priorities(pod, who)}",
            remedy=_packed(world) if scattered else _ended(who),
            related=[*(Related(each.place, each.says) for each in who[:_SHOWN]), *_unoffered(resource, nodes, world)],
            nodes=[node.name for node in nodes],
        ),
        more_nodes_help=True,
    )


def _unoffered(resource: str, nodes: Sequence[NodeGpus], world: PendingWorld) -> Iterator[Related]:
    """A node of which nobody says that it has GPUs, and whose device plugin finds no driver: it may be one that has."""
    if world.telling_plugin is None or resource != GPU:
        return
    pod, words = world.telling_plugin
    node, known = world.nodes.get(pod.node), next((each.evidence for each in in_text(words)), None)
    if node is None or node in nodes or known is None:
        return
    lacks = without_library(pod, known, node.starts_containers) or (known.why, known.mending)
    if not known.is_symptom:
        yield Related(pod.place, f"if {node.title} has GPUs, it offers none: {lacks[0]}; {lacks[1]}")


def _packed(world: PendingWorld) -> str:
    return f"{_PACK}{_BY_NODES if world.has_quotas else ''}"


def _more(count: int) -> str:
    return "one more node keeps" if count == 1 else f"{count} more nodes keep"


def _ended(who: Sequence[Holding]) -> str:
    ending = next((each.ending for each in who if each.ending), None)
    if ending is None:
        return _END
    namespace, _, name = ending.partition("/")
    return f"see why it does not end (a finalizer, its node's kubelet): kubectl describe pod -n {namespace} {name}"


def _nodes(count: int) -> str:
    return "one node" if count == 1 else f"{count} nodes"


def _priorities(pod: AskingPod, who: Sequence[Holding]) -> str:
    lower = [each for each in who if each.priority < pod.priority]
    if not lower:
        return f"; none of them has a lower priority than theirs ({pod.priority})"
    if pod.never_preempts:
        return f"; {len(lower)} have a lower priority, and their own preemptionPolicy is Never"
    return ""


# Pods that a scheduler starts together or not at all, while there is no room for all of them.


_ANNOUNCED = pattern(r"(?P<there>\d+) Pending, (?P<wanted>\d+) minAvailable|"
                     r"current pods number: (?P<siblings>\d+), minMember of group: (?P<members>\d+)")  # fmt: skip


def gang(pods: Sequence[AskingPod], words: str, world: PendingWorld) -> PendingCause:
    refused = next(filter(None, map(world.said_of_group, pods)), "")
    known = next((each.evidence for each in in_text(refused)), None)
    if known is not None:
        return _refused(pods, refused, known)
    asked = {name: sum(pod.amounts[name] for pod in pods) for name in pods[0].amounts if holds_a_gpu(name)}
    resource, total = max(asked.items(), key=lambda each: each[1])
    free = sum(world.free(node, resource) for node in world.chosen(pods[0].choice, resource))
    missing = _missing(words)
    if free >= total and not missing and _ANNOUNCED.search(words):
        return _though_there_is_room(pods, words, f"{total} {resource}")
    return PendingCause(
        ("gang", pods[0].scheduler, words),
        fail(
            NOWHERE,
            "their group starts together or not at all, and "
            + (f"{missing} of its pods are not there" if missing else "not all of them have room"),
            is_=words,
            should=f"room for all of them at once: {total} {resource}",
            cause=f"{pods[0].scheduler} places no pod of a group before it can place its least number; these "
            f"{len(pods)} ask for "
            f"{total} {resource} together, {free} are free on nodes that they may have",
            remedy="see why the others of the group were not made: kubectl describe podgroups -A"
            if missing
            else "end what is done (nodeworthy diagnose --ledger tells who holds GPUs), or let the group be smaller",
        ),
    )


def _refused(pods: Sequence[AskingPod], words: str, known: Evidence) -> PendingCause:
    """What is said of the group itself."""
    return PendingCause(
        ("group", pods[0].scheduler, words),
        fail(
            NOWHERE,
            f"their group is not let in: {known.says}",
            is_=words,
            should="a group that its scheduler takes",
            cause=known.cause,
            remedy=known.mending,
        ),
    )


def _though_there_is_room(pods: Sequence[AskingPod], words: str, asked: str) -> PendingCause:
    """All of the group are there, and the GPUs, too: only its scheduler knows what else it wants."""
    return PendingCause(
        ("gang", pods[0].scheduler, words),
        unknown(
            NOWHERE,
            f"their group is whole and {asked} are free for it, and what else {pods[0].scheduler} waits for, it does "
            "not say of the pods",
            is_=words,
            remedy="kubectl describe podgroups -A, whose events name a queue that is full; kubectl get queues -o yaml",
        ),
    )


def _missing(words: str) -> int:
    """How many of the group have not been made yet, where its scheduler says so."""
    found = _ANNOUNCED.search(words)
    if found is None:
        return 0
    return max(int(found["wanted"] or found["members"]) - int(found["there"] or found["siblings"]), 0)
