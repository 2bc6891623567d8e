"""The real CLI and the embedded preview on one project, side by side."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from nodeworthy.collect.plan.protocol import ASSET, SECRET, SIGNATURE, UNKNOWN

from .daemon import PATIENCE
from .pulumi_cli import Preview, Violation

PACK = Path(__file__).resolve().parents[2] / "policies"
NOT_YET = "cannot be verified yet: "
STACK_TYPE, PROVIDER_TYPE = "pulumi:pulumi:Stack", "pulumi:providers:"


@dataclass(frozen=True)
class Embedded:
    """What `nodeworthy preview --no-simulate --format json` said."""

    exit_code: int
    report: dict[str, Any]
    stack: str

    @classmethod
    def of(cls, project: Path, stack: str, environment: dict[str, str] | None = None) -> Embedded:
        command = [sys.executable, "-m", "nodeworthy", "preview", "--no-simulate", "--format", "json", "--stack", stack]
        ran = subprocess.run(
            command,
            cwd=project,
            env={**os.environ, **(environment or {})},
            capture_output=True,
            text=True,
            timeout=PATIENCE,
            check=False,
        )
        assert ran.stdout, ran.stderr
        return cls(ran.returncode, json.loads(ran.stdout), stack)

    @cached_property
    def resources(self) -> dict[str, tuple[str, Any]]:
        """URN → parent and inputs."""
        return {
            each["urn"]: (each["parent"] or "", _inputs(each["type"], each["inputs"]))
            for each in self.report["preview"]["resources"]
        }

    @property
    def findings(self) -> list[dict[str, Any]]:
        of_stack = f"urn:pulumi:{self.stack}::{self._project}::{STACK_TYPE}::{self._project}-{self.stack}"
        return [_told(each, of_stack) for each in self.report["findings"]]

    @property
    def _project(self) -> str:
        return next(iter(self.resources)).split("::")[1]


def resources(cli: Preview) -> dict[str, tuple[str, Any]]:
    """What the real engine planned, in the embedded preview's words."""
    return {
        each.urn: (each.parent, _inputs(each.type, _shown(each.inputs)))
        for each in cli.resources.values()
        # The stack is no resource that a program makes, and default providers are made by the engine: the
        # embedded one needs none.
        if each.type != STACK_TYPE and not _is_default_provider(each.urn, each.type)
    }


def _is_default_provider(urn: str, kind: str) -> bool:
    return kind.startswith(PROVIDER_TYPE) and urn.rsplit("::", 1)[-1].startswith("default")


def _inputs(kind: str, inputs: dict[str, Any]) -> dict[str, Any]:
    if not kind.startswith(PROVIDER_TYPE):
        return inputs
    # The engine itself adds which plugin a provider is.
    return {name: value for name, value in inputs.items() if name not in ("version", "__internal")}


def _shown(data: Any) -> Any:
    """Sentinels and signed values as the embedded preview's report writes them."""
    if isinstance(data, dict):
        if data.get(SIGNATURE) == SECRET:
            return "(secret)"
        if data.get(SIGNATURE) == ASSET:
            # The engine hashes what it uploads; the embedded one uploads nothing.
            data = {name: value for name, value in data.items() if name in ("text", "path", "uri")}
        return {name: _shown(value) for name, value in data.items()}
    if isinstance(data, list):
        return [_shown(each) for each in data]
    return "(unknown)" if data == UNKNOWN else data


def violations(cli: Preview) -> list[dict[str, Any]]:
    """The pack's violations, read back from their text into the report's terms."""
    return [_read(each) for each in cli.violations]


def _read(violation: Violation) -> dict[str, Any]:
    first, *lines = violation.message.splitlines()
    rule, _, message = first.partition(": ")
    assert rule == violation.policy
    parted = (line.strip().partition(" ") for line in lines)
    said = {label: text.strip() for label, _, text in parted}
    unknown = message.startswith(NOT_YET)
    return {
        "rule": rule,
        "verdict": "unknown" if unknown else "fail",
        "message": message.removeprefix(NOT_YET),
        "urn": violation.urn,
        "subject": said.get("at", "").rsplit(" ", 1)[-1],
        "line": _line(said.get("at", "")),
        "is": said.get("is"),
        "should": said.get("should"),
        "cause": said.get("why"),
        "remedy": said.get("fix"),
    }


def _told(finding: dict[str, Any], of_stack: str) -> dict[str, Any]:
    """The engine lays what is no single resource's at the stack's door."""
    where = finding["where"]
    return {
        "rule": finding["rule"],
        "verdict": finding["verdict"],
        "message": finding["message"],
        "urn": where.get("urn", of_stack),
        "subject": where.get("subject", ""),
        "line": _line(":".join(str(where[name]) for name in ("path", "line", "column") if name in where)),
        # Text says only once that a value is not known: in the sentence.
        "is": finding["is"] if finding["is"] != "(unknown)" else None,
        "should": finding["should"],
        "cause": finding["cause"],
        "remedy": finding["remedy"],
    }


def _line(place: str) -> str | None:
    """The line of the stack's file. The line of the program, which the embedded engine knows, no pack is told."""
    found = re.match(r"Pulumi\.\S+", place)
    return found[0] if found else None
