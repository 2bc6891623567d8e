"""The GPU operator's settings as a fleet declares them: its own values, laid over what the pools imply."""

from __future__ import annotations

from dataclasses import replace

from nodeworthy.facts.operator.values import OperatorValues
from nodeworthy.fleet.model import Fleet
from nodeworthy.fleet.operator import effective_values
from nodeworthy.verdict import Located


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
