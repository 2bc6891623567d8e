"""Helm's own program: what a release was told, and a new revision of it with the same chart and one list changed."""

from __future__ import annotations

import json
import shutil
import subprocess
from collections.abc import Mapping, Sequence
from typing import Any

from nodeworthy.documents.plain import at, number_at, text_at
from nodeworthy.records import dataclass
from nodeworthy.repair.edit import RepairRefused
from nodeworthy.repair.owner import Owner

READ_SECONDS = 60
# Hooks of a chart are waited for.
UPGRADE_SECONDS = 600


@dataclass(frozen=True)
class State:
    revision: int
    status: str
    # `toolkit.env` as the release has it, its chart's default included.
    env: Any


@dataclass(frozen=True)
class Helm:
    program: str
    context: str | None = None
    # The chart as somebody named it: a folder, `repo/name`, `oci://…`.
    chart: str | None = None

    @classmethod
    def found(cls, context: str | None, chart: str | None) -> Helm | None:
        program = shutil.which("helm")
        return cls(program, context, chart) if program else None

    def state(self, release: str, namespace: str) -> State:
        status = self._json("status", release, "--namespace", namespace, "--output", "json")
        values = self._json("get", "values", release, "--namespace", namespace, "--all", "--output", "json")
        revision = number_at(status, "version")
        if revision is None:
            raise RepairRefused(f"helm does not say at which revision the release {namespace}/{release} is")
        return State(revision, text_at(status, "info", "status"), at(values, "toolkit", "env"))

    def chart_of(self, owner: Owner) -> str | None:
        """Where helm finds the very chart that is installed; None where none of its repositories has it."""
        if self.chart is not None:
            return self.chart
        named = ("search", "repo", owner.chart_name, "--version", owner.chart_version)
        try:
            found = json.loads(self._run(*named, "--output", "json", seconds=READ_SECONDS))
        except (RepairRefused, ValueError):
            return None
        for each in found if isinstance(found, list) else ():
            exact = text_at(each, "version").removeprefix("v") == owner.chart_version.removeprefix("v")
            if exact and text_at(each, "name").rpartition("/")[2] == owner.chart_name:
                return text_at(each, "name")
        return None

    def upgrade(self, owner: Owner, chart: str, env: Sequence[Any], *, dry: bool = False) -> None:
        """Upgrades with the values that the release has now, and another list."""
        values = json.dumps({"toolkit": {"env": list(env)}})
        how = ("--reuse-values", "--values", "-", *(("--dry-run=server",) if dry else ()))
        self._run(*_command(owner, chart), *how, seconds=UPGRADE_SECONDS, given=values)

    def rollback(self, release: str, namespace: str, revision: int) -> None:
        self._run("rollback", release, str(revision), "--namespace", namespace, seconds=UPGRADE_SECONDS)

    def _json(self, *arguments: str) -> Mapping[str, Any]:
        written = self._run(*arguments, seconds=READ_SECONDS)
        try:
            found = json.loads(written)
        except ValueError:
            raise RepairRefused(f"helm {arguments[0]} answers no JSON") from None
        return found if isinstance(found, dict) else {}

    def _run(self, *arguments: str, seconds: int, given: str = "") -> str:
        context = ("--kube-context", self.context) if self.context else ()
        try:
            ran = subprocess.run(
                [self.program, *arguments, *context],
                input=given,
                capture_output=True,
                text=True,
                timeout=seconds,
                check=False,
            )
        except subprocess.TimeoutExpired:
            raise RepairRefused(f"helm {arguments[0]} did not end within {seconds} s") from None
        except OSError as problem:
            raise RepairRefused(f"{self.program} can't be run: {problem.strerror}") from None
        if ran.returncode != 0:
            said = next((line for line in reversed(ran.stderr.splitlines()) if line.strip()), "it gives no reason")
            raise RepairRefused(f"helm {arguments[0]} refused: {said.removeprefix('Error: ')}")
        return ran.stdout


def _command(owner: Owner, chart: str) -> list[str]:
    version = ["--version", owner.chart_version] if owner.chart_version else []
    return ["upgrade", owner.name, chart, *version, "--namespace", owner.namespace]


def command_for_people(owner: Owner, chart: str) -> str:
    return " ".join(("helm", *_command(owner, chart), "--reuse-values", "--values", "-"))
