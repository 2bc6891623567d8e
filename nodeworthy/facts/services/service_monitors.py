"""What leads from a ServiceMonitor to the pods that are scraped: the services that it chooses, the pods behind them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from nodeworthy.documents.plain import at, mapping_at, strings_at, text_at
from nodeworthy.facts.cluster.pod import ClusterPod
from nodeworthy.facts.cluster.selector import selects


def leads_to(service: Mapping[str, Any], pod: ClusterPod) -> bool:
    chosen = strings_at(service, "spec", "selector").items()
    return text_at(service, "metadata", "namespace") == pod.namespace and bool(chosen) and chosen <= pod.labels.items()


def chooses(monitor: Mapping[str, Any], service: Mapping[str, Any]) -> bool:
    where = text_at(service, "metadata", "namespace")
    spec = mapping_at(monitor, "spec")
    written = at(spec, "namespaceSelector", "matchNames")
    named = written if isinstance(written, list) else []
    anywhere = at(spec, "namespaceSelector", "any") is True
    if not anywhere and where not in (named or [text_at(monitor, "metadata", "namespace")]):
        return False
    return selects(mapping_at(spec, "selector"), strings_at(service, "metadata", "labels"))
