"""The GPU operator's settings as a fleet declares them: its own values, laid over what the pools imply."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, ClassVar

from nodeworthy.derive import derive
from nodeworthy.documents.release import LOOSE, STACK_CONFIG
from nodeworthy.facts.operator.values import OperatorValues
from nodeworthy.fleet.model import Fleet
from nodeworthy.fleet.operator import effective_values
from nodeworthy.records import dataclass, replace
from nodeworthy.verdict import Known, Located, Place


def operator_of_fleet(fleet: Fleet) -> OperatorValues | None:
    """None where the fleet has no operator."""
    if fleet.operator is None:
        return None
    chart = fleet.operator.chart
    return OperatorValues(
        place=replace(fleet.operator.place, subject="operator"),
        tree=effective_values(fleet),
        origin="the fleet's operator",
        release=Located(chart.state, chart.place, chart.secret, chart.written),
        implied=not fleet.operator.values.mapping,
    )


@dataclass(frozen=True)
class DeclaredFleet:
    """A fleet beside files: what it declares is there, unless they say otherwise. Of a plan the program says it."""

    called: ClassVar[str] = "a fleet that is declared beside files"

    fleet: Fleet

    @property
    def place(self) -> Place:
        return self.fleet.place


@dataclass(frozen=True)
class FleetsOperator:
    """The operator of the fleet, where nobody gives other values of one."""

    called: ClassVar[str] = "the fleet's operator"

    values: OperatorValues

    @property
    def place(self) -> Place:
        return self.values.place


@derive
def fleets_operator(fleet: Fleet, given: Sequence[OperatorValues]) -> Iterator[FleetsOperator]:
    values = operator_of_fleet(fleet) if not given else None
    if values is not None:
        yield FleetsOperator(values)


# The release of settings that don't say it themselves: the one that the fleet beside them names

# A release that names no version takes the newest one, whatever a fleet says.
WITHOUT_A_RELEASE = (LOOSE, STACK_CONFIG, "ClusterPolicy")


def with_release_of(fleet: Fleet | None, facts: Sequence[Any]) -> list[Any]:
    """The facts, the operator's settings among them with their release."""
    settings = any(isinstance(each, OperatorValues) for each in facts)
    own = operator_of_fleet(fleet) if fleet is not None and settings else None
    if own is None or not own.release.written or not isinstance(own.release.state, Known):
        return list(facts)
    return [_with_its_release(each, own) if isinstance(each, OperatorValues) else each for each in facts]


def _with_its_release(values: OperatorValues, own: OperatorValues) -> OperatorValues:
    if values.release.state != Known(None) or values.origin not in WITHOUT_A_RELEASE:
        return values
    return replace(values, release=own.release, release_is_the_fleets=True)
