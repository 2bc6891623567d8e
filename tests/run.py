"""Runs the front door as a user does, in this process."""

from __future__ import annotations

import contextlib
import io
import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from nodeworthy.cli import main


@dataclass(frozen=True)
class Ran:
    code: int
    out: str
    err: str

    @property
    def report(self) -> dict[str, Any]:
        data: dict[str, Any] = json.loads(self.out)
        return data

    @property
    def findings(self) -> list[dict[str, Any]]:
        """A rule that crashes tells nothing, and is not silent: who expects a crash looks into the report itself."""
        found: list[dict[str, Any]] = self.report["findings"]
        crashed = [each["message"] for each in found if each["rule"] == "rule-crashed"]
        assert not crashed, crashed
        return found

    def told_by(self, rule: str) -> list[dict[str, Any]]:
        return [each for each in self.findings if each["rule"] == rule]


def run(*arguments: str, cwd: Path | None = None) -> Ran:
    out, err = io.StringIO(), io.StringIO()
    with contextlib.chdir(cwd or Path.cwd()), contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        try:
            code = main(arguments)
        except SystemExit as end:  # argparse ends the run by itself
            code = int(end.code or 0)
    return Ran(code, out.getvalue(), err.getvalue())


def run_json(*arguments: str, cwd: Path | None = None) -> Ran:
    return run(*arguments, "--format", "json", cwd=cwd)
