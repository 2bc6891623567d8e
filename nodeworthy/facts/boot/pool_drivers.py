"""The party that brings the driver of a fleet's pools, by the images and scripts that their nodes start with."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from nodeworthy.facts.boot.script import BootScript
from nodeworthy.facts.fleet.gpu_pool import GpuPool, NodeImage
from nodeworthy.fleet.model import Driver, Fleet
from nodeworthy.known.operator_parts import OWN_DRIVER
from nodeworthy.records import replace
from nodeworthy.verdict import NotKnown, Related

if TYPE_CHECKING:
    from nodeworthy.boot.timeline import Timeline
    from nodeworthy.facts.boot.drivers import NvidiaPackage


def with_image(script: BootScript, image: NodeImage | None) -> BootScript:
    """The script, with the image of the nodes that boot with it."""
    if image is None:
        return script
    return replace(script, image=image, pools=tuple(replace(each, image=image) for each in script.pools))


def with_drivers(
    pools: Sequence[GpuPool],
    fleet: Fleet,
    scripts: Sequence[BootScript],
    images: Mapping[str, Sequence[NodeImage]],
    labels: Mapping[str, Sequence[Mapping[str, str]]],
) -> list[GpuPool]:
    """`images` and `labels` of what starts nodes, by the name of their pool."""
    said = {each.name for each in fleet.pools if each.driver_is_said}
    return [
        _labelled(
            with_its_driver(pool, pool.name in said, own, images.get(pool.name, ())), own, labels.get(pool.name, ())
        )
        for pool in pools
        for own in [[each for each in scripts if any(one.pool.name == pool.name for one in each.pools)]]
    ]


def with_its_driver(pool: GpuPool, said: bool, scripts: Sequence[BootScript], images: Sequence[NodeImage]) -> GpuPool:
    """The image has the word, then the pool, then the script; then nobody, where an image was seen."""
    having = next((each for each in images if each.has_driver), None)
    if having is not None:
        return replace(pool, driver=Driver.AMI, driver_said=having.told())
    if said:
        return pool
    try:
        timelines = [each.timeline for each in scripts]
    except NotKnown:
        return replace(pool, driver=None) if images else pool
    installed = _installed(timelines)
    if installed and (images or pool.driver is Driver.AMI):
        says = Related(installed[0].place, f"the script of {pool.title} installs a driver here")
        return replace(pool, driver=Driver.USER_DATA, driver_said=says)
    if not images:
        return pool
    if all(each.has_driver is False for each in images) and not any(map(_may_install, timelines)):
        return replace(pool, driver=Driver.OPERATOR, driver_said=images[0].told())
    return replace(pool, driver=None)


def brought_by_scripts(pool: GpuPool, scripts: Sequence[BootScript]) -> GpuPool:
    """Where one of them installs a driver; that none does says nothing: the image may have one."""
    try:
        installed = _installed([each.timeline for each in scripts])
    except NotKnown:
        return pool
    if pool.driver is not None or not installed:
        return pool
    says = Related(installed[0].place, f"the script of {pool.title} installs a driver here")
    return replace(pool, driver=Driver.USER_DATA, driver_said=says)


def _installed(timelines: Sequence[Timeline]) -> Sequence[NvidiaPackage]:
    """What reads scripts is imported only where there are some."""
    if not timelines:
        return ()
    from nodeworthy.facts.boot.drivers import drivers

    return [package for each in timelines for package in drivers(each)]


def _may_install(timeline: Timeline) -> bool:
    from nodeworthy.facts.boot.drivers import may_install_one

    return may_install_one(timeline) is not None


def _registering(script: BootScript) -> Sequence[Mapping[str, str]]:
    from nodeworthy.facts.profiling.nodes import registrations

    return [labels for _, labels in registrations(script)]


def _labelled(pool: GpuPool, scripts: Sequence[BootScript], labels: Sequence[Mapping[str, str]]) -> GpuPool:
    """Every way in which its nodes register has the label, or what EKS gives them has it."""
    name, value = OWN_DRIVER
    ways = [each for script in scripts for each in _registering(script)]
    told = (bool(ways) and all(each.get(name) == value for each in ways)) or (
        bool(labels) and all(each.get(name) == value for each in labels)
    )
    return replace(pool, shuts_operators_driver_out=True) if told else pool
