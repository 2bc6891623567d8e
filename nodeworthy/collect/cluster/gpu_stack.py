"""The GPU stack of a cluster as a fact: how its parts fare, and the pods that need them."""

from __future__ import annotations

from nodeworthy.collect.cluster.kinds import NODES, PODS
from nodeworthy.collect.cluster.not_seen import NotSeen
from nodeworthy.collect.cluster.seen import Seen
from nodeworthy.facts.cluster.gpu_stack import GpuStack, gpu_stack
from nodeworthy.scene import Fact, Scene, make_scene


def stack_of(seen: Seen, not_seen: NotSeen) -> Scene:
    missing = not_seen.missing(GpuStack, "no part of a GPU stack is in what was read", PODS)
    return make_scene(_facts(seen), {GpuStack: missing})


def _facts(seen: Seen) -> list[Fact]:
    kept = seen.capacity
    has_any = bool(seen.stack.daemonsets) or any(pod.part for pod in seen.pods.values()) or kept.has_gpus
    if not seen.has(PODS) or not has_any:
        return []
    nodes = kept.nodes if seen.has(NODES) else {}
    found = gpu_stack(seen.pods.values(), nodes, seen.stack.daemonsets.values(), seen.stack.said, kept.now)
    return [found]
