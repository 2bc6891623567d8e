"""Runs `check` on one file, alone: in a folder of its own, so that nothing beside or above it is evidence."""

from __future__ import annotations

import contextlib
import io
import json
import re
import shutil
import tempfile
import traceback
from pathlib import Path
from typing import Any

from bench.exam.records import Looked, Said
from nodeworthy.cli import main

_CHECK = ("check", "--format", "json", "--no-cache", "--no-settings")
# A named input that can't be read is no finding of the report; it is said on standard error, with its place.
_REFUSED = re.compile(r"^nodeworthy check: [^\n]*?:(?P<line>\d+):\d+: (?P<message>.+)$", re.MULTILINE)


def look(folder: Path, file: str) -> Looked:
    with tempfile.TemporaryDirectory() as place:
        alone = Path(place) / Path(file).name
        shutil.copyfile(folder / file, alone)
        out, err = io.StringIO(), io.StringIO()
        try:
            with contextlib.chdir(place), contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
                main([*_CHECK, alone.name])
        except Exception:  # noqa: BLE001 - a crash of any kind is what the exam counts
            return Looked(file, crash=traceback.format_exc(limit=-3))
    return read(file, out.getvalue(), err.getvalue())


def read(file: str, out: str, err: str) -> Looked:
    try:
        report: dict[str, Any] = json.loads(out)
    except ValueError:
        return Looked(file, crash=err or "no report")
    said = [_said(file, finding) for finding in report["findings"] if not finding["suppressed"]]
    said += [_unread(file, int(found["line"]), found["message"]) for found in _REFUSED.finditer(err)]
    crashed = [one.message for one in said if one.rule == "rule-crashed"]
    is_known = bool(said) or not report["evaluated"]["unrecognised"]
    return Looked(file, tuple(said), is_known, err if "Traceback" in err else "".join(crashed[:1]))


def _said(file: str, finding: dict[str, Any]) -> Said:
    line = int(finding["where"].get("line") or 0)
    return Said(file, finding["rule"], line, finding["verdict"], finding["severity"], finding["message"])


def _unread(file: str, line: int, message: str) -> Said:
    return Said(file, "input-readable", line, "error", "error", message)
