"""The devices on the buses, by what sysfs shows of them."""

from __future__ import annotations

from nodeworthy.collect.node.recording import Recording
from nodeworthy.collect.node.seen.parts import lines, rows
from nodeworthy.facts.node.devices import AMAZON, Device, NodeDevices
from nodeworthy.verdict import Place


def devices(recording: Recording, host: Place) -> NodeDevices | None:
    place = host.about("PCI bus")
    bus = rows(recording, "bus", place, "the PCI bus", _device)
    if bus is None:
        return None
    efa = (line.split() for line in lines(recording, "rdma"))
    return NodeDevices(
        place=place,
        bus=bus,
        driven=tuple(lines(recording, "driven")),
        efa=tuple(each[0] for each in efa if each[1:] == [AMAZON]),
    )


def _device(line: str) -> Device | None:
    words = line.split()
    return Device(words[0], words[1], words[2], words[3], "".join(words[4:5])) if len(words) >= 4 else None
