"""What a fleet asks for and nothing in a whole plan is: its monitoring, its queue."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from nodeworthy.collect.plan.plan import Plan, Resource
from nodeworthy.collect.plan.releases import RELEASES
from nodeworthy.engine import Fact
from nodeworthy.facts.fleet.asked_for import MonitoringNotPlanned, QueueNotPlanned
from nodeworthy.facts.services.monitoring_stack import MonitoringStack
from nodeworthy.facts.services.queue_database import QueueDatabase
from nodeworthy.fleet.model import Fleet
from nodeworthy.patterns import pattern

NO_OBJECTS = "this program makes no objects of Kubernetes"
# Resources that open other files, of which a preview sees nothing.
_OPENED_LATER = ("kubernetes:yaml", "kubernetes:kustomize", "kubernetes:yaml/v2")
# Charts that may bring it under a name of their own.
_DATABASES = pattern(r"postgres|pgmq|cnpg|cloudnative-?pg|stackgres|database|queue", re.IGNORECASE)
_METRICS = pattern(r"prometheus|monitoring|observability|victoria|mimir|grafana", re.IGNORECASE)


def left_out(
    plan: Plan, facts: Sequence[Fact], fleet: Fleet | None
) -> Iterator[MonitoringNotPlanned | QueueNotPlanned]:
    if fleet is None:
        return
    alone = None if any(_is_object(each) for each in plan.resources) else NO_OBJECTS
    if fleet.monitoring is not None and not any(isinstance(fact, MonitoringStack) for fact in facts):
        place = fleet.monitoring.place.about("monitoring")
        yield MonitoringNotPlanned(place, alone, _hidden(plan, _METRICS))
    if fleet.queue is not None and not any(isinstance(fact, QueueDatabase) for fact in facts):
        yield QueueNotPlanned(fleet.queue.place.about("queue"), alone, _hidden(plan, _DATABASES))


def _is_object(resource: Resource) -> bool:
    return resource.type.startswith("kubernetes:")


def _hidden(plan: Plan, named: re.Pattern[str]) -> str | None:
    """Why it may be there all the same."""
    if not plan.complete:
        return "the program left before its end"
    for each in plan.resources:
        if each.remote or each.type.startswith(_OPENED_LATER):
            return f"{each.type} '{each.name}' may bring it, and is not opened here"
        if each.type in RELEASES and _may_be(each, named):
            return f"the chart of {each.name} may bring it, and is not opened here"
        if named is _DATABASES and each.type.startswith("aws:rds/"):
            return f"the database '{each.name}' of RDS may be it"
    return None


def _may_be(release: Resource, named: re.Pattern[str]) -> bool:
    chart = release.inputs.get("chart")
    return named.search(f"{release.name} {chart if isinstance(chart, str) else ''}") is not None
