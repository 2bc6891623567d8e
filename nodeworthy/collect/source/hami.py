"""HAMi's settings in a document: its chart's values, and the ConfigMaps that the chart makes of them."""

from __future__ import annotations

import json
from collections.abc import Iterator

from nodeworthy.collect.source.loose_values import loose_values
from nodeworthy.collect.source.releases import Release, document_inside, releases
from nodeworthy.documents.tree import Tree, plant
from nodeworthy.facts.hami.values import HamiNodeConfigs, HamiValues, of_device_config, values_of_chart, values_within
from nodeworthy.verdict import Place, Unknown

DEVICE_CONFIG, NODE_CONFIG = "device-config.yaml", "config.json"
HamiFact = HamiValues | HamiNodeConfigs


def hami_settings(document: Tree) -> Iterator[HamiFact]:
    if document.get("kind").text == "ConfigMap":
        yield from _of_config_map(document)
    found = list(releases(document))
    for release in found:
        yield from _of_release(release)
    if found:
        return
    for loose in loose_values(document):
        for tree in values_within(loose):
            yield from within_values(HamiValues(tree.place, tree, "Helm values"))


def _of_release(release: Release) -> Iterator[HamiFact]:
    place, origin = release.document.place, release.origin
    for values in values_of_chart(release.chart, release.values, place, origin, release.elsewhere):
        yield from within_values(values)


def within_values(values: HamiValues) -> Iterator[HamiFact]:
    """The values themselves, and the config files that stand in them as texts."""
    yield values
    written = values.tree.get("devicePlugin", "nodeConfiguration", "config")
    if written.text:
        yield node_configs(written, values.place, values.origin)
    content = values.tree.get("device-config", "content")
    found = of_device_config(document_inside(content), values.place, values.origin) if content.text else None
    if found is not None:
        yield found


def _of_config_map(document: Tree) -> Iterator[HamiFact]:
    data = document.get("data")
    written = data.get(NODE_CONFIG)
    if written.text and '"nodeconfig"' in written.text:
        yield node_configs(written, document.place, "ConfigMap")
    config = data.get(DEVICE_CONFIG)
    if config.text and "resourceCountName" in config.text:
        found = of_device_config(document_inside(config), document.place, "ConfigMap")
        if found is not None:
            yield found


def node_configs(written: Tree, place: Place, origin: str) -> HamiNodeConfigs:
    text = written.text or ""
    tree = document_inside(written)
    at = written.place if written.place.path or written.place.object else place
    if "{{" in text:
        return HamiNodeConfigs(at, tree, origin)
    try:
        data = json.loads(text)
    except ValueError as problem:
        return HamiNodeConfigs(at, tree, origin, broken=str(problem))
    # Tabs are no YAML, and JSON all the same.
    return HamiNodeConfigs(at, plant(data, at) if isinstance(tree.value, Unknown) else tree, origin)
