"""The release of settings that don't say it themselves: the one that the fleet beside them names."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from nodeworthy.documents.release import LOOSE, STACK_CONFIG
from nodeworthy.facts.operator.fleet_operator import operator_of_fleet
from nodeworthy.facts.operator.values import OperatorValues
from nodeworthy.fleet.model import Fleet
from nodeworthy.verdict import Known

# A release that names no version takes the newest one, whatever a fleet says.
WITHOUT_A_RELEASE = (LOOSE, STACK_CONFIG, "ClusterPolicy")


def with_release_of(fleet: Fleet | None, facts: Sequence[Any]) -> list[Any]:
    """The facts, the operator's settings among them with their release."""
    settings = any(isinstance(each, OperatorValues) for each in facts)
    own = operator_of_fleet(fleet) if fleet is not None and settings else None
    if own is None or not own.release.written or not isinstance(own.release.state, Known):
        return list(facts)
    return [_told(each, own) if isinstance(each, OperatorValues) else each for each in facts]


def _told(values: OperatorValues, own: OperatorValues) -> OperatorValues:
    if values.release.state != Known(None) or values.origin not in WITHOUT_A_RELEASE:
        return values
    return replace(values, release=own.release, release_is_the_fleets=True)
