"""What the values of a chart bring, whoever installs it. Here stands who reads what of a release."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from nodeworthy.collect.objects import facts_of
from nodeworthy.documents.release import Release, names_within
from nodeworthy.facts.operator.recognition import misshapen_parts, operator_values
from nodeworthy.facts.operator.values import OperatorValues
from nodeworthy.scene import Fact


def facts_of_release(*found: Release) -> Iterator[Fact]:
    """The facts of a chart's values, whoever installs it."""
    for read in READ_IN_A_RELEASE if found else ():
        for release in found:
            yield from read(release)


def _flavours(values: OperatorValues) -> Iterator[Fact]:
    """Most say nothing of it."""
    if not {"kernelModuleType", "useOpenKernelModules"}.isdisjoint(values.tree.get("driver").mapping):
        from nodeworthy.facts.operator.driver_flavour import flavours_in

        yield from flavours_in(values)


def _branches(values: OperatorValues) -> Iterator[Fact]:
    if "version" in values.tree.get("driver").mapping:
        from nodeworthy.facts.operator.driver_flavour import branches_in

        yield from branches_in(values)


_TELLING = ("devicePlugin", "migManager", "mig")


def _told_of_parts(values: OperatorValues) -> Iterator[Fact]:
    if any(not {"config", "env", "strategy"}.isdisjoint(values.tree.get(part).mapping) for part in _TELLING):
        from nodeworthy.facts.operator.told_of_parts import told_of_parts

        yield from told_of_parts(values)


def facts_of_operator(values: OperatorValues) -> Iterator[Fact]:
    """The values, as a chart is given them or as a ClusterPolicy has them, and what they bring."""
    yield values
    yield from misshapen_parts(values.tree)
    yield from _flavours(values)
    yield from _branches(values)
    yield from _told_of_parts(values)


def _operator(release: Release) -> Iterator[Fact]:
    for each in operator_values(release):
        yield from facts_of_operator(each)


# What charts call what a container is to have, and the charts that make DaemonSets of ours.
_OF_PODS = frozenset(("resources", "controllers", "singleuser"))
_PLUGINS = frozenset(("nvidia-device-plugin", "config"))
_OF_DAEMONSETS = ("hami", "dcgm-exporter", "nvidia-device-plugin")


def _pods_of_chart(release: Release) -> Iterator[Fact]:
    if "app-template" in release.chart.string or not _OF_PODS.isdisjoint(names_within(release.values, 5)):
        from nodeworthy.facts.pod.chart_resources import pods_of_chart

        yield from pods_of_chart(release)


def _daemonsets_of_chart(release: Release) -> Iterator[Fact]:
    if any(each in release.chart.string for each in _OF_DAEMONSETS):
        from nodeworthy.facts.operator.daemonset_manifest import daemonsets_of_chart

        yield from daemonsets_of_chart(release)


def _sharing(release: Release) -> Iterator[Fact]:
    from nodeworthy.facts.operator.sharing import sharing_in_values

    yield from sharing_in_values(release)


def _plugins_chart(release: Release) -> Iterator[Fact]:
    if not _PLUGINS.isdisjoint((*release.values.mapping, release.chart.string.rpartition("/")[2])):
        from nodeworthy.facts.operator.plugin_chart import plugin_charts

        yield from plugin_charts(release)


def _layouts_of_chart(release: Release) -> Iterator[Fact]:
    if any("migManager" in each.mapping for each in (release.values, *release.values.mapping.values())):
        from nodeworthy.facts.operator.mig_layouts import layouts_in_values

        yield from layouts_in_values(release)


def _dra_driver(release: Release) -> Iterator[Fact]:
    has_its = {"gpuResourcesEnabledOverride", "nvidiaDriverRoot"} & release.values.mapping.keys()
    if has_its or "dra" in release.chart.string:
        from nodeworthy.facts.pod.claims import dra_drivers

        yield from dra_drivers(release)


def _monitoring(release: Release) -> Iterator[Fact]:
    if any("prometheus" in name for name in (release.chart.string, *names_within(release.values))):
        from nodeworthy.facts.services.monitoring_recognition import monitoring_stacks

        yield from monitoring_stacks(release)


def _hami(release: Release) -> Iterator[Fact]:
    from nodeworthy.facts.hami.values import hami_settings

    yield from hami_settings(release)


def _pods_network(release: Release) -> Iterator[Fact]:
    if release.chart.string.rpartition("/")[2] in ("cilium", "tigera-operator"):
        from nodeworthy.facts.fleet.said_cluster import said_by_networks_chart

        yield from said_by_networks_chart(release)


def _slinky(release: Release) -> Iterator[Fact]:
    if "nodesets" in release.values.mapping:
        from nodeworthy.facts.slurm.node_sets import node_sets_in_values

        yield from node_sets_in_values(release)


# As charts call the objects that they are given to make.
_GIVEN = ("extra", "additionalManifests", "rawManifests")


def _objects_as_values(release: Release) -> Iterator[Fact]:
    """The facts of objects that are given as values: to charts that install nothing else, and to those that make them
    besides."""
    if release.chart.string.rpartition("/")[2] == "raw":
        for each in release.values.get("resources").sequence:
            yield from facts_of(each)
    if any(name.startswith(_GIVEN) for name in release.values.mapping):
        from nodeworthy.collect.enclosed_objects import given_as_values

        for each in given_as_values(release.values):
            yield from facts_of(each)


def _pools_of_data_on_eks(release: Release) -> Iterator[Fact]:
    if release.chart.string.rpartition("/")[2] == "karpenter-resources":
        from nodeworthy.facts.fleet.karpenter_objects import objects_of_data_on_eks

        for each in objects_of_data_on_eks(release.values):
            yield from facts_of(each)


def _pools_of_an_own_chart(release: Release) -> Iterator[Fact]:
    if any("pool" in name.lower() for name in release.values.mapping):
        from nodeworthy.facts.fleet.karpenter_by_values import may_list_pools, nodes_by_values

        if may_list_pools(release.values):
            yield from nodes_by_values(release.values)


READ_IN_A_RELEASE: tuple[Callable[[Release], Iterator[Fact]], ...] = (
    _operator,
    _pods_of_chart,
    _daemonsets_of_chart,
    _sharing,
    _plugins_chart,
    _layouts_of_chart,
    _dra_driver,
    _monitoring,
    _hami,
    _slinky,
    _objects_as_values,
    _pools_of_data_on_eks,
    _pools_of_an_own_chart,
    _pods_network,
)
