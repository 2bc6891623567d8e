"""Reads a remedy that is an exact command: `kubectl label node A B x=y`, `kubectl taint node A x:NoSchedule-`."""

from __future__ import annotations

import shlex
from collections.abc import Iterator

from nodeworthy.patterns import pattern
from nodeworthy.repair.change import Target, Wanted
from nodeworthy.repair.edit import LABELS, TAINTS

_KINDS = {"node": "Node", "nodes": "Node", "namespace": "Namespace", "ns": "Namespace"}
_NAME = pattern(r"[a-z0-9]([-a-z0-9.]{0,251}[a-z0-9])?")
_KEY = r"(?:[a-zA-Z0-9][-\w.]*/)?[a-zA-Z0-9](?:[-\w.]*[a-zA-Z0-9])?"
_LABEL = pattern(rf"(?P<key>{_KEY})(?:=(?P<value>(?:[a-zA-Z0-9](?:[-\w.]*[a-zA-Z0-9])?)?)|(?P<gone>-))")
_TAINT = pattern(
    rf"(?P<key>{_KEY})(?:=(?P<value>[-\w.]*))?:(?P<effect>NoSchedule|PreferNoSchedule|NoExecute)(?P<gone>-)?"
)


def targets_named(remedy: str) -> tuple[tuple[Target, ...], tuple[Wanted, ...]] | None:
    """The objects and what is wanted of each; None where the remedy is anything but one such command, with perhaps a
    word to people after a semicolon."""
    words = _words(remedy)
    if len(words) < 5 or words[0] != "kubectl" or words[1] not in ("label", "taint") or words[2] not in _KINDS:
        return None
    kind, rest = _KINDS[words[2]], [word for word in words[3:] if word != "--overwrite"]
    if words[1] == "taint" and kind != "Node":
        return None
    names = [word for word in rest if _NAME.fullmatch(word)]
    assignments = rest[len(names) :]
    if not names or not assignments or rest[: len(names)] != names:
        return None
    read = _taints if words[1] == "taint" else _labels
    wanted = tuple(read(assignments, overwrite="--overwrite" in words))
    return (tuple(Target(kind, name) for name in names), wanted) if len(wanted) == len(assignments) else None


def _words(remedy: str) -> list[str]:
    try:
        return shlex.split(remedy.partition(";")[0])
    except ValueError:
        return []


def _labels(assignments: list[str], *, overwrite: bool) -> Iterator[Wanted]:
    for found in filter(None, map(_LABEL.fullmatch, assignments)):
        gone = found["gone"] is not None
        yield Wanted(LABELS, found["key"], None if gone else found["value"], overwrite or gone)


def _taints(assignments: list[str], *, overwrite: bool) -> Iterator[Wanted]:
    for found in filter(None, map(_TAINT.fullmatch, assignments)):
        gone = found["gone"] is not None
        value = None if gone else found["value"] or ""
        yield Wanted(TAINTS, f"{found['key']}:{found['effect']}", value, overwrite or gone)
