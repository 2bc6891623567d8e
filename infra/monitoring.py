"""kube-prometheus-stack: Prometheus on a disk that its retention fits, and Grafana with dashboards that are code.

GPUs are measured by the operator's DCGM exporter, whose ServiceMonitor the operator brings (`fleet.operator`). Who
reaches Grafana's NodePort is said where NodePorts are opened: in the nodes' security group.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import declared
import pulumi
import pulumi_kubernetes as kubernetes
from cluster import Cluster
from pulumi_kubernetes.helm.v3 import Release, ReleaseArgs, RepositoryOptsArgs
from storage import Disks

from nodeworthy.facts.pod.containers import quantity
from nodeworthy.facts.services.monitoring_stack import fitting
from nodeworthy.fleet.model import Fleet, Monitoring

NAME = "kube-prometheus-stack"
NAMESPACE = "monitoring"
VERSION = "78.5.0"
REPOSITORY = "https://prometheus-community.github.io/helm-charts"
GRAFANA = "grafana-admin"
KEY = "grafanaPassword"
DASHBOARDS = Path(__file__).parent / "dashboards"
# What Grafana's sidecar looks for.
LABEL = "grafana_dashboard"


def build(fleet: Fleet, cluster: Cluster, disks: Disks) -> list[pulumi.Resource]:
    if fleet.monitoring is None:
        return []
    password = declared.secret(KEY, "monitoring", "monitoring, and its config no password for Grafana")
    by = pulumi.ResourceOptions(provider=cluster.kubernetes)
    namespace = kubernetes.core.v1.Namespace(NAMESPACE, metadata={"name": NAMESPACE}, opts=by)
    opts = pulumi.ResourceOptions.merge(by, pulumi.ResourceOptions(depends_on=[namespace]))
    admin = kubernetes.core.v1.Secret(
        GRAFANA,
        metadata={"name": GRAFANA, "namespace": NAMESPACE},
        string_data=password.apply(lambda password: {"user": "admin", "password": password}),
        opts=opts,
    )
    release = Release(
        NAME,
        ReleaseArgs(
            name=NAME,
            chart=NAME,
            version=VERSION,
            repository_opts=RepositoryOptsArgs(repo=REPOSITORY),
            namespace=NAMESPACE,
            values=values(fleet.monitoring, disks.name),
        ),
        opts=pulumi.ResourceOptions.merge(opts, pulumi.ResourceOptions(depends_on=[admin])),
    )
    return [release, *(_dashboard(each, opts) for each in sorted(DASHBOARDS.glob("*.json")))]


def _dashboard(file: Path, opts: pulumi.ResourceOptions) -> kubernetes.core.v1.ConfigMap:
    return kubernetes.core.v1.ConfigMap(
        f"dashboard-{file.stem}",
        metadata={"name": f"dashboard-{file.stem}", "namespace": NAMESPACE, "labels": {LABEL: "1"}},
        data={file.name: file.read_text(encoding="utf-8")},
        opts=opts,
    )


def values(monitoring: Monitoring, storage_class: pulumi.Input[str]) -> dict[str, Any]:
    return {
        "prometheus": {"prometheusSpec": _prometheus(monitoring, storage_class)},
        "grafana": {
            "admin": {"existingSecret": GRAFANA, "userKey": "user", "passwordKey": "password"},
            "service": {"type": "NodePort", "nodePort": monitoring.grafana_node_port},
            "sidecar": {"dashboards": {"enabled": True, "label": LABEL, "labelValue": "1"}},
            # Without a session of its own nobody sees anything.
            "grafana.ini": {"auth.anonymous": {"enabled": False}, "users": {"allow_sign_up": False}},
        },
        # By which dashboards tell pools apart.
        "kube-state-metrics": {"metricLabelsAllowlist": ["nodes=[nodeworthy/pool]"]},
        # On EKS nobody reaches what AWS runs: alerts on it would never end.
        "kubeControllerManager": {"enabled": False},
        "kubeScheduler": {"enabled": False},
        "kubeEtcd": {"enabled": False},
    }


def _prometheus(monitoring: Monitoring, storage_class: pulumi.Input[str]) -> dict[str, Any]:
    claim = {
        "storageClassName": storage_class,
        "accessModes": ["ReadWriteOnce"],
        "resources": {"requests": {"storage": monitoring.volume}},
    }
    return {
        "retention": monitoring.retention,
        "retentionSize": fitting(int(quantity(monitoring.volume))),
        "storageSpec": {"volumeClaimTemplate": {"spec": claim}},
        # Whoever brings a ServiceMonitor is scraped, and not only this release.
        "serviceMonitorSelectorNilUsesHelmValues": False,
        "podMonitorSelectorNilUsesHelmValues": False,
        "ruleSelectorNilUsesHelmValues": False,
        "resources": {"requests": {"cpu": "500m", "memory": "2Gi"}, "limits": {"memory": "8Gi"}},
    }
