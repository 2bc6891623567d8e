"""What kube-prometheus-stack and Prometheus do where nobody tells them otherwise, and how much of a disk they need."""

from __future__ import annotations

from collections.abc import Mapping

CHART = "kube-prometheus-stack"
# Its name until 2020, under which it lives on in parent charts.
FORMER_CHART = "prometheus-operator"
# The chart's values.yaml: prometheus.prometheusSpec.retention.
RETENTION = "10d"
# Prometheus, "Operational aspects" of its storage: retention.size at most 80 to 85% of the disk, for the write-ahead
# log and the blocks that are being compacted come on top of it. More than nine tenths is beyond any reading of that.
# Both in per cent.
FITS = 85
TOO_MUCH = 90
# However little is watched: a cluster of one node writes more than 100 MB a day with the chart's own exporters,
# so that a GiB never holds more days than these.
DAYS_IN_A_GIB = 10

# Where the chart reads what decides over the disk and over what is scraped; anywhere else its templates look at none.
# prometheus-community/helm-charts, charts/kube-prometheus-stack/values.yaml and templates/prometheus, 88.5.3; 2026-08.
_SPEC = ("prometheus", "prometheusSpec")
READ_AT: Mapping[str, tuple[str, ...]] = {
    **dict.fromkeys(("prometheusSpec", "additionalServiceMonitors", "additionalPodMonitors"), ("prometheus",)),
    **dict.fromkeys(("retention", "retentionSize", "storageSpec", "additionalScrapeConfigs"), _SPEC),
    **{f"{kind}MonitorSelector{rest}": _SPEC for kind in ("service", "pod") for rest in ("", "NilUsesHelmValues")},
}
# What another part of the chart calls otherwise.
CALLED: Mapping[tuple[str, ...], tuple[str, ...]] = {
    ("alertmanager", "alertmanagerSpec", "storageSpec"): ("alertmanager", "alertmanagerSpec", "storage"),
}
LEVELS: tuple[tuple[str, ...], ...] = ((), ("prometheus",), _SPEC)
