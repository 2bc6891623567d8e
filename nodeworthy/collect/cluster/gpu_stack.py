"""The GPU stack of a cluster as a fact: how its parts fare, and the pods that need them."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Iterator
from dataclasses import replace

from nodeworthy.collect.cluster.kinds import (
    CLUSTER_POLICIES,
    DAEMONSETS,
    JOB_SETS,
    LEADER_WORKER_SETS,
    MPI_JOBS,
    NODE_CLAIMS,
    NODE_CLASSES,
    NODE_POOLS,
    NODES,
    PODS,
    PYTORCH_JOBS,
    RAY_CLUSTERS,
    RUNTIME_CLASSES,
    SPEAKING,
    TRAIN_JOBS,
)
from nodeworthy.collect.cluster.not_seen import NotSeen
from nodeworthy.collect.cluster.seen import ClusterObjects
from nodeworthy.facts.cluster.asking_pod import AskingPod
from nodeworthy.facts.cluster.gpu_stack import UPGRADE, FailedMig, GpuStack, UnmadeWork, gpu_stack
from nodeworthy.facts.cluster.held_upgrades import held_upgrades
from nodeworthy.facts.cluster.makers import LABELS, Makers
from nodeworthy.facts.cluster.mig_refused import MigReason, by_its_words, why_not_cut
from nodeworthy.facts.cluster.pod import ClusterPod
from nodeworthy.facts.cluster.stack_daemonset import why_absent
from nodeworthy.facts.cluster.stuck_objects import Around, StuckObject, stuck_objects
from nodeworthy.facts.cluster.unplaced_parts import unplaced_parts
from nodeworthy.facts.cluster.unsettled_pods import UnsettledPods
from nodeworthy.facts.cluster.waiting_workers import waiting_workers
from nodeworthy.facts.operator.mig_layouts import OPERATORS_OWN
from nodeworthy.known.containerd import defaults
from nodeworthy.known.gpu_stack import (
    MIG_MANAGER,
    MULTUS,
    OPERATOR,
    VGPU_MANAGER,
    kinds_of_controller,
    serves_others,
    speakers,
)
from nodeworthy.scene import Fact, Scene, make_scene
from nodeworthy.verdict import Place

_MAKERS = (LEADER_WORKER_SETS, JOB_SETS, TRAIN_JOBS, PYTORCH_JOBS, MPI_JOBS)
# As the operator labels nodes whose driver is of its newest revision.
_UPGRADED = "upgrade-done"
_RAY, _RAY_TYPE = "ray.io/cluster", "ray.io/node-type"


def stack_of(seen: ClusterObjects, not_seen: NotSeen, stranded: Collection[str] = ()) -> Scene:
    """`stranded` are the pods that wait for nodes of Karpenter's, of which its own objects say why they do not come."""
    missing = not_seen.missing(GpuStack, "no part of a GPU stack is in what was read", PODS)
    return make_scene(_facts(seen, not_seen, stranded), {GpuStack: missing})


def starts_no_nodes(seen: ClusterObjects) -> bool:
    """Whether an object of Karpenter's says why it brings no nodes for pods that wait for GPUs."""
    around = Around(seen.capacity.now, bool(seen.capacity.waiting))
    speaking = (each for kind in (NODE_CLASSES, NODE_CLAIMS, NODE_POOLS) for each in seen.documents[kind].values())
    return next(stuck_objects(speaking, around), None) is not None


def _facts(seen: ClusterObjects, not_seen: NotSeen, stranded: Collection[str]) -> list[Fact]:
    kept = seen.capacity
    pods = list(_pods_that_matter(seen))
    has_any = bool(seen.stack.daemonsets) or any(pod.part for pod in pods) or kept.has_gpus
    if not seen.has(PODS):
        return []
    daemonsets, said = seen.stack.daemonsets.values(), seen.stack.said
    found = gpu_stack(
        pods,
        kept.nodes,
        daemonsets,
        said,
        kept.now,
        logs=_last_words(seen),
        users=seen.words_of_users,
        lingering=seen.words_of_lingering,
        refused=seen.stack.refused,
    )
    told = {pod.object for each in found.unsettled for pod in each.pods}
    objects = (*_stuck(seen, stranded, told), *_led(seen, told))
    whole = replace(
        found,
        unsettled=tuple(_with_what_it_lacks(each, seen) for each in found.unsettled),
        objects=objects,
        work=tuple(_unmade_work(seen)),
        not_cut=tuple(replace(each, reason=_why_not_cut(seen, each)) for each in found.not_cut),
        without_vgpus=tuple(
            replace(each, words=_said_by_its(VGPU_MANAGER, seen, each.node.name)) for each in found.without_vgpus
        ),
        unplaced=tuple(unplaced_parts(pods, kept.nodes.values(), kept.now, of_projects=seen.stack.of_projects)),
        held=tuple(held_upgrades(kept.nodes.values(), seen.pods.values(), seen.stack.budgets.values())),
        unseen=_unseen(seen, not_seen),
    )
    return [whole] if has_any or found.unsettled or found.unready or objects or whole.work else []


