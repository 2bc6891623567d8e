"""The settings of a Prometheus in a document, wherever it keeps them."""

from __future__ import annotations

from collections.abc import Iterator

from nodeworthy.collect.source.loose_values import loose_values
from nodeworthy.collect.source.releases import Release, releases
from nodeworthy.documents.tree import Tree
from nodeworthy.facts.services.monitoring_recognition import (
    is_prometheus,
    of_prometheus,
    of_values,
    stacks_of_chart,
    values_within,
)
from nodeworthy.facts.services.monitoring_stack import MonitoringStack


def monitoring_stacks(document: Tree) -> Iterator[MonitoringStack]:
    if is_prometheus(document):
        yield of_prometheus(document)
        return
    found = list(releases(document))
    for release in found:
        yield from _of_release(release)
    if found:
        return
    for loose in loose_values(document):
        for tree in values_within(loose):
            yield of_values(tree, "Helm values", tree.place)


def _of_release(release: Release) -> Iterator[MonitoringStack]:
    document = release.document
    named = document.get("spec", "releaseName").text or document.get("metadata", "name").text
    at, elsewhere = document.place, release.elsewhere
    yield from stacks_of_chart(release.chart, release.values, at, release.origin, elsewhere=elsewhere, release=named)
