"""Why a kubelet refused pods: who pinned them, what had not registered, who holds the devices."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from datetime import datetime, timedelta
from typing import ClassVar

from nodeworthy.facts.cluster.admission_refusal import AdmissionRefusal
from nodeworthy.facts.cluster.admission_said import cause_in_words
from nodeworthy.facts.cluster.asking_pod import AskingPod
from nodeworthy.facts.cluster.node_gpus import LOCK, NodeGpus
from nodeworthy.facts.cluster.scheduling_events import SchedulingEvents
from nodeworthy.records import dataclass, field
from nodeworthy.verdict import NOWHERE, Draft, Place, Related, fail

# Between the start of a kubelet and the moment when its device plugin has registered again, or hardly ever later.
_REGISTERS = timedelta(minutes=10)
# Of these the operator makes pods that are pinned to the node which they prove.
_VALIDATORS = ("nvidia-cuda-validator", "nvidia-device-plugin-validator", "nvidia-operator-validator")
_SHOWN = 4


@dataclass(frozen=True)
class AdmissionWorld:
    """What is known of the cluster where it may be the cause."""

    nodes: Mapping[str, NodeGpus]
    held: Mapping[str, Sequence[AskingPod]]
    events: SchedulingEvents
    # When the device plugin's pod on a node became ready.
    plugins: Mapping[str, datetime] = field(default_factory=dict)


def refused_for_lost_devices(refusals: Iterable[AdmissionRefusal], world: AdmissionWorld) -> Mapping[str, list[str]]:
    """The pods, by node, that lack devices which the node itself counts as unhealthy: that count is reported in their
    place."""
    found: dict[str, list[str]] = defaultdict(list)
    for pod in refusals:
        node = world.nodes.get(pod.node)
        if node is not None and pod.had_unhealthy_devices and node.unhealthy(pod.resource):
            found[pod.node].append(pod.object)
    return found


def refused_on_nodes(
    refusals: Iterable[AdmissionRefusal], world: AdmissionWorld, elsewhere: Collection[str]
) -> Iterator[RefusedOnNode]:
    """The refusals on nodes, without those that another rule explains."""
    found: dict[tuple[str, str], list[AdmissionRefusal]] = defaultdict(list)
    causes: dict[tuple[str, str], Draft | None] = {}
    for each in refusals:
        if each.object not in elsewhere:
            cause = _cause(each, world)
            key = (each.node, cause.message if cause else "")
            found[key].append(each)
            causes.setdefault(key, cause)
    for key, pods in found.items():
        yield RefusedOnNode(key[0], tuple(sorted(pods, key=lambda pod: pod.object)), causes[key])


def _cause(pod: AdmissionRefusal, world: AdmissionWorld) -> Draft | None:
    node = world.nodes.get(pod.node)
    if pod.was_not_bound:
        return _of_hami(pod, node)
    own = cause_in_words(pod)
    if own is not None:
        return own
    started = _started(pod, world)
    full = _full(pod, world)
    if pod.was_not_registered:
        return _too_early(pod, started or ())
    if pod.was_counted_as_none:
        return _too_early(pod, started or ()) if node is not None and node.capacity.get(pod.resource) else _gone(pod)
    if pod.was_counted_by_kubelet:
        return _placed_in_vain(pod, full) if pod.key in world.events.placed else _pinned(pod, full)
    if _is_pinned(pod, world) and (full is not None or not started):
        return _pinned(pod, full)
    if started:
        return _too_early(pod, started)
    if pod.had_unhealthy_devices or (pod.counted and node and node.unhealthy(pod.resource)):
        return _unhealthy(pod, node)
    return full


def _of_hami(pod: AdmissionRefusal, node: NodeGpus | None) -> Draft:
    if node is not None and node.lock:
        return fail(
            NOWHERE,
            f"HAMi's lock is left on node '{pod.node}'",
            cause=f"the annotation {LOCK}={node.lock} was left by the pod that it names, and until it is gone no "
            "other is "
            "bound there",
            remedy=f"see that the pod which it names does not start any more, then: kubectl annotate node {pod.node} "
            f"{LOCK}-",
            related=(Related(node.place.about(LOCK), f"{LOCK}={node.lock}"),),
        )
    return fail(
        NOWHERE,
        f"HAMi's device plugin on node '{pod.node}' was asked for GPUs that HAMi's scheduler had not given",
        cause=f"{pod.scheduler or 'another scheduler'} placed the pods, and HAMi's device plugin gives GPUs only to "
        "those "
        "that its own scheduler bound",
        remedy="leave schedulerName to HAMi's webhook, and nodeName out of the pod; where it names neither, the API "
        "server passed the webhook by (not reached, its certificate not trusted): kubectl logs -n kube-system "
        "-l component=kube-apiserver | grep vgpu.hami.io",
    )


def _started(pod: AdmissionRefusal, world: AdmissionWorld) -> tuple[Related, ...]:
    """What started again on its node shortly before, or was not ready until afterwards."""
    if pod.when is None:
        return ()
    place = Place(object=f"Node/{pod.node}")
    starts = [
        Related(place, f"{what} at {_clock(when)}")
        for when, what in world.events.starts.get(pod.node, ())
        if when <= pod.when <= when + _REGISTERS
    ]
    ready, plugin = _ready_since(world.nodes.get(pod.node)), world.plugins.get(pod.node)
    if ready is not None and ready <= pod.when <= ready + _REGISTERS:
        starts.append(Related(place, f"the node is Ready since {_clock(ready)}"))
    if plugin is not None and pod.when < plugin <= pod.when + _REGISTERS:
        starts.append(Related(place, f"its device plugin is ready since {_clock(plugin)}, which was later"))
    return tuple(dict.fromkeys(starts))


def _ready_since(node: NodeGpus | None) -> datetime | None:
    return node.ready_since if node is not None else None


def _clock(when: datetime) -> str:
    return f"{when:%Y-%m-%d %H:%M:%SZ}"


# kubernetes/kubernetes issue 124345.
_ASKED_ANEW = (
    "; of a pod that ran already it asks the plugin anew, also for init containers that ended long ago, "
    "as '{}' of this one"
)


def _too_early(pod: AdmissionRefusal, started: Sequence[Related]) -> Draft:
    init = _ASKED_ANEW.format(pod.init) if pod.init else ""
    return fail(
        NOWHERE,
        f"kubelet on node '{pod.node}' admitted pods before the device plugin had registered again",
        cause="after it starts, kubelet knows no devices until their plugin registers, and refuses every pod that "
        "comes "
        f"before that, those that ran there included{init}",
        remedy="delete the pods that were refused, so that their controllers make others; look why kubelet or the "
        "device "
        f"plugin started again{'; ask for GPUs in the main container alone' if pod.init else ''}",
        related=tuple(started),
    )


def _gone(pod: AdmissionRefusal) -> Draft:
    return fail(
        NOWHERE,
        f"node '{pod.node}' has no {pod.resource} any more, and kubelet refused the pods that were placed there",
        cause="kubelet knew none when they came: the device plugin had not registered again after the machine or "
        "kubelet started, or it finds no GPU there (the driver is gone, or the machine came back without its card)",
        remedy=f"nvidia-smi -L on {pod.node}; where it lists the GPUs, delete the device plugin's pod there, so that "
        "it registers again; then delete the pods that were refused",
    )


def _is_pinned(pod: AdmissionRefusal, world: AdmissionWorld) -> bool:
    """No scheduler placed it: its own events are there, and none says so."""
    if pod.key[1].startswith(_VALIDATORS):
        return True
    if pod.key in world.events.placed or not world.events.placed or pod.created is None or pod.when is None:
        return False
    return pod.when - pod.created < _REGISTERS


def _pinned(pod: AdmissionRefusal, full: Draft | None) -> Draft:
    validator = pod.key[1].startswith(_VALIDATORS)
    who = "the operator's validator pins its pod" if validator else "their maker pins them"
    return fail(
        NOWHERE,
        f"pods are pinned by nodeName to node '{pod.node}', whose GPUs are held",
        cause=f"{who} to the node, past the scheduler, which alone counts what is free"
        + (f"; {full.cause}" if full is not None else ""),
        remedy="set WITH_WORKLOAD=false for the validator's plugin, or prove the node before others hold its GPUs"
        if validator
        else "choose the node by a nodeSelector (kubernetes.io/hostname) instead of nodeName, so that pods wait",
        related=full.related if full is not None else (),
    )


def _placed_in_vain(pod: AdmissionRefusal, full: Draft | None) -> Draft:
    """Kubelet counts for itself; who had placed the pod had counted otherwise."""
    return fail(
        NOWHERE,
        f"a scheduler placed pods on node '{pod.node}', where kubelet found no GPUs left for them",
        cause="whoever places pods with GPUs has to know of all that hold them: two schedulers count each for itself, "
        "and pods that name their node pass both by" + (f"; {full.cause}" if full is not None else ""),
        remedy="let one scheduler place all pods with GPUs, and none name its node: kubectl get pods -A -o "
        "custom-columns=NAME:.metadata.name,SCHEDULER:.spec.schedulerName,NODE:.spec.nodeName; then delete the "
        "refused pods: controllers make others",
        related=full.related if full is not None else (),
    )


def _unhealthy(pod: AdmissionRefusal, node: NodeGpus | None) -> Draft:
    lost = node.unhealthy(pod.resource) if node is not None else 0
    if node is not None and not lost and node.capacity.get(pod.resource):
        return _well_again(pod)
    counted = f": {lost} of {node.capacity.get(pod.resource)} are unhealthy" if node is not None and lost else ""
    return fail(
        NOWHERE,
        f"devices of node '{pod.node}' are unhealthy{counted}",
        cause="the device plugin takes a device back when the driver reports an Xid, and the scheduler may have "
        "counted it",
        remedy=f"look at the device plugin's log and at `nvidia-smi` on {pod.node}; drain the node and reset the GPU",
    )


def _well_again(pod: AdmissionRefusal) -> Draft:
    """A refusal for devices that are well again: no GPU need be at fault, for a restart looks the same."""
    return fail(
        NOWHERE,
        f"kubelet knew no healthy devices of node '{pod.node}' when the pod came, and knows all of them now",
        cause="after a restart of the node, of kubelet or of the device plugin devices count as unhealthy until the "
        "plugin has registered them again; what was refused meanwhile stays so, and is left over",
        remedy="delete the pods that were refused: controllers make others; if it happens without a restart, read the "
        f"device plugin's log and the kernel's on {pod.node} for that time",
        link="pod",
    )


def _full(pod: AdmissionRefusal, world: AdmissionWorld) -> Draft | None:
    """The pods that hold the devices, if those that came before leave too few."""
    node, asked = world.nodes.get(pod.node), pod.counted[0] if pod.counted else pod.amounts.get(pod.resource, 0)
    if node is None or not asked:
        return None
    holders = [
        each
        for each in world.held.get(pod.node, ())
        if each.amounts.get(pod.resource) and not (pod.when and each.since and each.since > pod.when)
    ]
    held, there = sum(each.amounts[pod.resource] for each in holders), node.allocatable.get(pod.resource, 0)
    if held + asked <= there:
        return None
    holders.sort(key=lambda each: -each.amounts[pod.resource])
    named = ", ".join(f"{each.namespace}/{each.name} {each.amounts[pod.resource]}" for each in holders[:_SHOWN])
    return fail(
        NOWHERE,
        f"the GPUs of node '{pod.node}' are held by others",
        cause=f"{held} of {there} {pod.resource} are held ({named}{' …' if len(holders) > _SHOWN else ''}), {asked} "
        "were "
        "asked for",
        remedy="let the pods be placed by the one scheduler that counts what is held; kubectl delete pod of whom "
        "holds "
        f"{pod.resource} without work (nodeworthy diagnose --ledger)",
        related=tuple(
            Related(each.place, f"holds {each.amounts[pod.resource]} {pod.resource}") for each in holders[:_SHOWN]
        ),
    )


# What the kubelets of a cluster refused, and the causes that were found for it.


@dataclass(frozen=True)
class RefusedOnNode:
    """Pods that one node's kubelet refused for one reason."""

    node: str
    pods: tuple[AdmissionRefusal, ...]
    # None where nothing that was seen explains it.
    cause: Draft | None

    @property
    def place(self) -> Place:
        return Place(object=f"Node/{self.node}" if self.node else self.pods[0].object)


@dataclass(frozen=True)
class Admissions:
    """What the kubelets of a cluster refused, without what another rule explains."""

    called: ClassVar[str] = "a cluster whose kubelets admit pods with GPUs"

    refused: tuple[RefusedOnNode, ...]

    @property
    def place(self) -> Place:
        return self.refused[0].place if self.refused else Place(subject="pods")
