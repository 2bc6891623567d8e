"""The effects that a timeline shows: those of the user data, and what nodeadm's own unit then does with them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from nodeworthy.boot.effects import Act, Effect, Joins, Stage, Unit
from nodeworthy.boot.timeline import Timeline


def shown_effects(timeline: Timeline) -> Sequence[Effect]:
    """With the join of nodeadm-run last, where a NodeConfig told it of a cluster and nobody turns the unit off."""
    told = next((each for each in timeline.of(Joins) if each.tells and each.how == "nodeadm" and each.cluster), None)
    off = (Act.MASK, Act.DISABLE, Act.STOP)
    if told is None or any("nodeadm" in each.unit.shown() and each.act in off for each in timeline.of(Unit)):
        return timeline.effects
    joins = replace(told, stage=Stage.NODEADM_RUN, tells=False)
    before = [each for each in timeline.effects if each.stage <= Stage.NODEADM_RUN]
    return (*before, joins, *timeline.effects[len(before) :])
