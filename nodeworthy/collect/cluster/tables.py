"""Reads the table of pods that `kubectl get pods` prints, with or without -A and -o wide: the first thing people paste.

It holds no image, no event and no condition. What a pod is, its name tells (known/gpu_stack.toml); how far it has come,
its status; since when, its age. Why, it does not say, and nothing of that is made up.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from datetime import UTC, datetime
from typing import Any

from nodeworthy.collect.cluster.described import LARGEST, age_of, time_before
from nodeworthy.collect.cluster.dump_text import whole_text
from nodeworthy.documents.json_objects import Item, Whole
from nodeworthy.known.gpu_stack import named_pod
from nodeworthy.patterns import pattern
from nodeworthy.records import dataclass, field
from nodeworthy.verdict import Place

_HEAD = pattern(r"(?m)^[ \t]*(?:NAMESPACE[ \t]+)?NAME[ \t]+READY[ \t]+STATUS[ \t]+RESTARTS[ \t]+AGE\b")
_ROW = pattern(
    r"[ \t]*(?:(?P<namespace>[a-z0-9][a-z0-9-]{0,62})[ \t]+)?(?:pod/)?(?P<name>[a-z0-9][a-z0-9.-]{0,252})[ \t]+"
    r"(?P<ready>\d{1,4})/(?P<all>\d{1,4})[ \t]+(?P<status>[A-Z][\w:/]{0,80})[ \t]+"
    r"(?P<restarts>\d{1,9})(?: \(\S{1,20} ago\))?[ \t]+(?P<age>[\dydhms]{1,20})"
    r"(?:[ \t]+\S{1,64}[ \t]+(?P<node>\S{1,253}))?"
)
# The command above it, which names what its rows leave out.
_OF = pattern(r"[ \t](?:-n|--namespace)[ =]?[ \t]*(?P<namespace>[a-z0-9][a-z0-9-]{0,62})\b")
_INIT = pattern(r"Init:(?P<done>\d{1,3})/(?P<all>\d{1,3})")
_WAITS = frozenset(("ContainerCreating", "PodInitializing"))
# Over, or about to be: what became of them is told by what came in their place.
_GONE = frozenset(("Completed", "Terminating", "Evicted", "NodeShutdown", "Terminated"))
# It ended, and nothing has tried it again yet.
_ENDED = frozenset(("Error", "OOMKilled", "ContainerCannotRun", "StartError", "DeadlineExceeded"))
# A head so far below is another text's.
_BEGINS = 4_000


def is_table_of_pods(text: str) -> bool:
    return _HEAD.search(text[:_BEGINS]) is not None


@dataclass
class PodTable:
    """What a table tells, and when: its ages count back from now."""

    printed: datetime = field(default_factory=lambda: datetime.now(UTC))

    def read(self, pieces: Iterable[str], _place: Place) -> Iterator[Item | Whole]:
        text = whole_text(pieces, LARGEST, f"as a table it is larger than {LARGEST >> 20} MiB, the most that is read")
        head = _HEAD.search(text)
        if head is None:
            return
        above = _OF.search(text[: head.start()])
        namespace = above["namespace"] if above is not None else "default"
        for line in text[head.end() :].splitlines():
            row = _ROW.match(line)
            if row is not None and row["status"] not in _GONE:
                yield Whole(self._pod({"namespace": namespace, **_columns_told(row.groupdict())}), has_items=False)

    def _pod(self, row: dict[str, str]) -> dict[str, Any]:
        since = time_before(self.printed, age_of(row["age"]))
        known = named_pod(row["name"])
        made = {"kind": "DaemonSet", "name": known.daemonset, "controller": True}
        ready = row["status"] == "Running" and row["ready"] == row["all"]
        return {
            "apiVersion": "v1",
            "kind": "Pod",
            "metadata": {
                "namespace": row["namespace"],
                "name": row["name"],
                "creationTimestamp": since,
                "ownerReferences": [made] if known.daemonset else [],
            },
            "spec": {"nodeName": "" if row.get("node", "<none>") == "<none>" else row["node"]},
            "status": {
                **_status(row["status"], int(row["restarts"]), known.inits, since),
                "conditions": [{"type": "Ready", "status": str(ready), "lastTransitionTime": since}],
            },
        }


def _columns_told(row: dict[str, str | None]) -> dict[str, str]:
    return {name: value for name, value in row.items() if value is not None}


def _status(status: str, restarts: int, inits: tuple[str, ...], since: str) -> dict[str, Any]:
    """The containers' states as far as kubectl's one word tells them."""
    waits = _INIT.fullmatch(status)
    if waits is not None:
        at = int(waits["done"])
        name = inits[at] if at < len(inits) and int(waits["all"]) == len(inits) else ""
        running = {"name": name, "restartCount": restarts, "state": {"running": {"startedAt": since}}}
        return {"phase": "Pending", "initContainerStatuses": [running]}
    of_init, _, reason = status.rpartition("Init:")
    kind = "initContainerStatuses" if status.startswith("Init:") else "containerStatuses"
    if reason in ("Running", "Pending") and not of_init:
        return {"phase": reason, kind: [{"restartCount": restarts}] if restarts else []}
    state = {"terminated": {"reason": reason, "exitCode": 1}} if reason in _ENDED else {"waiting": {"reason": reason}}
    name = inits[0] if kind.startswith("init") and len(inits) == 1 else ""
    phase = "Pending" if kind.startswith("init") or reason in _WAITS else "Running"
    return {"phase": phase, kind: [{"name": name, "restartCount": restarts, "state": state}]}
