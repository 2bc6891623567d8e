"""The GPU stack of a cluster as a fact: how its parts fare, and the pods that need them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from nodeworthy.collect.cluster.kinds import CLUSTER_POLICIES, DAEMONSETS, NODES, PODS, SPEAKING
from nodeworthy.collect.cluster.not_seen import NotSeen
from nodeworthy.collect.cluster.seen import ClusterObjects
from nodeworthy.facts.cluster.gpu_stack import GpuStack, UnmadeWork, gpu_stack
from nodeworthy.facts.cluster.stuck_objects import stuck_objects
from nodeworthy.scene import Fact, Scene, make_scene
from nodeworthy.verdict import Place


def stack_of(seen: ClusterObjects, not_seen: NotSeen) -> Scene:
    missing = not_seen.missing(GpuStack, "no part of a GPU stack is in what was read", PODS)
    return make_scene(_facts(seen, not_seen), {GpuStack: missing})


def _facts(seen: ClusterObjects, not_seen: NotSeen) -> list[Fact]:
    kept = seen.capacity
    has_any = bool(seen.stack.daemonsets) or any(pod.part for pod in seen.pods.values()) or kept.has_gpus
    if not seen.has(PODS):
        return []
    daemonsets, said = seen.stack.daemonsets.values(), seen.stack.said
    found = gpu_stack(
        seen.pods.values(), kept.nodes, daemonsets, said, kept.now, logs=_last_words(seen), refused=seen.stack.refused
    )
    speaking = [each for kind in (CLUSTER_POLICIES, *SPEAKING) for each in seen.documents[kind].values()]
    objects = tuple(stuck_objects(speaking, kept.now, gpus_are_waited_for=bool(kept.waiting)))
    whole = replace(found, objects=objects, work=tuple(_unmade_work(seen)), unseen=_unseen(seen, not_seen))
    return [whole] if has_any or found.unsettled or objects or whole.work else []


def _unmade_work(seen: ClusterObjects) -> Iterator[UnmadeWork]:
    """An event outlives what it tells of: where there are pods, they were made since."""
    made = {
        f"{pod.owner[0]}/{pod.namespace}/{pod.owner[1]}" for pod in (*seen.capacity.holders, *seen.capacity.waiting)
    }
    for maker, words in seen.stack.refused_work.items():
        if maker not in made and not seen.outlives(maker):
            yield UnmadeWork(Place(object=maker), words)


def _last_words(seen: ClusterObjects) -> dict[str, str]:
    """Of its log; and beside it what kubelet ends it for, of which it knows nothing."""
    probed, words = seen.stack.probed, seen.words
    return {**words, **{told: "; ".join(filter(None, (said, words.get(told)))) for told, said in probed.items()}}


def _unseen(seen: ClusterObjects, not_seen: NotSeen) -> str | None:
    """What was left out of a dump on purpose is no reason; what was refused or cut off may hold what is stuck."""
    away = (
        each for each in (PODS, NODES, DAEMONSETS) if seen.was_kept_away(each) and not not_seen.may_be_refused(each)
    )
    return next((seen.why_not_all(each) for each in away), None)
