"""What makes a tree HAMi's settings: its content, not the name of its file."""

from __future__ import annotations

import posixpath
from collections.abc import Iterator

from nodeworthy.documents.chart_values import chart_values
from nodeworthy.documents.tree import ABSENT, Tree
from nodeworthy.facts.hami.values import HamiValues
from nodeworthy.known.hami import charts, telling_keys
from nodeworthy.verdict import Place

# Of the ConfigMap's `nvidia` section: the name under which the chart's values have each.
_IN_VALUES = {
    "resourceCountName": ("resourceName",),
    "resourceMemoryName": ("resourceMem",),
    "resourceMemoryPercentageName": ("resourceMemPercentage",),
    "resourceCoreName": ("resourceCores",),
    "resourcePriorityName": ("resourcePriority",),
    "deviceSplitCount": ("devicePlugin", "deviceSplitCount"),
    "deviceMemoryScaling": ("devicePlugin", "deviceMemoryScaling"),
    "deviceCoreScaling": ("devicePlugin", "deviceCoreScaling"),
    "runtimeClassName": ("devicePlugin", "runtimeClassName"),
    "gpuCorePolicy": ("devices", "nvidia", "gpuCorePolicy"),
    "memoryFactor": ("devices", "nvidia", "memoryFactor"),
    "defaultGPUNum": ("devices", "nvidia", "defaultGPUNum"),
}


def is_hami_chart(chart: Tree) -> bool:
    return chart.text is not None and posixpath.basename(chart.text.rstrip("/")) in charts()


def looks_like_values(tree: Tree) -> bool:
    keys = telling_keys()
    if not keys["device_plugin"].isdisjoint(tree.get("devicePlugin").mapping):
        return True
    if not keys["scheduler"].isdisjoint(tree.get("scheduler").mapping):
        return True
    named = [tree.get(name).text or "" for name in keys["top"]]
    return any("gpu" in each for each in named)


def values_within(tree: Tree) -> Iterator[Tree]:
    return chart_values(tree, looks_like_values, lambda name, child: name in charts() and _has_parts(child))


def _has_parts(tree: Tree) -> bool:
    return any(tree.get(name).is_mapping for name in ("scheduler", "devicePlugin", "devices"))


def values_of_chart(
    chart: Tree, values: Tree, place: Place, origin: str, elsewhere: str | None
) -> Iterator[HamiValues]:
    """Of a release: the chart itself, or one that has it as a part."""
    if is_hami_chart(chart):
        tree = values if values.is_mapping or values.is_unknown else Tree({}, place)
        yield HamiValues(place, tree, origin, elsewhere)
        return
    for tree in values_within(values):
        yield HamiValues(tree.place if tree.place.path else place, tree, origin, elsewhere)


def of_device_config(config: Tree, place: Place, origin: str) -> HamiValues | None:
    """What `device-config.yaml` says of NVIDIA's GPUs, under the names of the chart's values."""
    section = config.get("nvidia")
    if not section.is_mapping:
        return None
    return HamiValues(place, _in_values(section), origin)


def _in_values(section: Tree) -> Tree:
    found: dict[tuple[str, ...], Tree] = {}
    for name, path in _IN_VALUES.items():
        child = section.get(name)
        if child.value is not ABSENT:
            found[path] = child
    return _grown(found, section)


def _grown(found: dict[tuple[str, ...], Tree], near: Tree) -> Tree:
    """A tree of what lies under these paths."""
    children: dict[str, Tree] = {path[0]: tree for path, tree in found.items() if len(path) == 1}
    for head in {path[0]: None for path in found if len(path) > 1}:
        below = {path[1:]: tree for path, tree in found.items() if path[0] == head and len(path) > 1}
        children[head] = _grown(below, near)
    return Tree(children, near.place, near.key)
