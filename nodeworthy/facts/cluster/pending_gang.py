"""Pods that a scheduler starts together or not at all, while there is no room for all of them."""

from __future__ import annotations

from collections.abc import Sequence

from nodeworthy.facts.cluster.asking_pod import AskingPod
from nodeworthy.facts.cluster.pending_said import PendingCause
from nodeworthy.facts.cluster.pending_world import PendingWorld
from nodeworthy.facts.pod.containers import holds_a_gpu
from nodeworthy.known.evidence import Evidence, in_text
from nodeworthy.patterns import pattern
from nodeworthy.verdict import NOWHERE, fail, unknown

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
            remedy=f"{known.remedy}; to be sure: {known.prove}",
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
