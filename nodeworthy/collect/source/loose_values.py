"""Trees that may hold a chart's values, and belong to no release."""

from __future__ import annotations

from collections.abc import Iterator

from nodeworthy.collect.source.releases import document_inside
from nodeworthy.documents.tree import Tree
from nodeworthy.fleet.declaration import KEY

# What the values of our charts hold; the texts of most ConfigMaps are something else, and long.
_YAML = (".yaml", ".yml")
_MARKS = ("toolkit", "devicePlugin", "dcgmExporter", "prometheusSpec", "nvidia")


def loose_values(document: Tree) -> Iterator[Tree]:
    """A values file, what stands in the stack config of somebody's own program, or what a ConfigMap keeps for Helm."""
    if document.get("kind").text == "ConfigMap" and document.place.object is None:
        yield from _of_config_map(document)
        return
    if not document.get("apiVersion").is_absent:
        return
    if is_stack_config(document):
        yield from (child for name, child in document.get("config").mapping.items() if name != KEY)
    else:
        yield document


def _of_config_map(document: Tree) -> Iterator[Tree]:
    for name, child in document.get("data").mapping.items():
        text = child.text or ""
        if name.endswith(_YAML) and "\n" in text and any(mark in text for mark in _MARKS):
            yield document_inside(child)


def is_stack_config(document: Tree) -> bool:
    config = document.get("config")
    return config.is_mapping and ":" in next(iter(config.mapping), "")
