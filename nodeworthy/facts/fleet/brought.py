"""What else nodes get, and from whom: the container toolkit, a device plugin, a firewall. Asked by who tells of a pool,
not by rules, which look closer."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from nodeworthy.boot.effects import Runs
from nodeworthy.facts.fleet.eksctl import NODE_GROUP
from nodeworthy.facts.fleet.gpu_pool import GpuPool
from nodeworthy.facts.fleet.plugin_by_address import PluginByAddress
from nodeworthy.facts.operator.daemonset_manifest import DaemonSetManifest, Part
from nodeworthy.facts.operator.values import OperatorValues
from nodeworthy.fleet.model import Driver
from nodeworthy.known.containerd import Containerd
from nodeworthy.records import dataclass
from nodeworthy.verdict import Known, Located, NotKnown, Place, value_if_known

_IMAGE, _SCRIPT, _OPERATOR = "image", "user-data", "operator"
_MICROK8S, _ADDONS = "microk8s", frozenset(("gpu", "nvidia"))


@dataclass(frozen=True)
class Brought:
    by: str
    says: str
    place: Place


def driver_of(pool: GpuPool, values: Sequence[OperatorValues]) -> Brought | None:
    """Who brings the driver: whoever is seen to bring it; else the operator, where all settings that are here leave it
    to it."""
    if pool.driver is not None:
        told = pool.driver_said
        return Brought(pool.driver.value, told.says if told is not None else "", told.place if told else pool.place)
    return _by_operator("driver", [each.brings_driver for each in values])


def toolkit_of(pool: GpuPool, values: Sequence[OperatorValues]) -> Brought | None:
    runtime = _runtime(pool)
    if pool.driver is Driver.AMI and runtime is not None and runtime.brings_toolkit:
        return Brought(_IMAGE, runtime.brings_toolkit, pool.runtime.place)
    by_script = next(_toolkits(pool), None) or _addon_of_microk8s(pool)
    return by_script or _by_operator("toolkit", [each.toolkit.enabled for each in values])


def plugin_of(
    pool: GpuPool, values: Sequence[OperatorValues], daemonsets: Iterable[DaemonSetManifest | PluginByAddress]
) -> Brought | None:
    runtime = _runtime(pool)
    if pool.driver is Driver.AMI and runtime is not None and runtime.plugin_in_image and not pool.sets_own_plugin:
        return Brought(_IMAGE, "its image runs NVIDIA's device plugin", pool.runtime.place)
    if runtime is not None and runtime.own_plugin:
        return Brought(runtime.distribution.partition("-")[0], runtime.own_plugin, pool.runtime.place)
    own = next((each for each in daemonsets if each.part is not Part.DCGM_EXPORTER), None)
    if own is not None:
        return Brought("daemonset", own.title, own.place)
    # What nodes of a cluster say of themselves stands in no file, and does not say who made their group.
    is_eksctls = pool.noun == NODE_GROUP and pool.place.line is not None
    if is_eksctls and runtime is not None and not runtime.plugin_in_image:
        return Brought("eksctl", "eksctl installs NVIDIA's device plugin with its groups of GPUs", pool.place)
    addon = _addon_of_microk8s(pool)
    if addon is not None:
        return addon
    said = [each.part("devicePlugin", default=True) for each in values]
    # What a release leaves to files of values that lie elsewhere, these say.
    return _by_operator("devicePlugin", [each for each in said if isinstance(each.state, Known)])


def firewall_of(pool: GpuPool) -> Brought | None:
    """The last word of its scripts: `none`, or the program that is switched on."""
    from nodeworthy.facts.firewall.firewall import Does
    from nodeworthy.facts.firewall.steps import steps_in

    try:
        steps = [step for each in pool.scripts for step in steps_in(each.timeline)]
    except NotKnown:
        return None
    switched = [each for each in steps if each.does in (Does.ON, Does.OFF) and not each.conditions]
    if not switched:
        return None
    last = switched[-1]
    return Brought(last.table if last.does is Does.ON else "none", f"`{last.command}`", last.place)


def _toolkits(pool: GpuPool) -> Iterator[Brought]:
    from nodeworthy.facts.boot.toolkit_installed import toolkits

    try:
        for script in pool.scripts:
            for installs, package in toolkits(script.timeline):
                # What Ansible puts behind the name is the version.
                yield Brought(_SCRIPT, f"its script installs {package.partition('{{')[0]}", installs.place)
    except NotKnown:
        return


def _addon_of_microk8s(pool: GpuPool) -> Brought | None:
    """MicroK8s' add-on for GPUs is the operator, with all of its parts but a driver that is there already."""
    runtime = _runtime(pool)
    if runtime is None or runtime.distribution != _MICROK8S:
        return None
    try:
        runs = [each for script in pool.scripts for each in script.timeline.of(Runs)]
    except NotKnown:
        return None
    for each in runs:
        words = [one.shown() for one in each.arguments]
        if words[:2] in ([_MICROK8S, "enable"], ["microk8s.enable", *words[1:2]]) and not _ADDONS.isdisjoint(words):
            return Brought(_OPERATOR, "MicroK8s' add-on for GPUs is the operator", each.place)
    return None


def _by_operator(part: str, said: Sequence[Located[bool]]) -> Brought | None:
    if not said or any(each.state != Known(True) for each in said):
        return None
    how = "says so" if said[0].written else "leaves it on"
    return Brought(_OPERATOR, f"the operator's {part}.enabled {how}", said[0].place)


def _runtime(pool: GpuPool) -> Containerd | None:
    return value_if_known(pool.runtime)
