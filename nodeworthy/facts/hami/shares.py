"""What HAMi has given away of each GPU: to how many, how much of its memory, how much of its cores."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from nodeworthy.documents.plain import strings_at, text_at
from nodeworthy.facts.cluster.named_pod import NamedPod
from nodeworthy.facts.cluster.node import ClusterNode
from nodeworthy.facts.hami.registered import Device, devices_of
from nodeworthy.known.hami import annotation_names
from nodeworthy.records import dataclass

_OVER = ("Succeeded", "Failed")


@dataclass(frozen=True, slots=True)
class Share:
    """Of one GPU, to one container."""

    device: str
    memory: int
    cores: int


@dataclass(frozen=True, slots=True)
class SharingPod(NamedPod):
    node: str
    shares: tuple[Share, ...]


@dataclass(frozen=True, slots=True)
class Amount:
    """Of one of its three dimensions."""

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
    """From an object of kind Pod; None where HAMi gave it nothing, or where it is over."""
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
    return tuple(_told(name, devices[name, id_], held.get((name, id_), ())) for name, id_ in sorted(devices))


def _told(node: str, device: Device, held: Sequence[tuple[str, Share]]) -> SharedDevice:
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
