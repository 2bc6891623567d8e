"""What --fix would do, for a program: each change with the server's own answer, and what is left to people."""

from __future__ import annotations

from typing import Any

from nodeworthy.repair.apply import try_dry
from nodeworthy.repair.change import World
from nodeworthy.repair.run import Looked, Repair
from nodeworthy.repair.server import Server
from nodeworthy.repair.way import OnPaper, ThroughHelm, Way
from nodeworthy.report.json import finding_as_data

SCHEMA = "nodeworthy/repair/v1"


def preview_as_data(repair: Repair, before: Looked, world: World) -> tuple[dict[str, Any], int]:
    """With the exit code: 1 if something would change."""
    planned, ways = repair.planned(before, world)
    left = [{"finding": finding_as_data(each.finding), "why": each.why or None} for each in planned.left]
    changes = [_way(each, repair.server) for each in ways]
    code = 1 if ways else 3 if before.exit_code == 3 else 0
    return {"schema": SCHEMA, "changes": changes, "left": left}, code


def _way(way: Way, server: Server | None) -> dict[str, Any]:
    change = way.change
    told: dict[str, Any] = {
        "object": str(change.target),
        "edits": [each.as_data() for each in change.edits],
        "because": [finding_as_data(each) for each in change.causes],
        "how": "on paper" if isinstance(way, OnPaper) else "helm" if isinstance(way, ThroughHelm) else "patch",
    }
    if isinstance(way, OnPaper):
        return {**told, "why_not": way.why, "command": way.command or None}
    if server is None:
        return {**told, "dry_run": None}
    refused = try_dry(way, server)
    return {**told, "dry_run": {"accepted": refused is None, "why_not": refused}}
