"""Writes down what AWS answered, and answers from that again as if it were the account.

A folder has one folder for each region, in it one file for each kind of call, in that what was asked and what AWS
printed, page by page, and its words where it refused. Secrets are taken out. Only who recorded it may read it.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from nodeworthy.collect.cloud.answers import AwsRefusal, Page, Source
from nodeworthy.collect.cloud.calls import EVERY, Call
from nodeworthy.documents.plain import mapping_at, mappings_at, text_at
from nodeworthy.errors import InputError
from nodeworthy.redaction import hidden_data

_ABOUT = "audit.json"
_SCHEMA = "nodeworthy/audit-recording/v1"
# Numbers of pages, not secrets, whatever they look like; they are of use to nobody later.
_DROPPED = ("NextToken", "nextToken", "NextMarker", "Marker")


class Recorder:
    """Asks an account, and keeps what it says."""

    def __init__(self, source: Source) -> None:
        self._source = source
        self.region, self.account, self.seen_at = source.region, source.account, source.seen_at
        self._calls: dict[str, list[dict[str, Any]]] = {}

    def pages(self, call: Call, arguments: Mapping[str, Any]) -> Sequence[Page]:
        kept: dict[str, Any] = {"arguments": dict(arguments)}
        self._calls.setdefault(_name(call), []).append(kept)
        try:
            pages = self._source.pages(call, arguments)
        except AwsRefusal as refused:
            kept["refused"] = {"code": refused.code, "message": refused.message}
            raise
        kept["pages"] = [{name: each for name, each in page.items() if name not in _DROPPED} for page in pages]
        return pages

    def write(self, folder: Path) -> None:
        below = folder / self.region
        try:
            below.mkdir(mode=0o700, parents=True, exist_ok=True)
        except OSError as problem:
            raise InputError(f"can't write {folder}: {problem.strerror}") from None
        about = {"schema": _SCHEMA, "account": self.account, "region": self.region, "at": self.seen_at.isoformat()}
        write_file(below / _ABOUT, about)
        for name, calls in self._calls.items():
            write_file(below / name, {"calls": sorted(calls, key=lambda each: json.dumps(each["arguments"]))})


def _name(call: Call) -> str:
    return f"{call.service}.{call.operation}.json"


class Recorded:
    """One region of a recording."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._calls: dict[str, Sequence[Mapping[str, Any]]] = {}
        about = read_file(folder / _ABOUT)
        if text_at(about, "schema") != _SCHEMA:
            raise InputError(f"{folder / _ABOUT} is of no recording that this version reads ({_SCHEMA})")
        self.region, self.account = text_at(about, "region"), text_at(about, "account")
        try:
            self.seen_at = datetime.fromisoformat(text_at(about, "at")).astimezone(UTC)
        except ValueError:
            raise InputError(f"{folder / _ABOUT}: `at` is no time: {text_at(about, 'at')!r}") from None

    def pages(self, call: Call, arguments: Mapping[str, Any]) -> Sequence[Page]:
        for each in self._of(call):
            if mapping_at(each, "arguments") == json.loads(json.dumps(dict(arguments))):
                refused = mapping_at(each, "refused")
                if refused:
                    raise AwsRefusal(text_at(refused, "code"), text_at(refused, "message"))
                return mappings_at(each, "pages")
        raise AwsRefusal("NotRecorded", "the recording does not have it")

    def _of(self, call: Call) -> Sequence[Mapping[str, Any]]:
        name = _name(call)
        if name not in self._calls:
            path = self._folder / name
            self._calls[name] = mappings_at(read_file(path), "calls") if path.exists() else []
        return self._calls[name]


def regions_of(folder: Path) -> list[Recorded]:
    """Raises InputError for what is no recording."""
    if not folder.is_dir():
        raise InputError(f"--from {folder}: no such folder")
    found = sorted(each.parent for each in folder.glob(f"*/{_ABOUT}"))
    if not found:
        known = f"{folder}/REGION/{_ABOUT}"
        raise InputError(f"--from {folder}: it is no recording of `audit --record`: there is no {known}")
    for each in found:
        _refuse_strangers(each)
    return [Recorded(each) for each in found]


def _refuse_strangers(folder: Path) -> None:
    """A file of a name that nobody asks for is a misspelt one, and would be missed in silence."""
    known = {_ABOUT, *map(_name, EVERY)}
    for each in sorted(folder.glob("*.json")):
        if each.name not in known:
            raise InputError(f"{each}: it is no call that an audit makes")


def read_file(path: Path) -> Mapping[str, Any]:
    """Raises InputError."""
    try:
        said = json.loads(path.read_text(encoding="utf-8"))
    except OSError as problem:
        raise InputError(f"can't read {path}: {problem.strerror}") from None
    except (ValueError, RecursionError) as problem:
        raise InputError(f"{path} is no JSON: {problem}") from None
    if not isinstance(said, dict):
        raise InputError(f"{path} is no recording: it holds no mapping")
    return said


def write_file(path: Path, data: Mapping[str, Any]) -> None:
    """Writes the file without its secrets, whole or not at all. Raises InputError."""
    import os
    import tempfile

    text = json.dumps(hidden_data(data), indent=1, sort_keys=True) + "\n"
    try:
        handle, half = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")  # for its owner alone
        with os.fdopen(handle, "w", encoding="utf-8") as file:
            file.write(text)
        os.replace(half, path)
    except OSError as problem:
        raise InputError(f"can't write {path}: {problem.strerror}") from None
