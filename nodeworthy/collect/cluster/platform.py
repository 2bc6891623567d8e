"""What measures a cluster and what keeps its queue, as facts."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from nodeworthy.collect.cluster.kinds import (
    CLUSTER_POLICIES,
    DATABASES,
    PLATFORM,
    PODS,
    PROMETHEUSES,
    SERVICE_MONITORS,
    SERVICES,
    STATEFUL_SETS,
)
from nodeworthy.collect.cluster.not_seen import NotSeen
from nodeworthy.collect.cluster.seen import ClusterObjects
from nodeworthy.collect.source.comments import annotation_suppressions
from nodeworthy.documents.plain import strings_at
from nodeworthy.facts.fleet.asked_for import MonitoringAsked, QueueAsked, monitoring_asked, queue_asked
from nodeworthy.facts.operator.daemonset_manifest import Part
from nodeworthy.facts.operator.values import OperatorValues
from nodeworthy.facts.pod.template import PodTemplate
from nodeworthy.facts.services.database_server import DatabaseServer, server_of_template
from nodeworthy.facts.services.monitoring_stack import MonitoringStack, Scraping, chooses, leads_to, scraping
from nodeworthy.facts.services.queue_database import QueueDatabase, queue_databases
from nodeworthy.fleet.model import Fleet
from nodeworthy.patterns import pattern
from nodeworthy.scene import Fact, Missing, Scene, make_scene

# What is told here, and in no other scene of the same cluster.
TOLD: frozenset[type[Any]] = frozenset((MonitoringAsked, MonitoringStack, QueueAsked, QueueDatabase, Scraping))


def platform(seen: ClusterObjects, fleet: Fleet | None, not_seen: NotSeen, rules: frozenset[str]) -> Scene:
    stacks = seen.read(MonitoringStack, PROMETHEUSES)
    databases = list(queue_databases([replace(each, runs_on=_runs_on(each, seen)) for each in _servers(seen)]))
    policies = seen.read(OperatorValues, CLUSTER_POLICIES) if stacks else []
    scraped = [
        _with_exporters(each, seen, is_asked_for=not_seen.is_asked_for(MonitoringStack)) for each in scraping(stacks)
    ]
    facts: list[Fact] = [*_asked_for(fleet), *stacks, *scraped, *databases, *policies]
    trees = (tree for kind in PLATFORM for tree in seen.documents[kind].values())
    kept = [each for tree in trees for each in annotation_suppressions(tree, rules, None)]
    return make_scene(facts, dict(_missing(not_seen)), kept, about=TOLD)


def _asked_for(fleet: Fleet | None) -> Iterator[Fact]:
    if fleet is not None:
        yield from monitoring_asked(fleet)
        yield from queue_asked(fleet)


def _with_exporters(scraped: Scraping, seen: ClusterObjects, *, is_asked_for: bool) -> Scraping:
    """The scraping with its DCGM exporters: the ServiceMonitors that choose a service which leads to one of them."""
    unseen = next((each for each in (SERVICE_MONITORS, SERVICES, PODS) if seen.why_not_all(each)), None)
    if unseen is not None:
        looked_for = is_asked_for or seen.was_kept_away(unseen)
        return replace(scraped, unseen=seen.why_not_all(unseen), was_looked_for=looked_for)
    exporters = {key for key, each in seen.gpu_daemonsets.items() if each.part is Part.DCGM_EXPORTER}
    pods = [pod for pod in seen.pods.values() if (pod.namespace, pod.daemonset) in exporters]
    services = [each for each in seen.hami.services.values() if any(leads_to(each, pod) for pod in pods)]
    monitors = [each for each in seen.hami.monitors.values() if any(chooses(each, service) for service in services)]
    return replace(scraped, monitored_by=tuple(strings_at(each, "metadata", "labels") for each in monitors))


def _servers(seen: ClusterObjects) -> Iterator[DatabaseServer]:
    yield from filter(None, map(server_of_template, seen.read(PodTemplate, STATEFUL_SETS)))
    yield from seen.read(DatabaseServer, DATABASES)


def _runs_on(server: DatabaseServer, seen: ClusterObjects) -> dict[str, str]:
    """The server's pods, which are numbered, with the node of each."""
    name, numbered = server.name, pattern(r"-\d+$")
    return {
        pod.name: pod.node
        for pod in seen.pods.values()
        if pod.namespace == server.namespace and pod.node and numbered.sub("", pod.name) == name != pod.name
    }


def _missing(not_seen: NotSeen) -> Iterator[tuple[type[Fact], Missing]]:
    missing = not_seen.missing
    yield MonitoringStack, missing(MonitoringStack, "no Prometheus is in what was read", PROMETHEUSES)
    none = "no database of a queue is in what was read"
    yield QueueDatabase, missing(QueueDatabase, none, STATEFUL_SETS, DATABASES)
