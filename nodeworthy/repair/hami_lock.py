"""A lock that HAMi's scheduler left on a node: it may go as soon as the pod that it names starts no more."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from nodeworthy.facts.cluster.node_gpus import LOCK
from nodeworthy.patterns import pattern
from nodeworthy.repair.change import Target, Wanted, World
from nodeworthy.repair.edit import ANNOTATIONS, value_at

_REMEDY = pattern(rf"\bkubectl annotate node (?P<node>\S+) {re.escape(LOCK)}-$")
_OVER = ("Succeeded", "Failed")

UNLOCKED = (Wanted(ANNOTATIONS, LOCK, None),)


def locked_node(remedy: str) -> Target | None:
    """The node whose lock a remedy says to remove."""
    found = _REMEDY.search(remedy)
    return Target("Node", found["node"]) if found else None


def why_not(node: Mapping[str, Any], world: World) -> str | None:
    """Why the lock has to stay; None where it is nobody's."""
    lock = value_at(node, ANNOTATIONS, LOCK)
    if lock is None:
        return "the lock is gone already"
    parts = lock.split(",")
    if len(parts) != 3 or not all(parts):
        return f"the lock does not name its pod ({lock}): see yourself that none is being bound there"
    phase = world.phase_of_pod(parts[1], parts[2])
    if phase is None or phase in _OVER:
        return None
    return f"the pod that holds the lock is there (Pod/{parts[1]}/{parts[2]}, {phase or 'no phase'})"
