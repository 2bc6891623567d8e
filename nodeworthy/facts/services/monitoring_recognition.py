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
# OpenShift's own monitoring has a part called thanosRuler beside its prometheus, and keeps retention there.
_TELLING = _PARTS - set(
    "alertmanager grafana kube-state-metrics prometheus prometheus-node-exporter thanosRuler".split()
)


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

    api = document.get("apiVersion").string
    if document.get("kind").text == "Prometheus" and api.startswith("monitoring.coreos.com/"):
        yield MonitoringStack(document.place, "Prometheus", document.get("spec"))


# Grafana's settings in a chart's values: of its own chart, or under its key in kube-prometheus-stack's and Loki's.


# Keys of Grafana's chart that hardly another one has.
_ITS_OWN = frozenset(
    "adminPassword additionalDataSources dashboardProviders dashboardsConfigMaps datasources grafana.ini".split()
)
# Those that mean it without its name above them.
_GRAFANAS_KEYS = frozenset(("dashboardProviders", "grafana.ini", "dashboardsConfigMaps"))


def is_grafana_values(document: Tree) -> bool:
    if not document.is_mapping or not document.get("apiVersion").is_absent or not document.get("kind").is_absent:
        return False
    under = document.get("grafana").mapping
    return not _ITS_OWN.isdisjoint(under) or not _GRAFANAS_KEYS.isdisjoint(document.mapping)
