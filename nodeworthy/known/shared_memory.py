"""Which programs need more shared memory than a container has by default: the table of `shared_memory.toml`."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cache
from typing import Any

from nodeworthy.known.tables import table_of
from nodeworthy.records import dataclass


@dataclass(frozen=True)
class ManyProcesses:
    """A program that starts several processes in one container, unless it is told to start one."""

    program: str
    words: re.Pattern[str]
    alone: re.Pattern[str] | None


@cache
def _table() -> Mapping[str, Any]:
    return table_of("shared_memory")


def default_size() -> str:
    return str(_table()["default"])


def mount_point() -> str:
    return str(_table()["path"])


def kinds_as_written() -> frozenset[str]:
    return frozenset(_table()["kinds"])


def does_without() -> Mapping[str, str]:
    """Variables, and the value of each by which no shared memory is used."""
    return dict(_table()["without"])


@cache
def _programs() -> tuple[ManyProcesses, ...]:
    return tuple(
        ManyProcesses(row["program"], re.compile(row["words"]), re.compile(row["alone"]) if "alone" in row else None)
        for row in _table()["program"]
    )


def many_processes(command: str) -> str | None:
    """The program in a command line that starts several processes; None where none is known to."""
    for each in _programs():
        if each.words.search(command) and not (each.alone is not None and each.alone.search(command)):
            return each.program
    return None
