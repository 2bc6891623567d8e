"""Container logs beside a dump: of the GPU stack's pods that do not run, what they said last."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

from nodeworthy.backstop import TookTooLong, call_bounded
from nodeworthy.collect.cluster.seen import Seen
from nodeworthy.collect.source.files import shown_path
from nodeworthy.facts.cluster.pod import ClusterPod
from nodeworthy.facts.not_seen import UnreadableInput
from nodeworthy.patterns import pattern
from nodeworthy.redaction import hide_secrets
from nodeworthy.verdict import Place

_T = TypeVar("_T")
# Enough for the last attempts; the line that tells stands near the end.
TAIL = 64 << 10
_MESSAGE = pattern(r'msg="(?P<said>(?:[^"\\]|\\.)*)"')
_TELLING = ("unable to dial", "Error signaling", "level=fatal", "level=error", "Error:", "error:")
_LONGEST = 300
_GATHERED = ("current.log", "previous.log")
_AS_GATHERED = ("namespaces", "pods", "logs")


class Index:
    """Where the logs of a pod are: `logs/<namespace>/<pod>/<container>.log`, `<namespace>/<pod>/logs.txt`, and in a
    must-gather `namespaces/<namespace>/pods/<pod>/<container>/<container>/logs/current.log`."""

    def __init__(self) -> None:
        self._of: dict[tuple[str, str], list[Path]] = defaultdict(list)

    def add(self, path: Path) -> None:
        parts = path.parts
        if path.name in _GATHERED and len(parts) >= 8 and (parts[-8], parts[-6], parts[-2]) == _AS_GATHERED:
            self._of[(parts[-7], parts[-5])].append(path)
        of_a_container = path.suffix == ".log" and len(parts) >= 4 and parts[-4] == "logs"
        if of_a_container or (path.name == "logs.txt" and len(parts) >= 3):
            self._of[(parts[-3], parts[-2])].append(path)

    def of(self, pod: ClusterPod) -> list[Path]:
        return self._of.get((pod.namespace, pod.name), [])


def read_last_words(seen: Seen, index: Index) -> None:
    for pod in seen.pods.values():
        if pod.ready or not (pod.part or any(toolkit.owns(pod) for toolkit in seen.toolkits.values())):
            continue
        for path in index.of(pod):
            said = read_tail(path, seen, last_words)
            if said:
                seen.words[pod.object] = said


def read_tail(path: Path, seen: Seen, read: Callable[[str], _T]) -> _T | None:
    """What a reader makes of a log's end; None where there is none, or it can't be read, which is told."""
    try:
        if not path.is_file():
            return None  # a pipe would have us wait for ever
        with path.open("rb") as file:
            file.seek(0, 2)
            file.seek(max(0, file.tell() - TAIL))
            tail = file.read()
        return call_bounded(lambda: read(hide_secrets(tail.decode("utf-8", "replace"))))
    except TookTooLong as problem:
        why = problem.why
    except OSError as problem:
        why = f"it can't be read: {problem.strerror}"
    seen.unreadable.append(UnreadableInput(Place(path=shown_path(path)), why))
    return None


def last_words(log: str) -> str:
    """The last line that says what went wrong, the most telling kind first; empty where none does."""
    lines = log.splitlines()
    for mark in _TELLING:
        line = next((each for each in reversed(lines) if mark in each), None)
        if line is not None:
            said = _MESSAGE.search(line)
            return " ".join((said["said"] if said else line).split())[:_LONGEST]
    return ""
