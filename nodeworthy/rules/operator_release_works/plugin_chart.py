"""Whether the device plugin's own chart reads what its values say."""

from __future__ import annotations

from collections.abc import Iterator

from nodeworthy.documents.tree import Tree
from nodeworthy.facts.operator.plugin_chart import PluginChart
from nodeworthy.known.operator_parts import plugin_keys, plugins_key
from nodeworthy.rules.operator_release_works import RULE
from nodeworthy.verdict import Findings, Severity, fail


@RULE.check
def the_plugins_chart_reads_them(chart: PluginChart) -> Findings:
    for key, tree, meant in _slips(chart.tree):
        yield fail(
            tree.heading,
            f"the device plugin's chart reads no {key}: what it says is passed over",
            is_=key,
            should=meant,
            cause=f"no release of the chart has {key} among its values, and Helm says nothing",
            remedy=f"write {meant} instead: helm show values nvdp/nvidia-device-plugin lists what is read",
            severity=Severity.WARNING,
        )


def _slips(values: Tree) -> Iterator[tuple[str, Tree, str]]:
    """Keys that are one of the chart's but for a few letters, where that one is not written as well."""
    known = plugin_keys()
    for key, tree in values.mapping.items():
        meant = plugins_key(key) if key not in known and not tree.says_nothing else None
        if meant is not None and meant not in values.mapping:
            yield key, tree, meant
