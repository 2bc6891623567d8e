"""What HAMi's device plugin registered on nodes: each GPU, how often it may be handed out, its memory and cores."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator

from nodeworthy.documents.plain import number_at
from nodeworthy.facts.cluster.node import ClusterNode
from nodeworthy.facts.fleet.node_size import NodeSize, sizes_of_nodes
from nodeworthy.facts.hami.gpus import HamiGpus
from nodeworthy.known.hami import annotation_names
from nodeworthy.records import dataclass
from nodeworthy.verdict import Located


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
