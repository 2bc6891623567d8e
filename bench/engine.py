"""What the rules themselves cost: on what `check` found in the tree, without reading it."""

from __future__ import annotations

import contextlib
import time
from collections.abc import Sequence
from pathlib import Path

from nodeworthy.collect.source.collector import look
from nodeworthy.collect.source.fleets import Fleets
from nodeworthy.engine import judge
from nodeworthy.rules import catalogue, rule
from nodeworthy.scene import Scene


def ms_a_subject(tree: Path) -> float:
    """All rules together, per subject that they judged."""
    with contextlib.chdir(tree):
        looked = look(["."], Fleets(None, None), frozenset(each.id for each in catalogue()))
    return min(_judged(looked.scenes) for _ in range(5))


def _judged(scenes: Sequence[Scene]) -> float:
    start = time.perf_counter()
    judgements = judge(scenes, catalogue(), rule("rule-crashed"))
    elapsed = (time.perf_counter() - start) * 1000
    return elapsed / len({id(each.subject) for each in judgements})
