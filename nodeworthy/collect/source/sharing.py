"""Recognises configurations of NVIDIA's device plugin: in ConfigMaps, in values of the charts that make them, alone."""

from __future__ import annotations

from collections.abc import Iterator

from nodeworthy.collect.source.loose_values import loose_values
from nodeworthy.collect.source.releases import document_inside, releases
from nodeworthy.documents.tree import Tree
from nodeworthy.facts.operator.sharing import SharingConfig

_VERSION, _SHARING = "version:", "sharing:"
_MEANT = ("timeSlicing", "mps:", "replicas:")


def sharing_configs(document: Tree) -> Iterator[SharingConfig]:
    if document.get("kind").text == "ConfigMap":
        yield from _in_texts(document.get("data"), document.get("metadata", "name").text or "")
        return
    if document.get("kind").is_absent and document.get("sharing").is_mapping and document.get("version").text == "v1":
        yield SharingConfig(document.place, document)
        return
    found = [release.values for release in releases(document)]
    for values in found or loose_values(document):
        yield from _of_values(values)


def _of_values(values: Tree) -> Iterator[SharingConfig]:
    """Of the operator's chart, which makes a ConfigMap of `data`, and of the device plugin's own, with `map`."""
    for holder in (values, *(each for each in values.mapping.values() if each.is_mapping)):
        config = holder.get("devicePlugin", "config")
        yield from _in_texts(config.get("data"), config.get("name").text or "")
        yield from _in_texts(holder.get("config", "map"), "")


def _in_texts(data: Tree, name: str) -> Iterator[SharingConfig]:
    for key, written in data.mapping.items():
        text = written.text or ""
        if _VERSION in text and _SHARING in text and any(each in text for each in _MEANT):
            tree = document_inside(written)
            yield SharingConfig(tree.place if tree.is_mapping else written.place, tree, key, name, tuple(data.mapping))
