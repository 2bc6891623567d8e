"""HAMi's settings, wherever they are kept, and what makes a tree such settings: its content, no file's name."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, ClassVar

from nodeworthy.documents.release import Chart, Release, document_inside
from nodeworthy.documents.settled import settle
from nodeworthy.documents.tree import ABSENT, Tree, plant
from nodeworthy.known.hami import charts, telling_keys
from nodeworthy.records import dataclass
from nodeworthy.verdict import Known, Located, Place, Unknown

DEVICE_CONFIG, NODE_CONFIG = "device-config.yaml", "config.json"


@dataclass(frozen=True, eq=False)
class HamiValues:
    called: ClassVar[str] = "a set of HAMi's values"

    place: Place
    # Under the chart's names.
    tree: Tree
    # Where they were kept, in a reader's words.
    origin: str
    # Why settings may also come from somewhere that was not read; None if they can't.
    elsewhere: str | None = None

    def written(self, *names: str) -> Tree | None:
        """A setting as somebody wrote it; None where nobody did."""
        tree = self.tree.get(*names)
        return None if tree.says_nothing or tree.text == "" else tree

    def said(self, *names: str) -> Located[Any] | None:
        """The same, settled; unknown where somebody else may say it."""
        tree = self.written(*names)
        if tree is not None:
            return settle(tree)
        if self.elsewhere is not None:
            return Located.unknown(f"{names[-1]} is not known: {self.elsewhere}", self.tree.get(*names).place)
        return None

    @property
    def node_selector(self) -> Tree:
        """The selector of nodes for the device plugin. The chart has spelt its key in two ways."""
        plugin = self.tree.get("devicePlugin")
        former = plugin.get("nvidianodeSelector")
        return former if not former.is_absent else plugin.get("nvidiaNodeSelector")


@dataclass(frozen=True, eq=False)
class HamiNodeConfigs:
    """What HAMi's device plugin reads for each node (`config.json`), which goes before everything else there."""

    called: ClassVar[str] = "a config of HAMi's device plugin"

    place: Place
    tree: Tree
    origin: str
    # Why Go's JSON would not take it; the device plugin then goes on without.
    broken: str | None = None

    @property
    def entries(self) -> tuple[Tree, ...]:
        return tuple(each for each in self.tree.get("nodeconfig").sequence if each.is_mapping)


def truth(located: Located[Any] | None, *, default: bool) -> Located[bool] | None:
    """A switch, which people also write as a string; None where nobody says it, and it has no such value."""
    if located is None:
        return None
    if isinstance(located.state, Unknown):
        return located
    value = located.state.value
    if isinstance(value, str):
        value = {"true": True, "false": False}.get(value.lower())
    return Located(Known(value if isinstance(value, bool) else default), located.place)


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


def looks_like_values(tree: Tree) -> bool:
    keys = telling_keys()
    if not keys["device_plugin"].isdisjoint(tree.get("devicePlugin").mapping):
        return True
    if not keys["scheduler"].isdisjoint(tree.get("scheduler").mapping):
        return True
    named = [tree.get(name).string for name in keys["top"]]
    return any("gpu" in each for each in named)


def _has_parts(tree: Tree) -> bool:
    return any(tree.get(name).is_mapping for name in ("scheduler", "devicePlugin", "devices"))


HAMI = Chart(
    lambda name: name in charts(), looks_like_values, lambda name, child: name in charts() and _has_parts(child)
)


def hami_settings(release: Release) -> Iterator[HamiValues | HamiNodeConfigs]:
    """The values themselves, and the config files that stand in them as texts."""
    for each in HAMI.within(release):
        yield HamiValues(each.place, each.values, each.origin, each.elsewhere)
        written = each.values.get("devicePlugin", "nodeConfiguration", "config")
        if written.text:
            yield node_configs(written, each.place, each.origin)
        yield from _of_device_config(each.values.get("device-config", "content"), each.place, each.origin)


def hami_config_maps(document: Tree) -> Iterator[HamiValues | HamiNodeConfigs]:
    """What the chart makes of them."""
    if document.get("kind").text != "ConfigMap":
        return
    data = document.get("data")
    written = data.get(NODE_CONFIG)
    if written.text and '"nodeconfig"' in written.text:
        yield node_configs(written, document.place, "ConfigMap")
    config = data.get(DEVICE_CONFIG)
    if "resourceCountName" in config.string:
        yield from _of_device_config(config, document.place, "ConfigMap")


def node_configs(written: Tree, place: Place, origin: str) -> HamiNodeConfigs:
    text = written.string
    tree = document_inside(written)
    at = written.place if written.place.path or written.place.object else place
    if "{{" in text:
        return HamiNodeConfigs(at, tree, origin)
    from json import loads

    try:
        data = loads(text)
    except ValueError as problem:
        return HamiNodeConfigs(at, tree, origin, broken=str(problem))
    # Tabs are no YAML, and JSON all the same.
    return HamiNodeConfigs(at, plant(data, at) if isinstance(tree.value, Unknown) else tree, origin)


def _of_device_config(content: Tree, place: Place, origin: str) -> Iterator[HamiValues]:
    found = values_of_device_config(document_inside(content), place, origin) if content.text else None
    if found is not None:
        yield found


def values_of_device_config(config: Tree, place: Place, origin: str) -> HamiValues | None:
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
