"""Pods that wait because others hold the GPUs: who, how many, since when."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from datetime import datetime

from nodeworthy.facts.cluster.asking_pod import AskingPod
from nodeworthy.facts.cluster.node_gpus import NodeGpus
from nodeworthy.facts.cluster.pending_said import PendingCause
from nodeworthy.facts.cluster.pending_world import PendingWorld
from nodeworthy.records import dataclass
from nodeworthy.verdict import NOWHERE, Place, Related, fail

_SHOWN = 4
_PACK = "let small pods share nodes (pack them by the scheduler's MostAllocated), or wait until a node is empty"
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
            remedy=_PACK if scattered else _ended(who),
            related=tuple(Related(each.place, each.says) for each in who[:_SHOWN]),
            nodes=[node.name for node in nodes],
        ),
        more_nodes_help=True,
    )


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
