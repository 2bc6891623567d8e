"""The tests by which real work proves a node: their ids, in which level they run, and why one may not have run."""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum
from functools import cache
from typing import Any

from nodeworthy.known.tables import table_of
from nodeworthy.records import dataclass
from nodeworthy.verdict import Verdict

# In the order in which they run, and in which tables show them.
TESTS = (
    "gpu-sanity",
    "inference",
    "allocation",
    "ddp",
    "multi-node",
    "fsdp",
    "gpu-as-asked",
    "disk-and-network",
    "checkpoint-restart",
    "data-loading",
    "moe",
)
# The one that only asks who answers.
AS_ASKED = TESTS[6]
# The one that asks the scheduler several times over, each time for another part of a node.
ALLOCATION = TESTS[2]
# Those of several nodes at once.
OF_GROUPS = frozenset({"multi-node"})
# On fewer it says nothing of what is between nodes.
LEAST_OF_A_GROUP = 2
# Those that one slice of a GPU can show, by MIG; what remains takes several GPUs, and slices can't work together.
OF_A_SLICE = ("gpu-sanity", "inference", ALLOCATION, AS_ASKED)
# Those that are about the node, whatever its GPUs are.
OF_THE_NODE = ("disk-and-network", "data-loading")
# Those that the driver alone can measure, without torch.
BY_THE_DRIVER = ("gpu-sanity", ALLOCATION, AS_ASKED)
# Kernels of which every number is known beforehand (programs/look.py), with the checksum of all of them.
RESULTS = {"driver-integers": "d609bfabaf29789f", "driver-floats": "a70232f2f009b88f"}


class Level(StrEnum):
    QUICK = "quick"
    FULL = "full"
    BURN = "burn"


# Seconds for which a level may hold a node, and may take in all.
# Of a burn where nobody says how long, and the least that tells of heat.
BURN_SECONDS, LEAST_BURN_SECONDS = 1800, 300
HELD = {Level.QUICK: 120, Level.FULL: 900, Level.BURN: 4 * 3600}
IN_ALL = {Level.QUICK: 240, Level.FULL: 1500, Level.BURN: 4 * 3600 + 600}
_OF_LEVEL = {
    Level.QUICK: ("gpu-sanity", "inference", "ddp", "gpu-as-asked", "disk-and-network"),
    Level.FULL: TESTS,
    Level.BURN: ("gpu-sanity", "gpu-as-asked"),
}


def level_tests(level: Level) -> tuple[str, ...]:
    return _OF_LEVEL[level]


class NotRun(StrEnum):
    """Why a test did not run on a node. It is never a pass."""

    # The hardware is not there, or nobody wanted it.
    ONE_NODE = "one-node"
    NO_HARDWARE = "no-hardware"
    SKIPPED = "skipped"
    LEVEL = "level"
    AFTER_FAILURE = "after-failure"
    NO_IMAGE = "no-image"
    # Of several candidates for the same work another began before it, as it should be.
    LOST = "lost"
    # It yielded to others.
    PREEMPTED = "preempted"
    IN_USE = "in-use"
    WINDOW = "window"
    OPTED_OUT = "opted-out"
    QUOTA = "quota"
    DEADLINE = "deadline"
    NOT_HEARD = "not-heard"
    # It could not be tried.
    NO_RIGHT = "no-right"
    IMAGE = "image"
    NO_TORCH = "no-torch"
    NO_PARTITION = "no-partition"
    DNS = "dns"
    NODE_GONE = "node-gone"
    BROKEN = "broken"


_SKIPS = frozenset(
    {
        NotRun.ONE_NODE,
        NotRun.NO_HARDWARE,
        NotRun.SKIPPED,
        NotRun.LEVEL,
        NotRun.AFTER_FAILURE,
        NotRun.NO_IMAGE,
        NotRun.LOST,
    }
)
_YIELDED = frozenset(
    {
        NotRun.PREEMPTED,
        NotRun.IN_USE,
        NotRun.WINDOW,
        NotRun.OPTED_OUT,
        NotRun.QUOTA,
        NotRun.DEADLINE,
        NotRun.NOT_HEARD,
    }
)


def verdict_of(reason: NotRun) -> Verdict:
    """The verdict of a test that did not run."""
    if reason in _SKIPS:
        return Verdict.SKIP
    return Verdict.UNKNOWN if reason in _YIELDED else Verdict.ERROR


class Provenance(StrEnum):
    PUBLISHED = "published"
    DERIVED = "derived"
    MEASURED = "measured"


@dataclass(frozen=True)
class Limit:
    """What no GPU of this kind can exceed."""

    value: float
    unit: str
    source: str


@dataclass(frozen=True)
class TableFloor:
    """The least that is expected of a GPU, or of an instance type, whoever owns it."""

    key: str
    of: str
    value: float
    unit: str
    limit: float
    kind: Provenance
    source: str


@cache
def _table() -> Mapping[str, Any]:
    return table_of("floors")


@cache
def table_floors() -> Mapping[tuple[str, str], TableFloor]:
    """The floors of our table, by what is measured and by the GPU or the instance type."""
    made = {}
    for row in _table()["floor"]:
        floor = TableFloor(**{**row, "kind": Provenance(row["kind"])})
        made[floor.key, floor.of] = floor
    return made


@cache
def _limits() -> Mapping[tuple[str, str], Limit]:
    rows = {(each.key, each.of): Limit(each.limit, each.unit, each.source) for each in table_floors().values()}
    for row in _table()["limit"]:
        rows[row["key"], row["of"]] = Limit(row["value"], row["unit"], row["source"])
    return rows


def limit_of(key: str, *of: str) -> Limit | None:
    """The limit of the first of these GPUs or instance types that has one."""
    return next((_limits()[key, each] for each in of if (key, each) in _limits()), None)


def keys() -> tuple[str, ...]:
    """What a fleet may give a floor."""
    return tuple(sorted({key for key, _ in _limits()}))
