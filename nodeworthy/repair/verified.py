"""The marks that a look leaves on a node: verified since when, or unverified and why."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from datetime import datetime
from typing import Any

from nodeworthy.documents.plain import mapping_at
from nodeworthy.known.verification import OPT_OUTS
from nodeworthy.repair.change import Wanted
from nodeworthy.repair.edit import ANNOTATIONS, LABELS, TAINTS, Edit, Path, value_at
from nodeworthy.repair.standing import Fitness, Standing

VERIFIED = "nodeworthy/verified"
UNVERIFIED = "nodeworthy/unverified:NoSchedule"
BECAUSE = "nodeworthy/unverified-because"
_KINDS: dict[Path, str] = {LABELS: "label", ANNOTATIONS: "annotation", TAINTS: "taint"}


def stamp(now: datetime) -> str:
    """A label has no colons."""
    return f"{now:%Y%m%dT%H%M%SZ}"


def opted_out(node: Mapping[str, Any]) -> str | None:
    """The label by which somebody keeps verification off."""
    labels = mapping_at(node, "metadata", "labels")
    return next((f"{name}={value}" for name, value in OPT_OUTS.items() if labels.get(name) == value), None)


def edits(standing: Standing, node: Mapping[str, Any], now: datetime) -> tuple[Edit, ...]:
    """What has to be changed; nothing where all stands as it should. Raises NotEditable."""
    wanted = [
        Edit(each.within, each.name, value_at(node, each.within, each.name), each.value)
        for each in _wanted(standing, node, now)
    ]
    return tuple(each for each in wanted if not each.is_idle)


def guards(node: Mapping[str, Any]) -> tuple[Edit, ...]:
    """Changes nothing, and is refused where somebody opts out after the change was shown."""
    found = ((name, value_at(node, LABELS, name)) for name in OPT_OUTS)
    return tuple(Edit(LABELS, name, value, value) for name, value in found)


def _wanted(standing: Standing, node: Mapping[str, Any], now: datetime) -> Iterator[Wanted]:
    if standing.fitness is Fitness.FIT:
        yield Wanted(LABELS, VERIFIED, stamp(now))
        yield Wanted(TAINTS, UNVERIFIED, None)
        yield Wanted(ANNOTATIONS, BECAUSE, None)
        return
    yield Wanted(LABELS, VERIFIED, None)
    is_tainted = value_at(node, TAINTS, UNVERIFIED) is not None
    unseen = standing.fitness is Fitness.UNSEEN
    if unseen and is_tainted and value_at(node, ANNOTATIONS, BECAUSE) is not None:
        return  # what was found wrong with it before is still the best that is known
    if not (unseen and is_tainted):
        yield Wanted(TAINTS, UNVERIFIED, standing.rule)
    yield Wanted(ANNOTATIONS, BECAUSE, standing.why)


def shown(edit: Edit) -> str:
    """One line for people."""
    kind = _KINDS[edit.within]
    if edit.after is None:
        return f"- {kind} {_written(edit, edit.before)}"
    was = f" (was {edit.before or 'without a value'})" if edit.before is not None else ""
    return f"+ {kind} {_written(edit, edit.after)}{was}"


def _written(edit: Edit, value: str | None) -> str:
    if edit.within != TAINTS:
        return f"{edit.name}={value}"
    key, _, effect = edit.name.rpartition(":")
    return f"{key}={value}:{effect}" if value else edit.name
