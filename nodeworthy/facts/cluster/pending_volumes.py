"""Pods with GPUs that wait for a volume: its claim is not bound, or it lies where no node with GPUs is."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from nodeworthy.facts.cluster.asking_pod import AskingPod
from nodeworthy.facts.cluster.pending_cause import PendingCause
from nodeworthy.facts.pod.containers import holds_a_gpu
from nodeworthy.patterns import pattern
from nodeworthy.verdict import NOWHERE, Place, Related, fail

if TYPE_CHECKING:
    from nodeworthy.facts.cluster.pending_world import PendingWorld

# The scheduler's words, by how they begin; the second is that of Kubernetes 1.34 and newer.
UNBOUND = "pod has unbound immediate PersistentVolumeClaims"
ELSEWHERE = ("node(s) had volume node affinity conflict", "node(s) didn't match PersistentVolume's node affinity")
SEE_THE_CLAIM = (
    "see why its claim has no volume: kubectl get pvc, and describe the one that is Pending (its StorageClass)"
)
_SHOWN = 3
# As the provisioner and the controller of claims write it.
_CLASS = pattern(r'storageclass(?:\.storage\.k8s\.io)? "(?P<name>[^"]{1,253})" not found')
# What events say of a claim on a volume, by its namespace and name: when, and what.
Claims = Mapping[tuple[str, str], tuple[str, str]]


def unbound(pods: Sequence[AskingPod], words: str, why: str, claims: Claims) -> PendingCause:
    """Which claim it is, and what the provisioner says of it."""
    every = dict.fromkeys((each.namespace, name) for each in pods for name in each.claims)
    failed = {key: claims[key][1] for key in every if key in claims}
    of = list(failed or every)
    named = ", ".join(f"'{name}'" for _, name in of[:_SHOWN]) + (" …" if len(of) > _SHOWN else "")
    because = "".join(f"; claim '{name}': {said}" for (_, name), said in list(failed.items())[:_SHOWN])
    which = "claim" if len(of) == 1 else "claims"
    first = next(iter(of), None)
    missing = next(filter(None, (_CLASS.search(each) for each in failed.values())), None)
    remedy = f"kubectl describe pvc -n {first[0]} {first[1]}: its events say why" if first else SEE_THE_CLAIM
    if missing is not None:
        remedy = f"make the StorageClass '{missing['name']}', or name one that there is: kubectl get storageclass"
    return PendingCause(
        ("said", pods[0].scheduler, why, *(f"{namespace}/{name}" for namespace, name in of)),
        fail(
            NOWHERE,
            f"the GPUs are free, and the {which} {named} on a volume {'is' if len(of) == 1 else 'are'} not bound"
            if of
            else f"the GPUs are free, and something else is not: {why}",
            is_=words,
            should="claims that are bound to volumes",
            cause=f"the scheduler says: {why}{because}",
            remedy=remedy,
            related=tuple(
                Related(Place(object=f"PersistentVolumeClaim/{namespace}/{name}"), "it is named by the pods")
                for namespace, name in of[:_SHOWN]
            ),
        ),
    )


def lies_elsewhere(pods: Sequence[AskingPod], world: PendingWorld) -> PendingCause | None:
    """The volume that no node with what the pod asks for reaches, where its claim and it were read."""
    pod = pods[0]
    asked = [name for name in pod.amounts if holds_a_gpu(name)]
    nodes = [node for name in asked for node in world.chosen(pod.choice, name)]
    far = next(world.volumes.far_from(nodes, pod.namespace, pod.claims), None) if nodes else None
    if far is None:
        return None
    have = ", ".join(far.nodes_have[:_SHOWN]) or "none of these labels"
    return PendingCause(
        ("lies elsewhere", pod.namespace, far.claim),
        fail(
            NOWHERE,
            f"the GPUs are free, and no node with them reaches the volume of claim '{far.claim}'",
            is_=f"volume {far.volume}: {far.lies}",
            should=f"a volume for nodes with {have}",
            cause=f"a disk is reached from its own zone alone (of a local one: from its node), and the nodes whose "
            f"GPUs they ask for have {have}; a class with volumeBindingMode Immediate makes the volume before anybody "
            "knows where the pod goes",
            remedy="where nothing of it is needed: delete the claim and make it anew of a class with "
            "volumeBindingMode: WaitForFirstConsumer; else restore a snapshot of it there, or start a node with GPUs "
            "where the volume is",
            related=(Related(Place(object=f"PersistentVolumeClaim/{pod.namespace}/{far.claim}"), "the pods name it"),),
        ),
    )
