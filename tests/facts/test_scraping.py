"""What a Prometheus scrapes by a list of its own may be any exporter."""

from __future__ import annotations

from typing import Any

import pytest

from nodeworthy.documents.tree import plant
from nodeworthy.facts.services.monitoring_stack import MonitoringStack
from nodeworthy.verdict import Place


@pytest.mark.parametrize(
    ("spec", "does"),
    [
        ({"additionalScrapeConfigs": [{"job_name": "gpus"}]}, True),
        ({"additionalScrapeConfigs": {"name": "more", "key": "scrape.yaml"}}, True),
        ({"additionalScrapeConfigsSecret": {"name": "more"}}, True),
        ({"scrapeConfigSelector": {"matchLabels": {"team": "ml"}}}, True),
        ({"additionalScrapeConfigs": [], "scrapeConfigSelector": {}}, False),
        ({"retention": "15d"}, False),
    ],
)
def test_a_list_of_its_own(spec: dict[str, Any], does: bool) -> None:
    stack = MonitoringStack(Place(), "Prometheus", plant(spec, Place()))
    assert stack.scrapes_in_other_ways is does
