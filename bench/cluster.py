"""What `diagnose` costs, from dumps of clusters of 100, 1,000 and 5,000 nodes."""

from __future__ import annotations

from functools import cache
from pathlib import Path

from bench import dump
from bench.measure import nodeworthy_cpu_ms, nodeworthy_mb, nodeworthy_ms

SMALL, MIDDLE, LARGE = 100, 1_000, 5_000
ANY = (0, 1, 3)
_DIAGNOSE = ("diagnose", "--from", ".")


def ms(folder: Path, nodes: int, times: int) -> float:
    return nodeworthy_ms(*_DIAGNOSE, cwd=dump_of(folder, nodes), exits=ANY, times=times)


def memory_mb(folder: Path, nodes: int) -> float:
    """The most that a diagnosis holds at once."""
    return nodeworthy_mb(*_DIAGNOSE, cwd=dump_of(folder, nodes))


def growth(folder: Path, few: int, many: int) -> float:
    """What a node of the larger cluster computes for what one of the smaller takes 1; what one node alone takes, mostly
    to start, is not counted."""
    alone = _cpu_ms(folder, 1)
    less, more = (_cpu_ms(folder, nodes) - alone for nodes in (few, many))
    return (more / many) / (less / few)


def _cpu_ms(folder: Path, nodes: int) -> float:
    times = 1 if nodes == LARGE else 3
    return nodeworthy_cpu_ms(*_DIAGNOSE, cwd=dump_of(folder, nodes), exits=ANY, times=times)


@cache
def dump_of(folder: Path, nodes: int) -> Path:
    below = folder / f"cluster-{nodes}"
    dump.write(below, nodes)
    return below
