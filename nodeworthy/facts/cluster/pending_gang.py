"""Pods that a scheduler starts together or not at all, while there is no room for all of them."""

from __future__ import annotations

from collections.abc import Sequence

from nodeworthy.facts.cluster.asking_pod import AskingPod
from nodeworthy.facts.cluster.pending_said import PendingCause
from nodeworthy.facts.cluster.pending_world import PendingWorld
from nodeworthy.facts.pod.containers import holds_a_gpu
from nodeworthy.patterns import pattern
from nodeworthy.verdict import NOWHERE, fail

# Volcano's words, those of the scheduler plugin for coscheduling, and YuniKorn's.
_GANG = pattern(
    r"pod ?group is not ready|gang unschedulable|minAvailable|minMember|cannot find enough sibling pods|"
    r"PodGroup .{1,300} gets rejected|gang placeholder"
)
_ANNOUNCED = pattern(r"(?P<there>\d+) Pending, (?P<wanted>\d+) minAvailable|"
                     r"current pods number: (?P<siblings>\d+), minMember of group: (?P<members>\d+)")  # fmt: skip


def is_of_a_gang(words: str) -> bool:
    return _GANG.search(words) is not None


def gang(pods: Sequence[AskingPod], words: str, world: PendingWorld) -> PendingCause:
    asked = {name: sum(pod.amounts[name] for pod in pods) for name in pods[0].amounts if holds_a_gpu(name)}
    resource, total = max(asked.items(), key=lambda each: each[1])
    free = sum(world.free(node, resource) for node in world.chosen(pods[0].choice, resource))
    missing = _missing(words)
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


def _missing(words: str) -> int:
    """How many of the group have not been made yet, where its scheduler says so."""
    found = _ANNOUNCED.search(words)
    if found is None:
        return 0
    return max(int(found["wanted"] or found["members"]) - int(found["there"] or found["siblings"]), 0)
