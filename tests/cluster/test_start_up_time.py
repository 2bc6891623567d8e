"""A part of the GPU stack has a quarter of an hour to come up: at fifteen minutes it is a finding, a second before none."""

from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from tests.case_files import whole
from tests.run import run

DUMP = whole("gpu-stack-settled/good-cluster-all-parts-run") / "dump"
# When the part was started, and all that is written of it.
STARTED = datetime(2025, 10, 14, 17, 40, tzinfo=UTC)


def at(when: datetime) -> str:
    return when.strftime("%Y-%m-%dT%H:%M:%SZ")


def not_ready(pod: dict[str, Any]) -> None:
    """It runs, and its probe has not yet been answered."""
    for condition in pod["status"]["conditions"]:
        condition["lastTransitionTime"] = at(STARTED)
        if condition["type"] == "Ready":
            condition |= {"status": "False", "reason": "ContainersNotReady"}
    for container in pod["status"]["containerStatuses"]:
        container |= {"ready": False, "state": {"running": {"startedAt": at(STARTED)}}}


@pytest.mark.parametrize(("waited", "is_told"), [("14:59", False), ("15:00", True)])
def test_a_part_that_is_not_ready(tmp_path: Path, waited: str, is_told: bool) -> None:
    minutes, seconds = map(int, waited.split(":"))
    now = at(STARTED + timedelta(minutes=minutes, seconds=seconds))
    for path in DUMP.glob("*.json"):
        data = json.loads(path.read_text(encoding="utf-8"))
        if path.stem == "pods":
            not_ready(data["items"][0])
        for each in data["items"] if path.stem == "nodes" else ():
            for condition in each["status"]["conditions"]:
                condition |= {"lastHeartbeatTime": now, "lastTransitionTime": at(STARTED)}
        for each in data["items"] if path.stem == "events" else ():
            each["metadata"]["creationTimestamp"] = each["firstTimestamp"] = each["lastTimestamp"] = now
        (tmp_path / path.name).write_text(json.dumps(data), encoding="utf-8")
    ran = run("diagnose", "--from", ".", "--format", "json", "--rule", "gpu-stack-settled", cwd=tmp_path)
    assert ("fail" in {each["verdict"] for each in ran.report["findings"]}) is is_told
