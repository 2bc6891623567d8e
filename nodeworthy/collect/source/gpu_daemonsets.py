"""Recognises DCGM exporters and device plugins: their manifests, and the charts that make them."""

from __future__ import annotations

from collections.abc import Iterator

from nodeworthy.collect.source.releases import releases
from nodeworthy.documents.tree import Tree
from nodeworthy.facts.operator.daemonset_manifest import DaemonSetManifest, daemonsets, of_chart


def gpu_daemonsets(document: Tree) -> Iterator[DaemonSetManifest]:
    yield from daemonsets(document)
    for release in releases(document):
        name = release.document.get("metadata", "name").text or release.chart.text
        title = f"{release.origin} '{name}'"
        yield from of_chart(release.chart, release.values, release.document.place, title, release.elsewhere)