def _with_what_it_lacks(found: UnsettledPods, seen: ClusterObjects) -> UnsettledPods:
    return replace(
        found,
        names_no_class=_names_no_class(found, seen),
        no_networks=_no_networks(found, seen),
        volume=next(seen.shared.held_elsewhere(found.first, seen.pods), None),
    )


def _no_networks(found: UnsettledPods, seen: ClusterObjects) -> str:
    """Why Multus does not come to the node of a pod that asks it for networks, and has none of them."""
    multus = [pod for pod in seen.pods.values() if pod.part == MULTUS and pod.ready] if found.first.networks else []
    if not multus or any(pod.node == found.first.node for pod in multus):
        return ""
    why = why_absent(MULTUS, seen.capacity.nodes.get(found.first.node), seen.stack.daemonsets.values())
    return why or f"none of its pods is ready on node '{found.first.node}'"


def _names_no_class(found: UnsettledPods, seen: ClusterObjects) -> bool:
    """Whether the pod names no class although there is one: where another runtime is a node's default, NVIDIA's starts
    only pods that name it."""
    there = any(name.startswith(defaults().runtime_class) for _, name in seen.documents[RUNTIME_CLASSES])
    return there and found.by_its_own_words and not found.first.runtime_class


def _why_not_cut(seen: ClusterObjects, failed: FailedMig) -> MigReason | None:
    """The reason in the ConfigMap that the ClusterPolicy names; the operator makes its default one itself."""
    policy = next(iter(seen.documents[CLUSTER_POLICIES].values()), None)
    named = policy.get("spec", "migManager", "config", "name").text if policy is not None else None
    name = named or OPERATORS_OWN
    maps = [layouts for (_, own), layouts in seen.stack.mig_maps.items() if own == name]
    found = why_not_cut(failed.node.labels, name, maps[0]) if len(maps) == 1 else None
    return found or by_its_words(_said_by_its(MIG_MANAGER, seen, failed.node.name))


def _said_by_its(part: str, seen: ClusterObjects, node: str) -> str:
    managers = (pod for pod in seen.pods.values() if pod.part == part and pod.node == node)
    words = (seen.words_while_ready.get(pod.object) or seen.words.get(pod.object, "") for pod in managers)
    return next(filter(None, words), "")


def _pods_that_matter(seen: ClusterObjects) -> Iterable[ClusterPod]:
    """Where nobody has GPUs, queues and schedulers are not ours."""
    return seen.pods.values() if _has_gpus(seen) else (each for each in seen.pods.values() if _is_ours(each.part))


def _has_gpus(seen: ClusterObjects) -> bool:
    return seen.capacity.has_gpus or any(node.has_gpus for node in seen.capacity.nodes.values())


def _is_ours(part: str) -> bool:
    return part not in serves_others()


def _stuck(seen: ClusterObjects, stranded: Collection[str], told: Collection[str]) -> Iterator[StuckObject]:
    """Pods for which Karpenter brings no nodes are told with what keeps it from that."""
    kept = seen.capacity
    around = Around(
        kept.now,
        bool(kept.waiting),
        _unstarted(seen, told),
        _heads(seen),
        frozenset(each.maker for each in kept.quotas),
        _makers(seen),
        _parts_run(seen),
        sorted(seen.stack.outdated),
        seen.words_of_starters,
    )
    speaking = [each for kind in (CLUSTER_POLICIES, NODE_POOLS, *SPEAKING) for each in seen.documents[kind].values()]
    speaking += seen.stack.ending.values()
    for each in stuck_objects(speaking, around):
        yield replace(each, victims=tuple(stranded)) if each.starts_nodes else each


def _parts_run(seen: ClusterObjects) -> bool:
    """Whether all of the stack was seen, and runs, and no node's driver is being changed."""
    if any(node.labels.get(UPGRADE, _UPGRADED) != _UPGRADED for node in seen.capacity.nodes.values()):
        return False
    parts = [pod for pod in seen.pods.values() if pod.part and _is_ours(pod.part) and not pod.is_over]
    made = {(pod.namespace, pod.daemonset) for pod in parts}
    wanted = seen.stack.daemonsets.keys() - seen.stack.idle
    return seen.has_all(PODS) and seen.has_all(DAEMONSETS) and wanted <= made and all(pod.ready for pod in parts)


