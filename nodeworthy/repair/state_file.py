"""The file that --undo reads: written whole before anything is changed, and only for whoever changed it."""

from __future__ import annotations

import json
import os
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from nodeworthy.documents.plain import at, text_at
from nodeworthy.errors import InputError
from nodeworthy.records import dataclass
from nodeworthy.repair.record import Record, record_from, whole_list

_KIND, _VERSION = "Repair", "nodeworthy/v1"
APPLYING, APPLIED, PUT_BACK = "applying", "applied", "put back"


@dataclass
class StateFile:
    path: Path
    server: str
    records: list[Record]
    when: str = field(default_factory=lambda: f"{datetime.now(UTC):%Y-%m-%dT%H:%M:%SZ}")

    def write(self, state: str) -> None:
        written = {
            "apiVersion": _VERSION,
            "kind": _KIND,
            "when": self.when,
            "server": self.server,
            "state": state,
            "changes": [each.as_data() for each in self.records],
        }
        _write(self.path, json.dumps(written, indent=1) + "\n")


def new_path() -> Path:
    """One that is not there yet: two repairs within a second keep two files."""
    stem = f"nodeworthy-fix-{datetime.now(UTC):%Y%m%dT%H%M%SZ}"
    names = (Path(f"{stem}{f'-{number}' if number else ''}.json") for number in range(1000))
    return next(name for name in names if not name.exists())


def read(path: Path) -> tuple[str, Sequence[Record]]:
    """What state it tells, and what was changed. Raises InputError."""
    data = _data(path)
    try:
        return text_at(data, "state"), [record_from(each) for each in whole_list(at(data, "changes"))]
    except InputError as problem:
        raise InputError(f"{path}: {problem}") from None


def server_of(path: Path) -> str:
    """Where it was changed; empty where the file does not say. Raises InputError."""
    return text_at(_data(path), "server")


def _data(path: Path) -> Mapping[str, Any]:
    try:
        data: Any = json.loads(path.read_text(encoding="utf-8"))
    except OSError as problem:
        raise InputError(f"{path}: it can't be read: {problem.strerror}") from None
    except (ValueError, RecursionError):
        raise InputError(f"{path}: this is no file that --fix has kept: it is not JSON") from None
    if not isinstance(data, Mapping) or text_at(data, "kind") != _KIND or text_at(data, "apiVersion") != _VERSION:
        raise InputError(f"{path}: this is no file that --fix has kept")
    return data


def _write(path: Path, text: str) -> None:
    try:
        # Such a file is for its owner alone.
        handle, half = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
    except OSError as problem:
        raise InputError(f"the previous state can't be kept in {path}: {problem.strerror}") from None
    try:
        with os.fdopen(handle, "w", encoding="utf-8") as file:
            file.write(text)
            file.flush()
            os.fsync(file.fileno())
        os.replace(half, path)
    except OSError as problem:
        Path(half).unlink(missing_ok=True)
        raise InputError(f"the previous state can't be kept in {path}: {problem.strerror}") from None
