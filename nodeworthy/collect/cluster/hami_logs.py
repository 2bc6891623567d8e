"""The logs beside a dump of pods that crash with GPUs: what is known in them, and how they end."""

from __future__ import annotations

from collections.abc import Sequence

from nodeworthy.collect.cluster.hami_seen import LogEnd
from nodeworthy.collect.cluster.logs import Index, read_tail
from nodeworthy.collect.cluster.seen import ClusterObjects
from nodeworthy.facts.hami.crash import is_crash
from nodeworthy.known.evidence import in_stream

_LONGEST = 300


def read(seen: ClusterObjects, index: Index) -> None:
    for pod in seen.pods.values():
        is_part = (pod.namespace, pod.name) in seen.hami.parts
        if pod.ready or not (is_part or (pod.uses_gpus and is_crash(pod))):
            continue
        told = join_log_ends(
            [each for each in (read_tail(path, seen, read_log) for path in index.of(pod)) if each is not None]
        )
        if told is not None:
            seen.hami.logs[pod.object] = told


def join_log_ends(said: Sequence[LogEnd]) -> LogEnd | None:
    """The last words of one pod's containers together. None where none was read."""
    if not said:
        return None
    evidence = tuple(dict.fromkeys(name for each in said for name in each.evidence))
    telling = next((each for each in said if each.evidence), said[0])
    return LogEnd(evidence, telling.last_line)


def read_log(log: str) -> LogEnd:
    found = in_stream([log.encode()])
    lines = [each.strip() for each in log.splitlines() if each.strip()]
    last = found[0].shown(str) if found else next(reversed(lines), "")
    printable = "".join(each if each.isprintable() else " " for each in last)
    return LogEnd(tuple(each.evidence.id for each in found), printable[:_LONGEST])
