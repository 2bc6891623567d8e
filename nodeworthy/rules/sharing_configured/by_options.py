"""Whether the device plugin knows the ways that it is told of, in each place where it may be told of them."""

from __future__ import annotations

from collections.abc import Iterator

from nodeworthy.documents.settled import settle
from nodeworthy.documents.tree import Tree
from nodeworthy.facts.operator.daemonset_manifest import DaemonSetManifest, Part
from nodeworthy.facts.operator.plugin_chart import PluginChart
from nodeworthy.facts.operator.sharing import MIG_STRATEGY, SharingConfig
from nodeworthy.facts.operator.told_of_parts import FINDS, IDS, LISTS, ToldPlugin, options_of
from nodeworthy.rules.sharing_configured import ENDS, RULE
from nodeworthy.verdict import Draft, Findings, Known, fail, skip

# What the plugin's validateFlags takes: k8s-device-plugin v0.19.1, cmd/nvidia-device-plugin.
_KNOWN = {
    MIG_STRATEGY: ("none", "single", "mixed"),
    LISTS: ("envvar", "volume-mounts", "cdi-annotations", "cdi-cri"),
    IDS: ("uuid", "index"),
    FINDS: ("auto", "nvml", "tegra"),
}
_LISTED = ","


@RULE.check
def a_configuration_says_what_it_knows(config: SharingConfig) -> Findings:
    flags = config.tree.get("flags")
    for option in _KNOWN:
        yield from _of_option(
            flags.get(option) if option in (MIG_STRATEGY, FINDS) else flags.get("plugin", option), option
        )


@RULE.check
def its_chart_says_what_it_knows(chart: PluginChart) -> Findings:
    said = [(chart.tree.get(option), option) for option in _KNOWN if not chart.tree.get(option).is_absent]
    if not said:
        skip("its values say nothing of how it hands GPUs over")
    for tree, option in said:
        yield from _of_option(tree, option)


@RULE.check
def a_manifest_says_what_it_knows(plugin: DaemonSetManifest) -> Findings:
    if plugin.part is not Part.DEVICE_PLUGIN or plugin.is_of_chart:
        skip("it is no device plugin of NVIDIA's by a manifest")
    said = [each for container in plugin.pods.get("containers").sequence for each in options_of(container)]
    if not said:
        skip("it is told nothing of how it hands GPUs over")
    for tree, option in said:
        yield from _of_option(tree, option)


@RULE.check
def the_operators_values_say_what_it_knows(told: ToldPlugin) -> Findings:
    for tree, option in told.said:
        yield from _of_option(tree, option)


def _of_option(said: Tree, option: str) -> Iterator[Draft]:
    """One word, of the ways to list devices several: as a list, or with commas between."""
    for each in said.sequence or (said,):
        settled = settle(each)
        if not each.text or not isinstance(settled.state, Known):
            continue
        words = each.text.split(_LISTED) if option == LISTS else [each.text]
        strange = next((word.strip() for word in words if word.strip() not in _KNOWN[option]), None)
        if strange is not None:
            yield fail(
                settled,
                f"the device plugin is told of a {option} that it does not know",
                is_=strange,
                should=" or ".join(_KNOWN[option]),
                cause=f"it refuses the option: {ENDS}",
                remedy=f"write {' or '.join(_KNOWN[option])}",
            )
