"""The incident's dump in the folder where a test runs, and what a diagnosis finds in it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from tests.cluster import incident
from tests.cluster.objects import Object
from tests.run import Ran, run_json

FLEET = ("--fleet", "Pulumi.onprem.yaml")


def dumped(kinds: dict[str, list[Object]] | None = None) -> Path:
    return incident.write(Path("dump"), kinds or incident.incident(), incident.FLEET)


def diagnose(*arguments: str) -> Ran:
    return run_json("diagnose", "--from", "dump", *FLEET, *arguments)


def found(ran: Ran, rule: str) -> list[dict[str, Any]]:
    return [each for each in ran.findings if each["rule"] == rule]


def the_incident(ran: Ran) -> None:
    assert ran.code == 1, ran.err
    assert [(each["rule"], each["verdict"]) for each in ran.findings] == [("containerd-paths", "fail")]
    assert ran.findings[0]["victims"][0] == "Pod/default/gpu-textgen"
