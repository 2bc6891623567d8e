"""Writes down what was read of a cluster, one file a kind, so that it can be read again as if it were the cluster.

The files are what the API server prints: typed lists, and its own words where it refused. Secrets are never read;
what looks like one in a variable or an argument is not written.
"""

from __future__ import annotations

import json
import os
import tempfile
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

from nodeworthy.collect.cluster.kinds import ObjectKind, kind_named
from nodeworthy.collect.cluster.pod_logs import WantedLog
from nodeworthy.documents.plain import strings_at, text_at
from nodeworthy.errors import InputError
from nodeworthy.redaction import hidden_data

_KIND, _VERSION, _NO_LOGS = "Recording", "nodeworthy/v1", "refusedLogs"
_NO_USAGE = "noPrometheus"
# Bookkeeping that no rule reads; the last applied configuration repeats every variable.
_DROPPED = frozenset(("managedFields", "kubectl.kubernetes.io/last-applied-configuration"))


def is_recording(data: Mapping[str, Any]) -> bool:
    return text_at(data, "kind") == _KIND and text_at(data, "apiVersion") == _VERSION


def refused_logs(data: Mapping[str, Any]) -> Mapping[str, str]:
    """Why the log of a pod was not had, by object, as a recording says it."""
    return strings_at(data, _NO_LOGS)


def refused_usage(data: Mapping[str, Any]) -> str:
    """Why Prometheus did not tell what GPUs do, as a recording says it."""
    return text_at(data, _NO_USAGE)


def keepable_part(data: Any) -> Any:
    """What of an object can be kept, and sent to somebody."""
    return hidden_data(_without_bookkeeping(data))


def _without_bookkeeping(data: Any) -> Any:
    if isinstance(data, Mapping):
        return {name: _without_bookkeeping(value) for name, value in data.items() if name not in _DROPPED}
    return [_without_bookkeeping(each) for each in data] if isinstance(data, list) else data


def refusal(data: Mapping[str, Any]) -> tuple[ObjectKind, str] | None:
    """Which kind the API server refused, and why, from its Status."""
    kind = kind_named(text_at(data, "details", "kind"))
    if kind is None or text_at(data, "status") != "Failure":
        return None
    return kind, text_at(data, "message") or text_at(data, "reason") or "refused"


class Recording:
    """A folder into which kinds are written as they are read; its files appear together, at the end."""

    def __init__(self, folder: str, namespace: str | None) -> None:
        self._folder = Path(folder)
        self._halves: dict[str, _Half] = {}
        try:
            self._folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        except OSError as problem:
            raise InputError(f"can't write {folder}: {problem.strerror}") from None
        self._about: dict[str, Any] = {
            "apiVersion": _VERSION,
            "kind": _KIND,
            **({"namespace": namespace} if namespace else {}),
        }
        self._write("recording", self._about)

    def kind(self, kind: ObjectKind) -> KindFile:
        return KindFile(kind, self._begin(kind.key))

    def refused(self, kind: ObjectKind, status: Mapping[str, Any]) -> None:
        details = {**(status.get("details") or {}), "kind": kind.key}
        self._write(kind.key, {"apiVersion": "v1", "kind": "Status", **status, "details": details})

    def log(self, wanted: WantedLog, text: str) -> None:
        """Where a dump has it: `logs/<namespace>/<pod>/<container>.log`."""
        name = f"logs/{wanted.namespace}/{wanted.pod}/{wanted.container}.log"
        path = self._folder / name
        try:
            path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        except OSError as problem:
            raise InputError(f"can't write {path}: {problem.strerror}") from None
        self._halves[name] = _Half(path)
        self._halves[name].write(text)

    def refused_logs(self, why: Mapping[str, str]) -> None:
        self._tell(_NO_LOGS, dict(why))

    def prometheus(self, answer: Mapping[str, Any], unseen: str) -> None:
        self._write("prometheus", answer)
        if unseen:
            self._tell(_NO_USAGE, unseen)

    def _tell(self, name: str, what: Any) -> None:
        self._about = {**self._about, name: what}
        self._write("recording", self._about)

    def finish(self) -> None:
        for half in self._halves.values():
            half.finish()

    def give_up(self) -> None:
        for half in self._halves.values():
            half.give_up()

    def _begin(self, name: str) -> _Half:
        """Anew, where a kind was refused in the middle."""
        before = self._halves.pop(name, None)
        if before is not None:
            before.give_up()
        self._halves[name] = _Half(self._folder / f"{name}.json")
        return self._halves[name]

    def _write(self, name: str, data: Mapping[str, Any]) -> None:
        self._begin(name).write(json.dumps(hidden_data(data), indent=1) + "\n")


class KindFile:
    """The objects of one kind, page by page."""

    def __init__(self, kind: ObjectKind, file: _Half) -> None:
        self._file = file
        head = {"kind": f"{kind.kind}List", "apiVersion": kind.api_version, "metadata": {}}
        self._file.write(json.dumps(head)[:-1] + ', "items": [')
        self._separator = "\n"

    def add(self, data: Mapping[str, Any]) -> None:
        self._file.write(self._separator + json.dumps(keepable_part(data)))
        self._separator = ",\n"

    def finish(self) -> None:
        self._file.write("\n]}\n")


class _Half:
    """A file under another name until it is whole, for its owner alone: mkstemp gives it to nobody else."""

    def __init__(self, path: Path) -> None:
        self._path = path
        try:
            handle, self._half = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
        except OSError as problem:
            raise InputError(f"can't write {path}: {problem.strerror}") from None
        self._text = os.fdopen(handle, "w", encoding="utf-8")

    def write(self, text: str) -> None:
        try:
            self._text.write(text)
        except OSError as problem:
            raise InputError(f"can't write {self._path}: {problem.strerror}") from None

    def finish(self) -> None:
        try:
            self._text.close()
            os.replace(self._half, self._path)
        except OSError as problem:
            self.give_up()
            raise InputError(f"can't write {self._path}: {problem.strerror}") from None

    def give_up(self) -> None:
        with suppress(OSError):  # what it still held could not be written either
            self._text.close()
        Path(self._half).unlink(missing_ok=True)
