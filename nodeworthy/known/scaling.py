"""What keeps a pool of nodes from growing, and what nodes wait for before they take pods: the tables of
`scaling.toml` and `startup_taints.toml`."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from functools import cache
from typing import Any

from nodeworthy.known.tables import table_of
from nodeworthy.patterns import pattern
from nodeworthy.records import dataclass

# As Karpenter's releases write it: `nodepool: "gpu"`, `nodepool "gpu"`, `(NodePool=gpu)`.
_POOL = pattern(r"""nodepool[:= ]{1,2}["']?(?P<name>[a-z0-9][a-z0-9.-]{0,252})""", re.IGNORECASE)


@dataclass(frozen=True)
class Obstacle:
    """Why no node is started, and what changes that."""

    remedy: str
    # More nodes are forbidden by their owner.
    is_final: bool


@cache
def _rows() -> Sequence[tuple[re.Pattern[str], Mapping[str, Any]]]:
    return [(re.compile(row["words"], re.IGNORECASE), row) for row in table_of("scaling")["obstacle"]]


def obstacle_in(words: str) -> Obstacle | None:
    """What is final, else what the words say alone: of several pools each may have a reason of its own."""
    found = [row for expression, row in _rows() if expression.search(words)]
    row = next((each for each in found if each.get("final")), found[0] if len(found) == 1 else None)
    return Obstacle(row["remedy"].format(pool=_pool_in(words)), bool(row.get("final"))) if row else None


def _pool_in(words: str) -> str:
    named = _POOL.search(words)
    return named["name"].rstrip(".") if named else "NAME"


@cache
def _startup_taints() -> Mapping[str, str]:
    return {row["key"]: row["who"] for row in table_of("startup_taints")["taint"]}


def worker_of_taint(taint: str) -> str | None:
    """The worker that a node with a taint of this key waits for; None where it waits for nobody."""
    return _startup_taints().get(taint)
