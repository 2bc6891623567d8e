"""Reads a cluster through its API server: one list a kind, page by page, kinds side by side. Changes nothing."""

from __future__ import annotations

import sys
import threading
from collections.abc import Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from typing import Any

from nodeworthy.collect.cluster.connection import Answer, Connection
from nodeworthy.collect.cluster.kinds import KINDS, Kind
from nodeworthy.collect.cluster.recording import KindFile, Recording
from nodeworthy.collect.cluster.seen import Seen
from nodeworthy.documents.plain import mappings_at, text_at

PAGE = "500"


def look(context: str | None, namespace: str | None, workers: int, record: str | None) -> Seen:
    connection = Connection(context)
    reading = _Reading(connection, Seen(namespace), Recording(record, namespace) if record else None)
    with ThreadPoolExecutor(max_workers=workers) as pool:
        for read in [pool.submit(reading.read, kind) for kind in KINDS]:
            read.result()
    _progress("")
    return reading.seen


@dataclass
class _Reading:
    connection: Connection
    seen: Seen
    recording: Recording | None
    _lock: threading.Lock = field(default_factory=threading.Lock)
    # Once the server can't be talked to, the kinds that have not begun are not begun.
    _over: threading.Event = field(default_factory=threading.Event)

    def read(self, kind: Kind) -> None:
        if self._over.is_set():
            return
        try:
            self._read(kind)
        except BaseException:
            self._over.set()
            raise

    def _read(self, kind: Kind) -> None:
        file = self.recording.kind(kind) if self.recording else None
        try:
            complete = all(self._keep(answer, kind, file) for answer in self._pages(kind))
        except BaseException:
            if file:
                file.give_up()
            raise
        if file:
            file.finish() if complete else file.give_up()

    def _keep(self, answer: Answer, kind: Kind, file: KindFile | None) -> bool:
        if answer.status == 404 and not kind.core:
            self.seen.kinds.add(kind.plural)  # the cluster does not know the kind, so there is none
            return True
        if answer.status != 200:
            self._refused(answer, kind)
            return False
        items = mappings_at(answer.body, "items")
        with self._lock:
            self.seen.kinds.add(kind.plural)
            for item in items:
                self.seen.add(kind, item)
                if file:
                    file.add(item)
            _progress(f"read {self.seen.objects} objects")
        return True

    def _refused(self, answer: Answer, kind: Kind) -> None:
        why = text_at(answer.body, "message") or f"the server answered {answer.status}"
        with self._lock:
            self.seen.refused[kind.plural] = why
            self.seen.kinds.discard(kind.plural)
            if self.recording:
                self.recording.refused(kind, _status(answer, why))

    def _pages(self, kind: Kind) -> Iterator[Answer]:
        path = kind.url(self.seen.namespace)
        query = {"limit": PAGE}
        while True:
            answer = self.connection.get(path, query)
            token = text_at(answer.body, "metadata", "continue")
            if answer.status == 410 and token:
                # The list took longer than the server remembers; it offers to go on from here, a little newer.
                query = {"limit": PAGE, "continue": token}
                continue
            yield answer
            if answer.status != 200 or not token:
                return
            query = {"limit": PAGE, "continue": token}


def _status(answer: Answer, why: str) -> Mapping[str, Any]:
    details = answer.body.get("details")
    return {
        "status": "Failure",
        "message": why,
        "reason": text_at(answer.body, "reason"),
        "code": answer.status,
        "details": details if isinstance(details, dict) else {},
    }


def _progress(line: str) -> None:
    if sys.stderr.isatty():
        sys.stderr.write(f"\r\033[K{line}")
        sys.stderr.flush()
