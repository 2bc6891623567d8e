"""Reads a cluster through its API server: one list a kind, page by page, kinds side by side. Changes nothing."""

from __future__ import annotations

import json
import sys
import threading
import time
from collections import deque
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import field
from functools import cached_property
from typing import Any

from nodeworthy.collect.cluster import hami_logs, logs, prometheus
from nodeworthy.collect.cluster.connection import Answer, Connection
from nodeworthy.collect.cluster.kinds import ASKED_FOR, ObjectKind
from nodeworthy.collect.cluster.pod_logs import MOST_PODS, WantedLog
from nodeworthy.collect.cluster.recording import KindFile, Recording
from nodeworthy.collect.cluster.seen import ClusterObjects
from nodeworthy.documents.plain import mappings_at, text_at
from nodeworthy.errors import CouldNotLook
from nodeworthy.records import dataclass, replace
from nodeworthy.redaction import hide_secrets

PAGE = "500"
# Of one list: a server that forgets faster than it answers is not asked for ever.
MOST_EXPIRIES = 5


def look(
    context: str | None,
    namespace: str | None,
    workers: int,
    record: str | None,
    *,
    with_logs: bool,
    measured_by: str | None = None,
) -> ClusterObjects:
    """Logs of pods are asked for where a rule needs them; a Prometheus tells what GPUs do."""
    connection = Connection(context)
    reading = _Reading(connection, ClusterObjects(namespace), Recording(record, namespace) if record else None)
    try:
        reading.read_all(workers)
        if with_logs:
            reading.read_logs(workers)
        if measured_by is not None:
            reading.read_usage(measured_by)
    finally:
        reading.end()
    return reading.seen


@dataclass
class _Reading:
    connection: Connection
    seen: ClusterObjects
    recording: Recording | None
    _lock: threading.Lock = field(default_factory=threading.Lock)
    # Once the server can't be talked to, or somebody has had enough, nothing more is asked.
    _over: threading.Event = field(default_factory=threading.Event)
    _ended_by: BaseException | None = None

    def read_all(self, workers: int) -> None:
        """Reads in daemon threads: Ctrl-C does not wait for a server that does not answer."""
        waiting = deque(ASKED_FOR)
        count = min(workers, len(ASKED_FOR))
        threads = [threading.Thread(target=self._work, args=(waiting,), daemon=True) for _ in range(count)]
        for thread in threads:
            thread.start()
        try:
            for thread in threads:
                thread.join()
        finally:
            self._over.set()

    def read_logs(self, workers: int) -> None:
        if self._ended_by is None:
            read(self.connection, self.seen, workers, self.recording)

    def read_usage(self, url: str) -> None:
        if self._ended_by is None:
            prometheus.read(url, self.seen.capacity.usage, self.recording)

    def _work(self, waiting: deque[ObjectKind]) -> None:
        try:
            while (kind := _next(waiting)) is not None:
                self._read(kind)
        except Exception as problem:  # noqa: BLE001 - carried to the thread that waits for it
            with self._lock:
                # Of several, what went wrong first is the reason of the others.
                self._ended_by = self._ended_by or problem
            self._over.set()

    def _read(self, kind: ObjectKind) -> None:
        served = self._as_served(kind)
        if served is None:
            return
        file = self.recording.kind(served) if self.recording else None
        if all(self._keep(answer, kind, file) for answer in self._pages(served)) and file:
            file.finish()

    def _as_served(self, kind: ObjectKind) -> ObjectKind | None:
        """The kind in the version that this server has. It stays as it is where the server has none, which its answer
        will say; None where the versions are not known."""
        if not kind.version_varies:
            return kind
        groups = self._groups
        if groups.status != 200:
            self._refused(groups, kind)
            return None
        for version in _versions(groups.body, kind.groups[0]):
            listed = self.connection.get(f"/apis/{kind.groups[0]}/{version}", {})
            if listed.status != 200:
                self._refused(listed, kind)
                return None
            if any(text_at(each, "name") == kind.plural for each in mappings_at(listed.body, "resources")):
                return replace(kind, version=version)
        return kind

    @cached_property
    def _groups(self) -> Answer:
        """What the server serves. Two that ask at once may both be told."""
        return self.connection.get("/apis", {})

    def end(self) -> None:
        """Finishes the recording, or removes it if the look was broken off."""
        _progress("")
        interrupted = sys.exc_info()[0] is not None
        if self.recording:
            self.recording.give_up() if interrupted or self._ended_by else self.recording.finish()
        if self._ended_by is not None and not interrupted:
            raise self._ended_by

    def _keep(self, answer: Answer, kind: ObjectKind, file: KindFile | None) -> bool:
        if answer.status == 404 and not kind.core:
            self.seen.kinds.add(kind.key)  # the cluster does not know the kind, so there is none
            self.seen.add_list((kind.key,))
            return True
        if answer.status != 200:
            self._refused(answer, kind)
            return False
        items = mappings_at(answer.body, "items")
        with self._lock:
            self.seen.kinds.add(kind.key)
            self.seen.add_list((kind.key,))
            for item in items:
                self.seen.add(kind, item)
                if file:
                    file.add(item)
            _progress(f"read {self.seen.objects} objects")
        return True

    def _refused(self, answer: Answer, kind: ObjectKind) -> None:
        why = text_at(answer.body, "message") or f"the server answered {answer.status}"
        with self._lock:
            self.seen.refused[kind.key] = why
            self.seen.kinds.discard(kind.key)
            if self.recording:
                self.recording.refused(kind, _status(answer, why))

    def _pages(self, kind: ObjectKind) -> Iterator[Answer]:
        path = kind.url(self.seen.namespace)
        asked = {"limit": PAGE, **({"labelSelector": kind.labelled} if kind.labelled else {})}
        query, expired = asked, 0
        while not self._over.is_set():
            answer = self.connection.get(path, query)
            token = text_at(answer.body, "metadata", "continue")
            if answer.status == 410 and expired < MOST_EXPIRIES:
                # The list took longer than the server remembers. Mostly it offers to go on from here, a little newer;
                # else all is read again, and what was read already counts once.
                expired += 1
                query = {**asked, "continue": token} if token else asked
                continue
            yield answer
            if answer.status != 200 or not token:
                return
            query = {**asked, "continue": token}


