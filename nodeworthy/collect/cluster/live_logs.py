"""Asks a cluster for the logs that rules need: their ends, of few pods, within a deadline. What is refused is kept."""

from __future__ import annotations

import json
import threading
import time
from collections import deque
from collections.abc import Iterable

from nodeworthy.collect.cluster import hami_logs, logs
from nodeworthy.collect.cluster.connection import Connection
from nodeworthy.collect.cluster.pod_logs import MOST_PODS, WantedLog
from nodeworthy.collect.cluster.recording import Recording
from nodeworthy.collect.cluster.seen import ClusterObjects
from nodeworthy.documents.plain import text_at
from nodeworthy.errors import CouldNotLook
from nodeworthy.redaction import hide_secrets

LINES = 200
BYTES = 256 << 10
# For all of them together.
SECONDS = 20.0


_Answer = tuple[str | None, str]


def read(connection: Connection, seen: ClusterObjects, workers: int, recording: Recording | None) -> None:
    wanted = seen.wanted_logs()
    of = set(list(dict.fromkeys(each.object for each in wanted))[:MOST_PODS])
    asked = [each for each in wanted if each.object in of]
    answers = _answers(connection, asked, workers)
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
    if recording and seen.no_logs:
        recording.refused_logs(seen.no_logs)


def _keep(seen: ClusterObjects, found: dict[str, list[str]]) -> None:
    """As the files of a dump are kept."""
    for name, texts in found.items():
        said = logs.most_telling(map(logs.last_words, texts))
        if said:
            seen.words[name] = said
        told = hami_logs.together([hami_logs.read_log(text) for text in texts])
        if told is not None:
            seen.hami.logs[name] = told


def _why_not(was_asked: bool) -> str:
    if was_asked:
        return f"it did not come within {SECONDS:.0f} s"
    return f"the logs of {MOST_PODS} pods were read, and no more"


def _answers(connection: Connection, asked: Iterable[WantedLog], workers: int) -> dict[WantedLog, _Answer]:
    """In threads that die with us, until all is said or the time is over."""
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
