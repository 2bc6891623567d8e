"""Which programs take one GPU for each process, and how many they are told to start: `gpu_processes.toml`."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from functools import cache
from math import prod
from typing import Any

from nodeworthy.known.tables import table_of
from nodeworthy.records import dataclass


@dataclass(frozen=True)
class GpuProcesses:
    program: str
    # In one container.
    number: int
    # As it is written: `--nproc_per_node=8`; several, where they multiply.
    written: str
    # On how many machines they are spread: the number that is written is of all of them.
    machines: int = 1


@dataclass(frozen=True)
class _Program:
    name: str
    words: re.Pattern[str]
    counts: tuple[re.Pattern[str], ...]
    several: re.Pattern[str] | None
    parts: re.Pattern[str] | None


@cache
def _table() -> Mapping[str, Any]:
    return table_of("gpu_processes")


@cache
def _programs() -> tuple[_Program, ...]:
    return tuple(
        _Program(
            row["program"],
            re.compile(row["words"]),
            tuple(map(re.compile, row["counts"])),
            *(re.compile(row[name]) if name in row else None for name in ("several", "parts")),
        )
        for row in _table()["program"]
    )


def cause() -> str:
    return str(_table()["cause"])


def work_together() -> frozenset[str]:
    """Kinds of objects of which one pod may start processes on the GPUs of another."""
    return frozenset(_table()["together"])


def processes_told(image: str, command: str) -> GpuProcesses | None:
    """The processes that a container's command line starts; None where it starts no known program, or does not say how
    many here."""
    if re.search(_table()["on_processors"], command):
        return None
    for each in _programs():
        if not each.words.search(f"{image} {command} ") or (each.several and each.several.search(command)):
            continue
        # Of several starts the smallest: which of them runs, a script decides.
        least = [min(found, key=lambda one: int(one[1])) for found in _counts_in(each, command) if found]
        if least:
            spread = _spread(each, command)
            written = " ".join(one[0].strip() for one in (*least, *spread))
            machines = max((int(one[1]) for one in spread), default=1)
            return GpuProcesses(each.name, prod(int(one[1]) for one in least) // machines, written, machines)
    return None


def told_by_settings(command: str, number: int, written: str) -> GpuProcesses | None:
    """The processes of a torchrun that is told how many by something beside its command line."""
    table = _table()["settings"]
    if re.search(_table()["on_processors"], command) or not re.search(table["words"], command):
        return None
    return GpuProcesses(table["program"], number, written)


def variables_of_settings() -> tuple[str, ...]:
    return tuple(_table()["settings"]["variables"])


def fields_of_settings() -> Mapping[str, tuple[tuple[str, ...], ...]]:
    """By the kind of an object: where it says how many."""
    fields: Mapping[str, list[list[str]]] = _table()["settings"]["fields"]
    return {kind: tuple(map(tuple, paths)) for kind, paths in fields.items()}


def _spread(program: _Program, command: str) -> list[re.Match[str]]:
    """Where it is to run on several machines, the start on most of them."""
    found = [each for each in (program.parts.finditer(command) if program.parts else ()) if int(each[1]) > 1]
    return sorted(found, key=lambda each: int(each[1]))[-1:]


def _counts_in(program: _Program, command: str) -> Iterator[list[re.Match[str]]]:
    return (list(each.finditer(command)) for each in program.counts)
