"""The devices on the buses, by what sysfs shows of them."""

from __future__ import annotations

from nodeworthy.collect.node.recording import Recording
from nodeworthy.collect.node.seen.parts import rows
from nodeworthy.facts.node.devices import AMAZON, Device, NodeDevices
from nodeworthy.verdict import Located, Place


def devices(recording: Recording, host: Place) -> NodeDevices | None:
    place = host.about("PCI bus")
    bus = rows(recording, "bus", place, "the PCI bus", _device)
    if bus is None:
        return None
    return NodeDevices(place=place, bus=bus, driven=_driven(recording, host), efa=_efa(recording, host))


def _driven(recording: Recording, host: Place) -> Located[tuple[str, ...]]:
    place = host.about("/proc/driver/nvidia/gpus")
    part = recording.part("driven")
    if part is not None and (part.code, part.stderr) == (1, ""):  # there is no such folder
        return Located.known((), place)
    found = rows(recording, "driven", place, "which GPUs the driver has", lambda line: line.strip() or None)
    return found or Located.unknown("which GPUs the driver has was not read", place)


def _efa(recording: Recording, host: Place) -> Located[tuple[str, ...]]:
    place = host.about("/sys/class/infiniband")
    found = rows(recording, "rdma", place, "which EFA interfaces the kernel offers", _amazons)
    return found or Located.unknown("which EFA interfaces the kernel offers was not read", place)


def _amazons(line: str) -> str | None:
    words = line.split()
    return words[0] if words[1:] == [AMAZON] else None


def _device(line: str) -> Device | None:
    words = line.split()
    return Device(words[0], words[1], words[2], words[3], "".join(words[4:5])) if len(words) >= 4 else None
