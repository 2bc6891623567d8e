"""The marks that real work leaves on a node: when it passed, at which level and in which boot; and the taint."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from datetime import datetime
from typing import Any

from nodeworthy.documents.plain import strings_at, text_at
from nodeworthy.known.verification import VERIFIED, VERIFIED_BOOT
from nodeworthy.repair.change import Wanted
from nodeworthy.repair.edit import ANNOTATIONS, LABELS, TAINTS, Edit
from nodeworthy.repair.gate import ACCEPTED, ACCEPTED_BOOT, ACCEPTED_LEVEL, Gate, opens_at
from nodeworthy.repair.standing import (
    BECAUSE,
    UNVERIFIED,
    Fitness,
    Standing,
    as_edits,
    boot_of,
    opens,
    stamp,
)


def accept_edits(
    standing: Standing, node: Mapping[str, Any], now: datetime, *, level: str, gate: Gate | None
) -> tuple[Edit, ...]:
    """The edits for a node that is fit, or is not; a node that was not seen is left unchanged. Raises NotEditable."""
    wanted = _passes(node, now, level, gate) if standing.fitness is Fitness.FIT else _fails(standing)
    return as_edits(node, wanted)


def _passes(node: Mapping[str, Any], now: datetime, level: str, gate: Gate | None) -> Iterator[Wanted]:
    yield Wanted(LABELS, ACCEPTED, stamp(now))
    yield Wanted(ANNOTATIONS, ACCEPTED_LEVEL, level)
    yield Wanted(ANNOTATIONS, ACCEPTED_BOOT, boot_of(node))
    yield from opens(node, why_shut(node, level, gate))


def _fails(standing: Standing) -> Iterator[Wanted]:
    yield Wanted(LABELS, ACCEPTED, None)
    yield Wanted(ANNOTATIONS, ACCEPTED_LEVEL, None)
    yield Wanted(ANNOTATIONS, ACCEPTED_BOOT, None)
    yield Wanted(TAINTS, UNVERIFIED, standing.rule)
    yield Wanted(ANNOTATIONS, BECAUSE, standing.why)


def why_shut(node: Mapping[str, Any], level: str, gate: Gate | None) -> str | None:
    """Why one that has passed real work keeps its taint; None where it loses it."""
    name = text_at(node, "metadata", "name")
    if not opens_at(level, gate.level if gate is not None else "quick"):
        asked = gate.level if gate is not None else "quick"
        return f"it passed accept at level {level}, and the gate asks for {asked}"
    labels, notes = strings_at(node, "metadata", "labels"), strings_at(node, "metadata", "annotations")
    if labels.get(VERIFIED) and notes.get(VERIFIED_BOOT) == boot_of(node):
        return None
    suite = f"nodeworthy node node://{name} --in-cluster --taint"
    return f"it passed accept, and the suite of the node has not passed in this boot: {suite}"