def _makers(seen: ClusterObjects) -> Makers:
    kept, stack = seen.capacity, seen.stack
    pods = seen.pods.values() if any(seen.documents[kind] for kind in _MAKERS) else ()
    asking = (*kept.holders, *kept.waiting)
    return Makers(
        kept.now,
        seen.has_all(PODS),
        stack.refused_makers,
        frozenset((*stack.refused_work, *(each.maker for each in kept.quotas))),
        Counter((label, pod.namespace, pod.labels[label]) for pod in pods for label in LABELS if label in pod.labels),
        Counter(map(_maker_of, asking)) if pods else {},
        {
            kind: _fares(pod)
            for pod in pods
            if pod.controls and not pod.ready
            for kind in kinds_of_controller(pod.controls)
        },
        kept.events.groups,
        frozenset((each.namespace, each.group) for each in asking if each.group),
    )


def _maker_of(pod: AskingPod) -> str:
    return f"{pod.owner[0]}/{pod.namespace}/{pod.owner[1]}"


def _fares(pod: ClusterPod) -> str:
    restarts = f" after {pod.restarts} restarts" if pod.restarts else ""
    return f"{pod.object} is {'in ' + pod.fault if pod.fault else 'not ready'}{restarts}"


def _unstarted(seen: ClusterObjects, told: Collection[str]) -> dict[tuple[str, str], list[str]]:
    found: dict[tuple[str, str], list[str]] = defaultdict(list)
    for pod in seen.pods.values():
        if pod.claims and pod.waits_for_its_sandbox and pod.object not in told:
            for template in pod.claims:
                found[pod.namespace, template].append(pod.object)
    return found


def _heads(seen: ClusterObjects) -> dict[tuple[str, str], tuple[str, str]]:
    """The heads of Ray clusters that wait for a node. One that asks for GPUs itself is told elsewhere, with its
    reason."""
    found = {}
    for key, pod in seen.pods.items():
        cluster = pod.labels.get(_RAY) if pod.labels.get(_RAY_TYPE) == "head" else None
        if cluster and pod.phase == "Pending" and not pod.node and not pod.wants_gpus:
            said = seen.capacity.events.unplaced.get(key, ("", ""))[1] or pod.unplaced
            found[pod.namespace, cluster] = (pod.object, said)
    return found


def _led(seen: ClusterObjects, told: Collection[str]) -> Iterator[StuckObject]:
    """A Ray head on no node is told with its RayCluster, where that is there."""
    known = {(namespace, name) for namespace, name in seen.documents[RAY_CLUSTERS]}
    heads = {found[0] for key, found in _heads(seen).items() if key in known} if known else set()
    if seen.has_all(PODS):
        yield from waiting_workers(seen.pods.values(), seen.capacity.now, seen.words, {*told, *heads})


def _unmade_work(seen: ClusterObjects) -> Iterator[UnmadeWork]:
    """An event outlives what it tells of: where there are pods, they were made since."""
    made = set(map(_maker_of, (*seen.capacity.holders, *seen.capacity.waiting)))
    for maker, words in seen.stack.refused_work.items():
        if maker not in made and not seen.outlives(maker):
            yield UnmadeWork(Place(object=maker), words)
    for maker, (part, words) in seen.stack.refused_parts.items():
        _, namespace, name = maker.split("/")
        if (_is_ours(part) or _has_gpus(seen)) and not any(
            pod.namespace == namespace and pod.name.startswith(f"{name}-") for pod in seen.pods.values()
        ):
            yield UnmadeWork(Place(object=maker), words, part)


def _last_words(seen: ClusterObjects) -> dict[str, str]:
    """The last words of each pod's log. Beside them stands what kubelet ends the pod for, which the log does not know.
    A pod without an image has no log."""
    probed, words, unpulled = seen.stack.probed, seen.words, seen.stack.unpulled
    imageless = (pod.object for pod in seen.pods.values() if pod.lacks_its_image and pod.object in unpulled)
    speak = (pod.object for pod in seen.pods.values() if pod.part in (OPERATOR, *speakers()) and pod.ready)
    while_ready = seen.words_while_ready
    return {
        **words,
        **{told: while_ready[told] for told in speak if told in while_ready},
        **{told: unpulled[told] for told in imageless},
        **{told: "; ".join(filter(None, (said, words.get(told)))) for told, said in probed.items()},
    }


def _unseen(seen: ClusterObjects, not_seen: NotSeen) -> str | None:
    """What was left out of a dump on purpose is no reason; what was refused or cut off may hold what is stuck."""
    away = (
        each
        for each in (PODS, NODES, DAEMONSETS, *SPEAKING)
        if seen.was_kept_away(each) and not not_seen.may_be_refused(each)
    )
    return next((seen.why_not_all(each) for each in away), None)
