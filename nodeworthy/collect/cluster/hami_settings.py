"""HAMi's settings in a cluster: its ConfigMaps, and what its programs are started with."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from nodeworthy.collect.cluster.seen import ClusterObjects
from nodeworthy.documents.plain import text_at
from nodeworthy.documents.tree import plant
from nodeworthy.facts.hami.cluster import HamiPart, Installation, Role
from nodeworthy.facts.hami.placed import plugin_spec
from nodeworthy.facts.hami.values import HamiNodeConfigs, HamiValues, hami_config_maps

_SCHEDULERS = {
    "--scheduler-name": ("schedulerName",),
    "--force-overwrite-default-scheduler": ("scheduler", "forceOverwriteDefaultScheduler"),
    "--node-scheduler-policy": ("scheduler", "defaultSchedulerPolicy", "nodeSchedulerPolicy"),
    "--gpu-scheduler-policy": ("scheduler", "defaultSchedulerPolicy", "gpuSchedulerPolicy"),
}
_PLUGINS = {"--mig-strategy": ("devicePlugin", "migStrategy")}


def settings_of(seen: ClusterObjects, one: Installation) -> Iterator[HamiValues | HamiNodeConfigs]:
    for (namespace, _), document in seen.hami.configs.items():
        if namespace == one.namespace:
            yield from hami_config_maps(document)
    for role, named in ((Role.SCHEDULER, _SCHEDULERS), (Role.DEVICE_PLUGIN, _PLUGINS)):
        part = next((each for each in one.of(role) if each.arguments), None)
        if part is not None:
            yield _of_arguments(part, named)
    found = plugin_spec(one)
    if found is not None and text_at(found[1], "runtimeClassName"):
        place, spec = found
        values = {"devicePlugin": {"runtimeClassName": text_at(spec, "runtimeClassName")}}
        yield HamiValues(place, plant(values, place), "the device plugin's own pods")


def _of_arguments(part: HamiPart, named: Mapping[str, tuple[str, ...]]) -> HamiValues:
    values: dict[str, Any] = {}
    for argument, path in named.items():
        if argument in part.arguments:
            within = values
            for name in path[:-1]:
                within = within.setdefault(name, {})
            within[path[-1]] = part.arguments[argument]
    return HamiValues(part.pod.place, plant(values, part.pod.place), "the arguments of HAMi's own pods")
