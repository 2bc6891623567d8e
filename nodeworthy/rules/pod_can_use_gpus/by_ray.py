"""Whether KubeRay, and Kueue before it, take what asks for GPUs; and whether Ray counts the GPUs that are there."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from nodeworthy.documents.settled import why_incomplete
from nodeworthy.documents.tree import Tree
from nodeworthy.facts.pod.containers import GPU
from nodeworthy.facts.pod.refused import PodRefusal, draft_of_refusals
from nodeworthy.facts.pod.template import PodTemplate
from nodeworthy.rules.pod_can_use_gpus import RULE, is_told_of_another
from nodeworthy.verdict import Findings, fail, skip, value_if_known

_GROUP = "ray.io/"
_QUEUE = "kueue.x-k8s.io/queue-name"
# What holds the cluster, by kind.
_CLUSTERS = {"RayCluster": ("spec",), "RayJob": ("spec", "rayClusterSpec"), "RayService": ("spec", "rayClusterConfig")}
_COUNT = "num-gpus"


@RULE.check
def ray_is_taken(pod: PodTemplate, every: Sequence[PodTemplate]) -> Findings:
    api = pod.document.get("apiVersion").string
    if pod.live is not None or not pod.uses_gpus or pod.elsewhere is not None or not api.startswith(_GROUP):
        skip("it is none of Ray's, asks for no GPUs, or others say the rest of it")
    if is_told_of_another(pod, every) or why_incomplete(pod.document.get("spec")) is not None:
        return
    for who, found in _refusals(pod):
        yield draft_of_refusals(f"{who} refuses this: {pod.kind} '{pod.name}'", found, "no pod of it is made")


def _refusals(pod: PodTemplate) -> Iterator[tuple[str, list[PodRefusal]]]:
    cluster = _cluster(pod)
    for who, found in (
        ("The API server", list(_no_texts(cluster))),
        ("KubeRay", [*_of_its_workers(cluster), *_keeps_what_it_ends(pod)]),
        ("Kueue", list(_of_kueue(pod))),
    ):
        if found:
            yield who, found


def _cluster(pod: PodTemplate) -> Tree:
    return pod.document.get(*_CLUSTERS.get(pod.kind, ("spec",)))


def _groups(cluster: Tree) -> tuple[Tree, ...]:
    return (cluster.get("headGroupSpec"), *cluster.get("workerGroupSpecs").sequence)


def _no_texts(cluster: Tree) -> Iterator[PodRefusal]:
    """Source: kuberay, ray-operator/apis/ray/v1: rayStartParams is a map of texts."""
    for group in _groups(cluster):
        for name, tree in group.get("rayStartParams").mapping.items():
            if isinstance(tree.value, (bool, int, float)):
                written = tree.written or str(tree.value).lower()
                says = f"gives {name} among rayStartParams as {tree.kind()}, where a text stands"
                cause = f'rayStartParams.{name}: Invalid value: must be of type string, not "{tree.kind()}"'
                yield PodRefusal(tree.place, says, f"{name}: {written}", f'{name}: "{written}"', cause)


def _of_its_workers(cluster: Tree) -> Iterator[PodRefusal]:
    """Source: kuberay, ray-operator/controllers/ray/utils/validation.go."""
    for group in cluster.get("workerGroupSpecs").sequence:
        least, most = group.get("minReplicas"), group.get("maxReplicas")
        if isinstance(least.value, int) and isinstance(most.value, int) and least.value > most.value:
            yield PodRefusal(
                least.place,
                f"asks for {least.value} workers of {group.get('groupName').text} at least, and {most.value} at most",
                f"minReplicas: {least.value}, maxReplicas: {most.value}",
                f"minReplicas: {most.value} at most",
                "minReplicas is greater than maxReplicas",
            )


def _keeps_what_it_ends(pod: PodTemplate) -> Iterator[PodRefusal]:
    """Source: ray-project/kuberay#3653, merged in May 2025; before KubeRay 1.4 the time was passed over."""
    spec = pod.document.get("spec")
    after, ends = spec.get("ttlSecondsAfterFinished"), spec.get("shutdownAfterJobFinishes")
    if pod.kind == "RayJob" and isinstance(after.value, int) and after.value > 0 and _is_off(ends):
        yield PodRefusal(
            after.place,
            "says when its cluster is to go, and that it stays",
            f"ttlSecondsAfterFinished: {after.value}, and no shutdownAfterJobFinishes",
            "shutdownAfterJobFinishes: true beside it",
            "a RayJob with shutdownAfterJobFinishes set to false cannot have TTLSecondsAfterFinished (before "
            "KubeRay 1.4 it was taken, and kept its cluster with its GPUs)",
        )


def _of_kueue(pod: PodTemplate) -> Iterator[PodRefusal]:
    """Source: kueue, pkg/controller/jobs/rayjob/rayjob_webhook.go."""
    metadata = pod.document.get("metadata")
    queue, selects = metadata.get("labels", _QUEUE), pod.document.get("spec", "clusterSelector")
    ends = pod.document.get("spec", "shutdownAfterJobFinishes")
    if pod.kind == "RayJob" and queue.text and selects.is_absent and _is_off(ends):
        yield PodRefusal(
            queue.heading,
            f"comes by the queue {queue.text}, and keeps its cluster",
            "no shutdownAfterJobFinishes",
            "shutdownAfterJobFinishes: true",
            "a kueue managed job should delete the cluster after finishing",
        )


def _is_off(tree: Tree) -> bool:
    return tree.is_absent or tree.value is False


@RULE.check
def ray_counts_the_gpus_that_it_has(pod: PodTemplate) -> Findings:
    group = next((each for each in _groups(_cluster(pod)) if each.get("template").place == pod.template.place), None)
    if pod.live is not None or pod.elsewhere is not None or group is None:
        skip("it is no group of Ray's, or others say the rest of it")
    said = group.get("rayStartParams", _COUNT)
    asked = [each for each in pod.containers if not each.is_init and each.gpu_resources == (GPU,)]
    has = value_if_known(asked[0].asks_for(GPU)) if len(asked) == 1 else None
    counted = int(said.text) if said.text is not None and said.text.isdigit() else None
    if not pod.document.get("apiVersion").string.startswith(_GROUP) or has is None or counted is None:
        skip("nobody says otherwise how many GPUs Ray has there")
    if counted > has:
        yield fail(
            said.place,
            f"Ray counts {counted} GPUs in each pod of {pod.title}, and it has {has}",
            is_=f'{_COUNT}: "{counted}"',
            should=f"no {_COUNT}: KubeRay takes the number of nvidia.com/gpu",
            cause="Ray starts as many tasks and actors as it counts GPUs, and gives those beyond the last one a device "
            "that is not there: CUDA error, invalid device ordinal",
            remedy=f"delete {_COUNT}, or ask for {counted} of nvidia.com/gpu",
        )
