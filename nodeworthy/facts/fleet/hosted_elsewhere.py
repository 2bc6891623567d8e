"""Node pools with GPUs of the other clouds that host Kubernetes. Which machines they are is known; what these run is
not, for their clouds say it in no file."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TypeVar

from nodeworthy.documents.tree import Tree, absent
from nodeworthy.facts.fleet.gpu_pool import GpuPool
from nodeworthy.facts.fleet.hosted_pools import HostedResource, minor_of
from nodeworthy.facts.fleet.machines import Machines, Refused, number_of, text_of, texts_of
from nodeworthy.fleet.model import Driver
from nodeworthy.known.cloud_gpus import MachineGpus
from nodeworthy.known.containerd import containerd_of
from nodeworthy.known.hosted_elsewhere import AsksForNodes, asks_for_nodes, gpus_elsewhere, is_cluster, others_elsewhere
from nodeworthy.verdict import Located, Place, Related, Unknown

_T = TypeVar("_T")


def pools_elsewhere(resources: Sequence[HostedResource]) -> list[GpuPool]:
    return [pool for each in resources for pool in _pools(each, resources)]


def _pools(resource: HostedResource, resources: Sequence[HostedResource]) -> Iterator[GpuPool]:
    asks = asks_for_nodes(resource.type)
    if asks is None:
        return
    clusters = [each for each in resources if each.type == asks.of]
    own = clusters[0] if len(clusters) == 1 else resource if is_cluster(resource.type) is not None else None
    for each in _one_or_several(resource.values.get(asks.within)) if asks.within else (resource.values,):
        yield from _pool(resource, each, asks, own)


def _pool(resource: HostedResource, said: Tree, asks: AsksForNodes, own: HostedResource | None) -> Iterator[GpuPool]:
    machine = _at(said, asks.machine)
    has = gpus_elsewhere(asks.cloud, machine.string, _at(said, asks.preset).string)
    if has is None:
        return
    place = said.place if asks.within else resource.place
    where = f"{asks.noun}, {machine.text}"
    driver = _driver(said, asks, machine)
    why = Unknown(f"what nodes of this {asks.noun} run is not known")
    runs = asks.distribution
    yield GpuPool(
        _at(said, asks.name).text or resource.name,
        place,
        Located.known(runs, machine.place) if runs else Located(why, machine.place),
        Located.known(containerd_of(runs), machine.place) if runs else Located(why, machine.place),
        noun=asks.noun,
        driver=Driver.AMI if driver is not None else None,
        driver_said=driver,
        driver_by=asks.by if driver is not None else "",
        kubernetes=minor_of(text_of(_at(said, asks.version))) or _of_cluster(own, version=True),
        cluster=_of_cluster(own, version=False),
        machines=_machines(said, asks, has),
        evidence=where,
        runs_unsaid=not runs,
    )


def _machines(said: Tree, asks: AsksForNodes, has: MachineGpus) -> Machines:
    place = _at(said, asks.machine).place
    wanted, least, most = (number_of(_at(said, each)) for each in (asks.wanted, asks.least, asks.most))
    counted = number_of(_at(said, asks.gpus)) if asks.gpus else _if_known(has.count, place)
    labels = texts_of(_at(said, asks.labels)) if asks.labels else {}
    return Machines(
        gpu=_if_known(has.gpu, place),
        gpus=counted,
        wanted=wanted,
        least=least,
        most=most,
        labels=labels,
        refused=_refused(_at(said, asks.machine), asks),
    )


def _refused(machine: Tree, asks: AsksForNodes) -> Refused | None:
    others = others_elsewhere(asks.cloud, machine.string)
    if not others:
        return None
    return Refused(
        machine.located(), " or ".join(others), "its cloud has no machine of this name, and others with this GPU"
    )


def _driver(said: Tree, asks: AsksForNodes, machine: Tree) -> Related | None:
    """What says that its cloud brings it."""
    told = machine if asks.driver is True else _at(said, str(asks.driver))
    return Related(told.place, f"{asks.by} brings the driver of this {asks.noun}") if told.text is not None else None


def _of_cluster(own: HostedResource | None, *, version: bool) -> Located[str] | None:
    if own is None:
        return None
    where = is_cluster(own.type)
    if where is None:
        return None
    said = text_of(_at(own.values, where.version if version else where.name))
    return minor_of(said) if version else said


def _one_or_several(tree: Tree) -> Sequence[Tree]:
    return tree.sequence if tree.is_sequence else [tree] if tree.is_mapping else []


def _at(tree: Tree, path: str) -> Tree:
    """What stands there; of a block that there may be several of, in the first."""
    if not path:
        return absent(tree.place)
    for name in path.split("."):
        tree = _first(tree.get(name))
    return tree


def _first(tree: Tree) -> Tree:
    if not tree.is_sequence:
        return tree
    return tree.sequence[0] if tree.sequence else absent(tree.place)


def _if_known(value: _T | None, place: Place) -> Located[_T] | None:
    return Located.known(value, place) if value is not None else None
