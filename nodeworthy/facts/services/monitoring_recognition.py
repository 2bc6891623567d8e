"""What makes a tree kube-prometheus-stack's settings: its content, not the name of its file."""

from __future__ import annotations

from collections.abc import Iterator

from nodeworthy.documents.chart_values import chart_values
from nodeworthy.documents.tree import Tree
from nodeworthy.facts.services.monitoring_stack import MonitoringStack
from nodeworthy.known.monitoring import CHART, FORMER_CHART
from nodeworthy.verdict import Place

# Keys that mean this chart where two of them stand together.
_PARTS = frozenset(
    "alertmanager coreDns defaultRules grafana kube-state-metrics kubeApiServer kubeControllerManager kubeDns kubeEtcd "
    "kubeProxy kubeScheduler kubeStateMetrics kubelet nodeExporter prometheus prometheus-node-exporter "
    "prometheusOperator thanosRuler".split()
)
_TELLING = _PARTS - {"alertmanager", "grafana", "kube-state-metrics", "prometheus", "prometheus-node-exporter"}


def is_monitoring_chart(chart: Tree) -> bool:
    return chart.text is not None and chart.text.rstrip("/").rsplit("/", 1)[-1] in (CHART, FORMER_CHART)


def looks_like_values(tree: Tree) -> bool:
    if tree.get("prometheus", "prometheusSpec").is_mapping:
        return True
    parts = {name for name in _PARTS.intersection(tree.mapping) if tree.get(name).is_mapping}
    return len(parts) >= 2 and not _TELLING.isdisjoint(parts) and "prometheus" in parts


def values_within(tree: Tree) -> Iterator[Tree]:
    return chart_values(tree, looks_like_values, lambda name, _: name in (CHART, FORMER_CHART))


def of_values(
    values: Tree, origin: str, place: Place, elsewhere: str | None = None, release: str | None = None
) -> MonitoringStack:
    spec = values.get("prometheus", "prometheusSpec")
    return MonitoringStack(place, origin, spec, elsewhere, values, release)


def stacks_of_chart(
    chart: Tree, values: Tree, place: Place, origin: str, *, elsewhere: str | None, release: str | None
) -> Iterator[MonitoringStack]:
    """Of a release: the chart itself, or one that has it as a part."""
    found = [values] if is_monitoring_chart(chart) else values_within(values)
    for tree in found:
        yield of_values(tree, origin, place, elsewhere, release)


def is_prometheus(document: Tree) -> bool:
    api = document.get("apiVersion").text or ""
    return document.get("kind").text == "Prometheus" and api.startswith("monitoring.coreos.com/")


def of_prometheus(document: Tree) -> MonitoringStack:
    return MonitoringStack(document.place, "Prometheus", document.get("spec"))
