"""What makes a tree kube-prometheus-stack's settings: its content, not the name of its file."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from nodeworthy.documents.release import Chart, Release
from nodeworthy.documents.tree import Tree
from nodeworthy.known.monitoring import CHART, FORMER_CHART

if TYPE_CHECKING:
    from nodeworthy.facts.services.monitoring_stack import MonitoringStack

# Keys that mean this chart where two of them stand together.
_PARTS = frozenset(
    "alertmanager coreDns defaultRules grafana kube-state-metrics kubeApiServer kubeControllerManager kubeDns kubeEtcd "
    "kubeProxy kubeScheduler kubeStateMetrics kubelet nodeExporter prometheus prometheus-node-exporter "
    "prometheusOperator thanosRuler".split()
)
_NAMES = frozenset((CHART, FORMER_CHART))
_TELLING = _PARTS - {"alertmanager", "grafana", "kube-state-metrics", "prometheus", "prometheus-node-exporter"}


def looks_like_values(tree: Tree) -> bool:
    if tree.get("prometheus", "prometheusSpec").is_mapping:
        return True
    parts = {name for name in _PARTS.intersection(tree.mapping) if tree.get(name).is_mapping}
    return len(parts) >= 2 and not _TELLING.isdisjoint(parts) and "prometheus" in parts


MONITORING = Chart(_NAMES.__contains__, looks_like_values, lambda name, _: name in _NAMES)


def monitoring_stacks(release: Release) -> Iterator[MonitoringStack]:
    for each in MONITORING.within(release):
        yield _stack(each)


def _stack(of: Release) -> MonitoringStack:
    from nodeworthy.facts.services.monitoring_stack import MonitoringStack

    spec = of.values.get("prometheus", "prometheusSpec")
    return MonitoringStack(of.place, of.origin, spec, of.elsewhere, of.values, of.name)


def prometheuses(document: Tree) -> Iterator[MonitoringStack]:
    from nodeworthy.facts.services.monitoring_stack import MonitoringStack

    api = document.get("apiVersion").text or ""
    if document.get("kind").text == "Prometheus" and api.startswith("monitoring.coreos.com/"):
        yield MonitoringStack(document.place, "Prometheus", document.get("spec"))