def _versions(groups: Mapping[str, Any], name: str) -> Iterator[str]:
    """The versions of a group. The one that the server prefers comes first."""
    group = next((each for each in mappings_at(groups, "groups") if text_at(each, "name") == name), {})
    preferred = text_at(group, "preferredVersion", "version")
    others = (text_at(each, "version") for each in mappings_at(group, "versions"))
    yield from dict.fromkeys(filter(None, (preferred, *others)))


def _next(waiting: deque[ObjectKind]) -> ObjectKind | None:
    try:
        return waiting.popleft()
    except IndexError:
        return None


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


# Asks a cluster for the logs that rules need: their ends, of few pods, within a deadline. What is refused is kept.


LINES = 200
BYTES = 256 << 10
# For all of them together.
SECONDS = 20.0


_Answer = tuple[str | None, str]
_NONE: _Answer = (None, "")


def read(connection: Connection, seen: ClusterObjects, workers: int, recording: Recording | None) -> None:
    wanted = seen.wanted_logs()
    of = set(list(dict.fromkeys(each.object for each in wanted))[:MOST_PODS])
    # What runs is asked last: it may have nothing to say.
    well = seen.logs.of_ready((each.namespace, each.name) for each in logs.speaking_while_ready(seen))
    asked = [each for each in wanted if each.object in of]
    answers = _answers(connection, [*asked, *well], workers)
    found: dict[str, list[str]] = {}
    for each in wanted:
        text, why = answers.get(each, (None, _why_not(each.object in of)))
        if text is None:
            seen.no_logs[each.object] = why
            continue
        found.setdefault(each.object, []).append(text)
        if recording:
            recording.log(each, text)
    _keep(seen, found)
    _keep_of_ready(seen, {each: text for each in well if (text := answers.get(each, _NONE)[0]) is not None}, recording)
    if recording and seen.no_logs:
        recording.refused_logs(seen.no_logs)


def _keep_of_ready(seen: ClusterObjects, found: dict[WantedLog, str], recording: Recording | None) -> None:
    for each, text in found.items():
        logs.keep_words_while_ready(seen, each.object, [text])
        if recording:
            recording.log(each, text)


def _keep(seen: ClusterObjects, found: dict[str, list[str]]) -> None:
    """Keeps logs as the files of a dump are kept."""
    for name, texts in found.items():
        said = logs.most_telling(map(logs.last_words, texts))
        if said:
            seen.words[name] = said
        logs.keep_users_words(seen, name, texts)
        told = hami_logs.join_log_ends([hami_logs.read_log(text) for text in texts])
        if told is not None:
            seen.hami.logs[name] = told


def _why_not(was_asked: bool) -> str:
    if was_asked:
        return f"it did not come within {SECONDS:.0f} s"
    return f"the logs of {MOST_PODS} pods were read, and no more"


def _answers(connection: Connection, asked: Iterable[WantedLog], workers: int) -> dict[WantedLog, _Answer]:
    """Asks in daemon threads, until everything is answered or the time is over."""
    waiting, until = deque(asked), time.monotonic() + SECONDS
    found: dict[WantedLog, _Answer] = {}

    def work() -> None:
        while time.monotonic() < until:
            try:
                wanted = waiting.popleft()
            except IndexError:
                return
            found[wanted] = _answer(connection, wanted)

    threads = [threading.Thread(target=work, daemon=True) for _ in range(min(workers, len(waiting)))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(max(until - time.monotonic(), 0))
    return dict(found)


def _answer(connection: Connection, wanted: WantedLog) -> _Answer:
    query = {"container": wanted.container, "tailLines": str(LINES), "limitBytes": str(BYTES)}
    try:
        status, data = connection.text(
            wanted.path, {**query, **({"previous": "true"} if wanted.previous else {})}, BYTES
        )
    except CouldNotLook as problem:
        return None, str(problem)
    if status != 200:
        return None, _message(data) or f"the server answered {status}"
    return hide_secrets(data[-logs.TAIL :].decode("utf-8", "replace")), ""


def _message(data: bytes) -> str:
    try:
        return text_at(json.loads(data), "message")
    except (ValueError, RecursionError):
        return data[:200].decode("utf-8", "replace").strip()
