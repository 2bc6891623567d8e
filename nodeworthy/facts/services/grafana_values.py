"""Grafana's settings in a chart's values: of its own chart, or under its key in kube-prometheus-stack's and Loki's."""

from __future__ import annotations

from nodeworthy.documents.tree import Tree

# Keys of Grafana's chart that hardly another one has.
_ITS_OWN = frozenset(
    "adminPassword additionalDataSources dashboardProviders dashboardsConfigMaps datasources grafana.ini".split()
)
# Those that mean it without its name above them.
_TELLING = frozenset(("dashboardProviders", "grafana.ini", "dashboardsConfigMaps"))


def is_grafana_values(document: Tree) -> bool:
    if not document.is_mapping or not document.get("apiVersion").is_absent or not document.get("kind").is_absent:
        return False
    under = document.get("grafana").mapping
    return not _ITS_OWN.isdisjoint(under) or not _TELLING.isdisjoint(document.mapping)
