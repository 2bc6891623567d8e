"""Recordings of accounts for tests: the stock one whole, and others that differ from it in what AWS answers."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from tests.case_files import CASES

REGION = "us-east-2"
STOCK = CASES / "_base" / "cloud-gpu-dev" / "aws"


def stock(folder: Path) -> Path:
    """All of it is well."""
    return shutil.copytree(STOCK, folder / "aws")


def file_of(recording: Path, service: str, operation: str) -> Path:
    return recording / REGION / f"{service}.{operation}.json"


def change(recording: Path, service: str, operation: str, calls: Sequence[Mapping[str, Any]]) -> None:
    file_of(recording, service, operation).write_text(json.dumps({"calls": calls}), encoding="utf-8")


def edit(recording: Path, service: str, operation: str, change_it: Callable[[dict[str, Any]], object]) -> None:
    """The first page of each call of it says otherwise."""
    path = file_of(recording, service, operation)
    said = json.loads(path.read_text(encoding="utf-8"))
    for each in said["calls"]:
        change_it(each["pages"][0])
    path.write_text(json.dumps(said), encoding="utf-8")


def refuse(recording: Path, service: str, operation: str, code: str = "AccessDenied") -> bool:
    """Whether there was anything to refuse."""
    path = file_of(recording, service, operation)
    if not path.exists():
        return False
    said = json.loads(path.read_text(encoding="utf-8"))
    why = {"code": code, "message": "not authorized to perform it"}
    change(recording, service, operation, [{"arguments": each["arguments"], "refused": why} for each in said["calls"]])
    return True
