"""The gate of a fleet: which level of real work a node has to have passed, in this boot, before its taint goes."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from datetime import UTC, datetime, timedelta
from typing import Any

from nodeworthy.documents.plain import strings_at, text_at
from nodeworthy.fleet.model import Fleet
from nodeworthy.known.acceptance import Level
from nodeworthy.patterns import pattern
from nodeworthy.records import dataclass

# When it passed, at which level, and in which boot.
ACCEPTED = "nodeworthy/accepted"
ACCEPTED_LEVEL = "nodeworthy/accepted-level"
ACCEPTED_BOOT = "nodeworthy/accepted-boot"
# Burning proves heat and nothing of training.
_RANKS = {Level.QUICK: 1, Level.FULL: 2}
# As the fleet writes how long it counts, in seconds.
_WRITTEN = pattern(r"([0-9]+)(ms|[ywdhms])")
_UNITS = {"y": 31_536_000, "w": 604_800, "d": 86_400, "h": 3_600, "m": 60, "s": 1, "ms": 0.001}
_STAMP = "%Y%m%dT%H%M%SZ"


def opens_at(level: str, asked: str) -> bool:
    """Whether what passed is as much as the gate asks for."""
    ranks = {each.value: rank for each, rank in _RANKS.items()}
    return ranks.get(level, 0) >= ranks.get(asked, 1)


@dataclass(frozen=True)
class Gate:
    level: str
    max_age: timedelta
    # As the fleet writes it.
    written: str

    def why_shut(self, node: Mapping[str, Any], now: datetime) -> str | None:
        """What of real work is missing; None where nothing is."""
        trouble = next(self._troubles(node, now), None)
        if trouble is None:
            return None
        name = text_at(node, "metadata", "name")
        command = f"nodeworthy accept --on kubernetes {name} --level {self.level} --taint"
        return f"the gate asks for accept at level {self.level}, and {trouble}: {command}"

    def _troubles(self, node: Mapping[str, Any], now: datetime) -> Iterator[str]:
        labels, notes = strings_at(node, "metadata", "labels"), strings_at(node, "metadata", "annotations")
        when = moment_of(labels.get(ACCEPTED, ""))
        if when is None:
            yield "the node has not passed it"
        elif not opens_at(notes.get(ACCEPTED_LEVEL, ""), self.level):
            yield f"the node has passed level {notes.get(ACCEPTED_LEVEL, '(unknown)')}"
        elif notes.get(ACCEPTED_BOOT) != text_at(node, "status", "nodeInfo", "bootID"):
            yield "the node has booted since it passed"
        elif now - when > self.max_age:
            yield f"the node passed it longer ago than {self.written}"


def moment_of(stamp: str) -> datetime | None:
    try:
        return datetime.strptime(stamp, _STAMP).replace(tzinfo=UTC)
    except ValueError:
        return None


def gate_of(fleet: Fleet | None) -> Gate | None:
    """None where the fleet has none."""
    said = fleet.accept if fleet is not None else None
    if said is None or said.gate == "none":
        return None
    seconds = sum(int(number) * _UNITS[unit] for number, unit in _WRITTEN.findall(said.max_age))
    return Gate(said.gate, timedelta(seconds=seconds), said.max_age)
