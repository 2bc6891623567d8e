"""Reads an exam from its folder: files.json, truth.json and, where somebody has judged, judged.json."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from bench.exam.records import Exam, Fault, Judged, Key

SETS = Path(__file__).resolve().parents[2] / "tests" / "strangers"


def exam_of(folder: Path) -> Exam:
    files = tuple(entry["file"] for entry in _read(folder / "files.json"))
    truth: dict[str, Any] = _read(folder / "truth.json")
    faults = tuple(fault for file, of_file in truth.items() for fault in _faults(file, of_file["true"]))
    doubts = frozenset((file, rule) for file, of_file in truth.items() for rule in of_file["doubt"])
    judged = folder / "judged.json"
    return Exam(files, faults, doubts, dict(_judged(_read(judged))) if judged.exists() else {})


def _read(path: Path) -> Any:
    return json.loads(path.read_text(encoding="utf-8"))


def _faults(file: str, entries: list[dict[str, Any]]) -> Iterator[Fault]:
    for entry in entries:
        anywhere, others = bool(entry.get("anywhere")), tuple(entry.get("or", ()))
        yield Fault(file, entry["rule"], entry["line"], entry["why"], anywhere, others)


def _judged(entries: list[dict[str, Any]]) -> Iterator[tuple[Key, Judged]]:
    for entry in entries:
        key = (entry["file"], entry["rule"], entry["line"])
        yield key, Judged(entry["verdict"], entry["why"], entry.get("finds", 0))
