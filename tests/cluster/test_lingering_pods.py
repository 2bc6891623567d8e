"""A pod that was deleted is stuck only long after it should have gone, and only where its node answers."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import pytest

from nodeworthy.facts.cluster.lingering_pods import lingers
from nodeworthy.facts.cluster.pod import cluster_pod
from tests.cluster.objects import pod

DELETED = "2025-09-28T04:00:00Z"


@pytest.mark.parametrize(
    ("minute", "more", "is_stuck"),
    [
        (40, {}, True),
        (10, {}, False),
        (40, {"status": {"phase": "Succeeded"}}, False),
        (40, {"spec": {"nodeName": ""}}, False),
    ],
)
def test_how_long_it_lingers(minute: int, more: dict[str, Any], is_stuck: bool) -> None:
    data = pod("train-0", "ml")
    data["metadata"]["deletionTimestamp"] = DELETED
    for part, change in more.items():
        data[part].update(change)
    assert lingers(cluster_pod(data), datetime(2025, 9, 28, 4, minute, tzinfo=UTC)) is is_stuck


def test_one_that_nobody_deleted_does_not() -> None:
    assert not lingers(cluster_pod(pod("train-0", "ml")), datetime(2026, 1, 1, tzinfo=UTC))
