"""What a node showed of the links between its cards and pods: those that are its own. The others a cluster shows."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from nodeworthy.facts.boot.fabric_manager import UNIT
from nodeworthy.facts.chain import Sight, Walk, grey, well
from nodeworthy.facts.node.driver import NodeDriver
from nodeworthy.facts.node.fabric import NodeFabric
from nodeworthy.facts.node.gpus import HostGpus, NodeSmi
from nodeworthy.facts.node.identity import NodeIdentity
from nodeworthy.facts.node.runtimes import NodeRuntimes, NodeToolkit
from nodeworthy.known.chain import links
from nodeworthy.known.containerd import defaults
from nodeworthy.scene import Scene
from nodeworthy.verdict import Known, Place, Unknown

# From here on only the cluster knows.
_OF_THE_CLUSTER = "labels"
_ASK_IT = "the cluster shows it: nodeworthy diagnose --node NAME"


def walks(scenes: Iterable[Scene]) -> list[Walk]:
    """The chain of every host that was reached and is about GPUs."""
    found = (_walk({type(fact): fact for fact in scene.facts}) for scene in scenes)
    return [each for each in found if each is not None]


def _walk(facts: Mapping[type[Any], Any]) -> Walk | None:
    identity: NodeIdentity | None = facts.get(NodeIdentity)
    if identity is None or not _is_about_gpus(identity):
        return None
    sights = dict(_sights(facts))
    ids = [link.id for link in links()]
    sights |= dict.fromkeys(ids[ids.index(_OF_THE_CLUSTER) :], grey(_ASK_IT))
    host = identity.place.host or ""
    return Walk(host, Place(host=host), sights)


def _is_about_gpus(identity: NodeIdentity) -> bool:
    pool = identity.known_pool
    return pool.is_gpu if pool is not None else identity.has_gpu.state == Known(True)


def _sights(facts: Mapping[type[Any], Any]) -> Iterator[tuple[str, Sight]]:
    for kind, look in _LOOKS:
        fact = facts.get(kind)
        if fact is not None:
            yield from look(fact)


def _of_bus(gpus: HostGpus) -> Iterator[tuple[str, Sight]]:
    if isinstance(gpus.there.state, Unknown):
        return
    there = gpus.there.state.value
    if not there:
        yield "pci", grey("none is there")
        return
    yield "pci", well(f"{len(there)} there")
    by = sorted({each.driver for each in there if each.driver})
    left = sum(each.driver == "" for each in there)
    yield "bound", well("nvidia has all of them") if by == ["nvidia"] and not left else grey(_bound(by, left))


def _bound(by: list[str], left: int) -> str:
    had = f"{', '.join(by)} has some of them" if by else "no driver has them"
    return f"{had}, and none has {left}" if by and left else had


def _of_driver(driver: NodeDriver) -> Iterator[tuple[str, Sight]]:
    if driver.is_loaded.state == Known(True):
        version = f"version {driver.version.state.value}" if isinstance(driver.version.state, Known) else "it is there"
        yield "module", well(version)


def _of_smi(said: NodeSmi) -> Iterator[tuple[str, Sight]]:
    if isinstance(said.gpus.state, Known) and not said.lost:
        count = len(said.gpus.state.value)
        yield "healthy", well(f"nvidia-smi -q: {count} answer, no rows to remap, none lost")


def _of_fabric(fabric: NodeFabric) -> Iterator[tuple[str, Sight]]:
    if fabric.switches.state == Known(()):
        yield "fabric", grey("not needed: no NVSwitch is on the bus")
        return
    states = fabric.units.by_name.state if fabric.units is not None else None
    unit = states.value.get(UNIT) if isinstance(states, Known) else None
    if unit is not None and unit.is_active:
        yield "fabric", well(unit.says)


def _of_toolkit(toolkit: NodeToolkit) -> Iterator[tuple[str, Sight]]:
    if toolkit.due.state == Known(True):
        yield "toolkit", well(f"it has been here: {toolkit.due.place.subject}")


def _of_runtimes(runtimes: NodeRuntimes) -> Iterator[tuple[str, Sight]]:
    if isinstance(runtimes.used.state, Unknown):
        return
    used, handler = runtimes.used.state.value, defaults().runtime_class
    known = used.loaded.state
    if isinstance(known, Known):
        has = handler in known.value
        yield "runtime", well(f"{used.name} knows {handler}") if has else grey(f"{used.name} does not know {handler}")


_LOOKS: tuple[tuple[type[Any], Any], ...] = (
    (HostGpus, _of_bus),
    (NodeDriver, _of_driver),
    (NodeSmi, _of_smi),
    (NodeFabric, _of_fabric),
    (NodeToolkit, _of_toolkit),
    (NodeRuntimes, _of_runtimes),
)
