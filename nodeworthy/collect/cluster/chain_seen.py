"""What was seen in a cluster of the links between the cards of its nodes and their pods.

What somebody looked at for the cluster counts: feature discovery at the bus, a device plugin at the driver. What no
object tells of (libraries, remapped rows, CDI files) only the node itself shows.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property

from nodeworthy.collect.cluster.kinds import DAEMONSETS, PODS
from nodeworthy.collect.cluster.seen import ClusterObjects
from nodeworthy.facts.chain import Sight, Walk, grey, well
from nodeworthy.facts.cluster.node_gpus import NodeGpus
from nodeworthy.facts.cluster.node_labels import COUNT
from nodeworthy.facts.cluster.pending_kept_away import is_state
from nodeworthy.facts.cluster.pod import ClusterPod
from nodeworthy.facts.cluster.stack_daemonset import StackDaemonSet
from nodeworthy.facts.operator.daemonset_manifest import Part
from nodeworthy.facts.pod.containers import holds_a_gpu
from nodeworthy.known.chain import link_of_part
from nodeworthy.known.instances import gpus_of

_PRESENT, _NFD, _NVIDIA = "nvidia.com/gpu.present", "feature.node.kubernetes.io/pci-", "10de"
_MIG = "nvidia.com/mig.config.state"
_OPERATOR = "the GPU operator"


class ChainSeen:
    def __init__(self, seen: ClusterObjects) -> None:
        self._seen = seen

    @cached_property
    def names(self) -> Sequence[str]:
        """Every node that has GPUs."""
        return sorted(each.name for each in self._seen.capacity.nodes.values() if each.has_gpus)

    def walk(self, name: str) -> Walk | None:
        """The chain of any node, whatever it has. None where the node is not there."""
        node = self._seen.capacity.nodes.get(name)
        return Walk(node.name, node.place, dict(self._sights(node))) if node is not None else None

    def nodes_of(self, object_: str) -> Sequence[str]:
        """Where a pod is, or what a DaemonSet makes."""
        kind, _, rest = object_.partition("/")
        namespace, _, name = rest.partition("/")
        if kind == "Pod":
            pod = self._seen.pods.get((namespace, name))
            return (pod.node,) if pod is not None and pod.node else ()
        return self._made.get((namespace, name), ()) if kind == "DaemonSet" else ()

    @cached_property
    def _made(self) -> Mapping[tuple[str, str], Sequence[str]]:
        found: dict[tuple[str, str], list[str]] = defaultdict(list)
        for pod in self._seen.pods.values():
            if pod.daemonset and pod.node in self._seen.capacity.nodes:
                found[pod.namespace, pod.daemonset].append(pod.node)
        return found

    @cached_property
    def _pods_on(self) -> Mapping[str, list[ClusterPod]]:
        """What of the stack, and of what uses it, is on each node."""
        found: dict[str, list[ClusterPod]] = defaultdict(list)
        for pod in self._seen.pods.values():
            if pod.node and not pod.is_over and (pod.part or pod.uses_gpus or self._is_plugin(pod)):
                found[pod.node].append(pod)
        return found

    def _is_plugin(self, pod: ClusterPod) -> bool:
        made = self._seen.gpu_daemonsets.get((pod.namespace, pod.daemonset)) if pod.daemonset else None
        return made is not None and made.part in (Part.DEVICE_PLUGIN, Part.HAMI)

    def _brings(self, pod: ClusterPod, link: str) -> bool:
        if link == "plugin" and self._is_plugin(pod):
            return True
        return pod.part not in ("", _OPERATOR) and link_of_part(pod.part) == link

    def _sights(self, node: NodeGpus) -> Iterator[tuple[str, Sight]]:
        pods = self._pods_on.get(node.name, [])
        yield from _of_labels(node)
        yield from self._of_driver(node, pods)
        yield from _of_fabric(node)
        yield from self._of_parts(pods)
        yield from _of_runtime(pods)
        yield from self._of_choice(node, pods)
        yield from self._of_counts(node)
        yield from self._of_users(pods)

    def _of_driver(self, node: NodeGpus, pods: Sequence[ClusterPod]) -> Iterator[tuple[str, Sight]]:
        driver = next((pod for pod in pods if pod.ready and self._brings(pod, "module")), None)
        plugin = next((pod for pod in pods if pod.ready and self._brings(pod, "plugin")), None)
        if driver is not None:
            says = f"{driver.name} is ready"
        elif plugin is not None and any(node.allocatable.values()):
            says = f"{plugin.name} has its GPUs from the driver"
        else:
            return
        yield "bound", well(says)
        yield "module", well(says)

    def _of_parts(self, pods: Sequence[ClusterPod]) -> Iterator[tuple[str, Sight]]:
        if not self._seen.has(PODS):
            return
        for link in ("toolkit", "plugin"):
            own = [pod for pod in pods if self._brings(pod, link)]
            if own:
                stuck = next((pod for pod in own if not pod.ready), None)
                yield link, well(f"{own[0].name} is ready") if stuck is None else grey(f"{stuck.name} is not ready")
            elif link == "plugin":
                yield link, grey("no pod of a device plugin or of a DRA driver is on it")

    def _of_choice(self, node: NodeGpus, pods: Sequence[ClusterPod]) -> Iterator[tuple[str, Sight]]:
        there = next((pod for pod in pods if self._brings(pod, "plugin")), None)
        if there is not None:
            yield "daemonsets", well(f"{there.name} is on it")
            return
        own = [each for each in self._seen.stack.daemonsets.values() if link_of_part(each.part) == "plugin"]
        if not own or not self._seen.has(DAEMONSETS):
            return
        choosing = next((each for each in own if not _kept_from(each, node)), None)
        if choosing is not None:
            yield "daemonsets", well(f"{choosing.name} chooses it and tolerates its taints")
        else:
            yield "daemonsets", grey(_kept_from(own[0], node))

    def _of_counts(self, node: NodeGpus) -> Iterator[tuple[str, Sight]]:
        state = node.labels.get(_MIG)
        if state is not None:
            yield "mig", well(f"{_MIG}=success") if state == "success" else grey(f"{_MIG}={state}")
        else:
            yield "mig", grey("nothing asks for MIG here")
        counted = ", ".join(f"{name}: {count}" for name, count in sorted(node.capacity.items()) if count)
        yield "capacity", well(counted) if counted else grey("it counts no GPU")
        lost = sum(map(node.unhealthy, node.capacity))
        if not node.is_ready:
            yield "allocatable", grey("the node is not Ready")
        elif counted:
            yield "allocatable", grey(f"{lost} fewer than capacity") if lost else well("as many as capacity")
        if counted and self._seen.has(PODS) and not self._seen.namespace:
            yield "held", well(self._held(node))

    def _held(self, node: NodeGpus) -> str:
        holders = self._seen.capacity.held.get(node.name, ())
        held = sum(count for pod in holders for name, count in pod.amounts.items() if holds_a_gpu(name))
        whole = sum(count for name, count in node.allocatable.items() if holds_a_gpu(name))
        waits = ", and no pod waits for them" if held >= whole else ""
        return f"{held} of {whole} held{waits}"

    def _of_users(self, pods: Sequence[ClusterPod]) -> Iterator[tuple[str, Sight]]:
        users = [pod for pod in pods if pod.wants_gpus and not pod.part]
        running = [pod for pod in users if pod.ready]
        if not users:
            yield "pod", grey("no pod with GPUs is here")
        elif len(running) == len(users):
            yield "pod", well(f"{users[0].name} is ready" if len(users) == 1 else f"{len(users)} pods are ready")
        else:
            yield "pod", grey(f"{len(users) - len(running)} of {len(users)} pods with GPUs are not ready")


def _of_labels(node: NodeGpus) -> Iterator[tuple[str, Sight]]:
    labels = node.labels
    told = next((each for each in labels if each.startswith(_NFD) and _NVIDIA in each and labels[each] == "true"), "")
    told = told or (_PRESENT if labels.get(_PRESENT) == "true" else COUNT if COUNT in labels else "")
    if told:
        yield "pci", well(f"{told}={labels[told]}")
        yield "labels", well(f"{told}={labels[told]}")
    else:
        yield "labels", grey("no label of feature discovery: what chooses nodes by one passes it by")


def _of_fabric(node: NodeGpus) -> Iterator[tuple[str, Sight]]:
    kind = gpus_of(node.instance_type)
    if kind is not None and not kind.nvswitch:
        yield "fabric", grey(f"not needed: {kind.type} has no NVSwitch")


def _of_runtime(pods: Sequence[ClusterPod]) -> Iterator[tuple[str, Sight]]:
    by_class = next((pod for pod in pods if pod.ready and pod.runtime_class), None)
    if by_class is not None:
        yield "runtime", well(f"{by_class.name} runs by RuntimeClass {by_class.runtime_class}")


def _kept_from(daemonset: StackDaemonSet, node: NodeGpus) -> str:
    """Empty where its pods may run there."""
    choice = daemonset.choice
    if not choice.takes(node.labels, node.name):
        barrier = next(iter(choice.barred(node.labels, node.name)), None)
        asks = f": {barrier.says}, and it has {barrier.instead}" if barrier is not None else ""
        return f"{daemonset.name} does not choose it{asks}"
    taint = next((each for each in choice.kept_away(node) if not is_state(each)), None)
    return f"{daemonset.name} does not tolerate {taint}" if taint is not None else ""
