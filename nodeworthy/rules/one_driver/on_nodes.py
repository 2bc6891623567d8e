"""One driver, in a running cluster."""

from __future__ import annotations

from nodeworthy.facts.operator.driver_daemonset import DriversOnNodes
from nodeworthy.rules.one_driver import FIGHT, OWN_DRIVER, RULE
from nodeworthy.verdict import Findings, Related, fail


@RULE.check
def one_runs_on_a_node(running: DriversOnNodes) -> Findings:
    yield fail(
        running,
        f"the operator installs a driver, and {running.other.title} another",
        is_=f"{running.operators.title} and {running.other.title}",
        should="one",
        on=[f"node '{name}'" for name in running.nodes],
        related=[Related(running.other.place, "the other one")],
        cause=FIGHT,
        remedy="set driver.enabled: false in the operator's values, or keep its driver from these nodes: "
        f"kubectl label node {' '.join(running.nodes[:4])}{' …' if len(running.nodes) > 4 else ''} {OWN_DRIVER}",
    )
