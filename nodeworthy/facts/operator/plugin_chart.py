"""The values of the device plugin's own chart: where it finds its configurations, and how it hands GPUs over."""

from __future__ import annotations

from collections.abc import Iterator
from typing import ClassVar

from nodeworthy.documents.release import LOOSE, Release, chart_name
from nodeworthy.documents.tree import Tree
from nodeworthy.facts.operator.sharing import OPERATORS
from nodeworthy.records import dataclass
from nodeworthy.verdict import Place

CHART = "nvidia-device-plugin"
_CONFIG = frozenset(("name", "map", "default", "fallbackStrategies"))
# What no other chart around GPUs has beside a `config` of this form.
_OWN = frozenset(
    "compatWithCPUManager deviceDiscoveryStrategy deviceIDStrategy deviceListStrategy failOnInitError gfd migStrategy "
    "nvidiaDriverRoot runtimeClassName".split()
)


@dataclass(frozen=True, eq=False)
class PluginChart:
    called: ClassVar[str] = "values of the device plugin's chart"

    place: Place
    tree: Tree
    origin: str
    elsewhere: str | None = None

    @property
    def config(self) -> Tree:
        return self.tree.get("config")

    @property
    def is_loose(self) -> bool:
        """Whoever installs the chart with these values may say more on the command line."""
        return self.origin == LOOSE


def plugin_charts(release: Release) -> Iterator[PluginChart]:
    """By the name of the chart, by a parent chart's key, or by what is in values that belong to no release."""
    values = release.values
    is_its = chart_name(release.chart) == CHART or (release.origin == LOOSE and _looks_like_it(values))
    tree = values if is_its else values.get(CHART)
    if tree.is_mapping:
        yield PluginChart(release.place, tree, release.origin, release.elsewhere)


def _looks_like_it(values: Tree) -> bool:
    config = values.get("config")
    if not config.mapping or not _CONFIG.issuperset(config.mapping) or not OPERATORS.isdisjoint(values.mapping):
        return False
    return not _OWN.isdisjoint(values.mapping)
