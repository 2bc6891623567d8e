"""One endpoint of a monitor in two entries, and two that are two."""

from __future__ import annotations

from typing import Any

import pytest

from nodeworthy.documents.tree import plant
from nodeworthy.facts.services.monitoring_stack import split_endpoints
from nodeworthy.verdict import Place


def monitor(*endpoints: dict[str, Any], kind: str = "ServiceMonitor", under: str = "endpoints") -> list[str]:
    document = {"apiVersion": "monitoring.coreos.com/v1", "kind": kind, "spec": {under: list(endpoints)}}
    return [each.says for each in split_endpoints(plant(document, Place()))]


def test_a_dash_too_many() -> None:
    assert monitor({"port": "metrics"}, {"interval": "15s"}) == ["interval"]
    assert monitor({"targetPort": 9400}, {"path": "/metrics", "interval": "15s"}) == ["path"]
    assert monitor({"port": "m"}, {"interval": "5s"}, kind="PodMonitor", under="podMetricsEndpoints") == ["interval"]
    assert monitor({"port": "a"}, {"interval": "5s"}, {"port": "b"}, {"interval": "9s"}) == ["interval", "interval"]


@pytest.mark.parametrize(
    "endpoints",
    [
        [{"port": "metrics", "interval": "15s"}],
        [{"port": "metrics"}, {"port": "gpu"}],
        [{"port": "metrics", "interval": "15s"}, {"path": "/probe", "interval": "60s"}],
        [{"interval": "15s"}, {"port": "metrics"}],
        [{"port": "metrics"}, {}],
        [{"port": "metrics"}, {"something": "else"}],
        [],
    ],
)
def test_what_is_no_split(endpoints: list[dict[str, Any]]) -> None:
    assert monitor(*endpoints) == []
    assert monitor({"port": "m"}, {"interval": "5s"}, kind="Probe") == []
