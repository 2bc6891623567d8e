"""What HAMi has to give and has given away of each GPU: what its device plugin registered, and what pods got."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, ClassVar

from nodeworthy.derive import derive
from nodeworthy.documents.plain import number_at, strings_at, text_at
from nodeworthy.facts.cluster.named_pod import NamedPod
from nodeworthy.facts.cluster.node import ClusterNode
from nodeworthy.facts.fleet.node_size import NodeSize, sizes_of_fleet, sizes_of_nodes
from nodeworthy.facts.hami.setup import HamiSetup
from nodeworthy.fleet.model import Fleet
from nodeworthy.known.gpus import gpu_named, gpu_names
from nodeworthy.known.hami import annotation_names
from nodeworthy.known.instances import gpus_of
from nodeworthy.records import dataclass
from nodeworthy.verdict import Known, Located, Place, Unknown, value_if_known

# The GPUs that HAMi shares: how many a node has, and how much memory is in one.

# HAMi counts MB, of which a driver shows a little fewer than the data sheet says.
MB = 1024


@dataclass(frozen=True)
class HamiGpus:
    """The GPUs of one kind of nodes: a pool of the fleet, or nodes of a cluster that are alike."""

    called: ClassVar[str] = "a pool whose GPUs are shared (no fleet was given)"

    size: NodeSize
    # Of one GPU, in MB, where it is sold in several sizes the largest; before HAMi scales it.
    memory: Located[int]
    # How often one may be handed out; None where it is not said here.
    slots: int | None = None
    # Whether `memory` is what HAMi made of it already.
    is_scaled: bool = False

    @property
    def place(self) -> Place:
        return self.size.place

    @property
    def title(self) -> str:
        return self.size.title

    @property
    def per_node(self) -> Located[int]:
        return self.size.gpus

    def memory_scaled(self, factor: float) -> int | None:
        """What HAMi has to give of one GPU; None where it is not known."""
        if isinstance(self.memory.state, Unknown):
            return None
        return self.memory.state.value if self.is_scaled else int(self.memory.state.value * factor)


@derive
def gpus_of_fleet(fleet: Fleet, _setup: HamiSetup) -> Iterator[HamiGpus]:
    for pool, size in zip(fleet.gpu_pools, sizes_of_fleet(fleet), strict=True):
        yield HamiGpus(size, _memory(size, value_if_known(pool.instance_type) or ""))


def _memory(size: NodeSize, instance_type: str) -> Located[int]:
    typical = gpus_of(instance_type)
    if typical is not None:
        return Located(Known(typical.memory * MB), size.place)
    gpu = gpu_named(size.gpu or "")
    if gpu is None:
        return Located.unknown(f"which GPU {size.title} has is not known", size.place)
    return Located(Known(max(gpu.memory) * MB), size.place)


def largest_memory() -> int:
    """No GPU that we know has more, in MB."""
    known = (gpu_named(name) for name in gpu_names())
    return max(max(gpu.memory) for gpu in known if gpu is not None) * MB


@dataclass(frozen=True, slots=True)
class Device:
    id: str
    count: int
    memory: int
    cores: int
    healthy: bool
    # Of a GPU that is cut into MIG slices, what is counted is not known here.
    is_cut: bool = False


def devices_of(node: ClusterNode) -> tuple[Device, ...]:
    """Newer plugins write JSON, older ones fields with commas between; what is neither is none."""
    written = node.annotations.get(annotation_names().registered, "").strip()
    if written.startswith("["):
        return tuple(_of_json(written))
    return tuple(_of_fields(written))


def _of_json(written: str) -> Iterator[Device]:
    try:
        entries = json.loads(written)
    except ValueError:
        return
    for each in entries if isinstance(entries, list) else ():
        if isinstance(each, dict):
            count, memory, cores = (number_at(each, name) or 0 for name in ("count", "devmem", "devcore"))
            yield Device(
                str(each.get("id", "")), count, memory, cores, each.get("health") is True, each.get("mode") == "mig"
            )


def _of_fields(written: str) -> Iterator[Device]:
    for entry in written.split(":"):
        fields = [each.strip() for each in entry.split(",")]
        if len(fields) >= 7 and all(each.isdecimal() and len(each) < 12 for each in fields[1:4]):
            count, memory, cores = (int(each) for each in fields[1:4])
            yield Device(fields[0], count, memory, cores, fields[6] == "true")


def gpus_of_nodes(nodes: Iterable[ClusterNode]) -> Iterator[HamiGpus]:
    """Nodes that registered alike stand for each other."""
    told: set[tuple[object, ...]] = set()
    for node in nodes:
        devices = [each for each in devices_of(node) if each.healthy]
        if not devices:
            continue
        size = next(iter(sizes_of_nodes([node])), None)
        known = {} if size is None else size.labels
        most = max(each.memory for each in devices)
        key = (len(devices), most, tuple(sorted(known.items())))
        if key not in told:
            told.add(key)
            own = NodeSize(node.name, node.place, Located.known(len(devices), node.place), node.gpu, known, noun="node")
            yield HamiGpus(own, Located.known(most, node.place), max(each.count for each in devices), is_scaled=True)


@dataclass(frozen=True, slots=True)
class Total:
    """All that HAMi has to give, in its three dimensions."""

    slots: int
    memory: int
    cores: int


def total(nodes: Iterable[ClusterNode]) -> Total:
    devices = [each for node in nodes for each in devices_of(node) if each.healthy]
    return Total(
        sum(each.count for each in devices), sum(each.memory for each in devices), sum(each.cores for each in devices)
    )


_OVER = ("Succeeded", "Failed")


@dataclass(frozen=True, slots=True)
class Share:
    """What one container has of one GPU."""

    device: str
    memory: int
    cores: int


@dataclass(slots=True, unsafe_hash=True)
class SharingPod(NamedPod):
    node: str
    shares: tuple[Share, ...]


@dataclass(frozen=True, slots=True)
class Amount:
    """An amount in one of the three dimensions of a GPU."""

    capacity: int
    held: int

    @property
    def free(self) -> int:
        return max(self.capacity - self.held, 0)


@dataclass(frozen=True, slots=True)
class SharedDevice:
    node: str
    id: str
    # False also of one that pods hold and that its node did not register.
    healthy: bool
    slots: Amount
    # In MB.
    memory: Amount
    # In percent of one GPU.
    cores: Amount
    held_by: tuple[str, ...]


def sharing_pod(data: Mapping[str, Any]) -> SharingPod | None:
    """Reads an object of kind Pod; None where HAMi gave it nothing, or where it is over."""
    annotations = strings_at(data, "metadata", "annotations")
    written = annotations.get(annotation_names().devices, "")
    if not written or text_at(data, "status", "phase") in _OVER:
        return None
    shares = tuple(_shares(written))
    node = text_at(data, "spec", "nodeName") or annotations.get(annotation_names().allocated, "")
    named = text_at(data, "metadata", "namespace"), text_at(data, "metadata", "name")
    return SharingPod(*named, node, shares) if shares and node else None


def _shares(written: str) -> Iterator[Share]:
    """`GPU-1,NVIDIA,3000,30:` for each GPU of a container, `;` after each container."""
    for entry in written.replace(";", ":").split(":"):
        fields = [each.strip() for each in entry.split(",")]
        if len(fields) >= 4 and all(each.isdecimal() and len(each) < 12 for each in fields[2:4]):
            # A slice of a MIG device stands in brackets behind it.
            yield Share(fields[0].partition("[")[0], int(fields[2]), int(fields[3]))


def shared_devices(nodes: Iterable[ClusterNode], pods: Iterable[SharingPod]) -> tuple[SharedDevice, ...]:
    held: dict[tuple[str, str], list[tuple[str, Share]]] = defaultdict(list)
    for pod in pods:
        for share in pod.shares:
            held[pod.node, share.device].append((pod.object.removeprefix("Pod/"), share))
    devices = {(node.name, each.id): each for node in nodes for each in devices_of(node)}
    for node_name, device in held:
        devices.setdefault((node_name, device), Device(device, 0, 0, 0, healthy=False))
    return tuple(_shared_device(name, devices[name, id_], held.get((name, id_), ())) for name, id_ in sorted(devices))


def _shared_device(node: str, device: Device, held: Sequence[tuple[str, Share]]) -> SharedDevice:
    shares = [share for _, share in held]
    return SharedDevice(
        node,
        device.id,
        device.healthy,
        Amount(device.count, len(shares)),
        Amount(device.memory, sum(each.memory for each in shares)),
        Amount(device.cores, sum(each.cores for each in shares)),
        tuple(sorted({name for name, _ in held})),
    )
