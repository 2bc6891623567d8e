"""What measures a cluster and what keeps its queue, as facts."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from nodeworthy.collect.cluster.kinds import DATABASES, PROMETHEUSES, STATEFUL_SETS, Kind
from nodeworthy.collect.cluster.seen import Seen
from nodeworthy.collect.source.comments import annotated
from nodeworthy.documents.plain import text_at
from nodeworthy.documents.tree import Tree, plant
from nodeworthy.engine import Fact, Missing, Scene
from nodeworthy.facts.fleet.asked_for import asked_for
from nodeworthy.facts.operator.recognition import of_cluster_policy
from nodeworthy.facts.pod.recognition import pod_templates
from nodeworthy.facts.services.database_server import servers_of_cloud_native
from nodeworthy.facts.services.monitoring_recognition import of_prometheus
from nodeworthy.facts.services.monitoring_stack import MonitoringStack, scraping
from nodeworthy.facts.services.queue_database import QueueDatabase, queue_databases
from nodeworthy.fleet.model import Fleet
from nodeworthy.verdict import Place, Verdict

# The only rules that are judged here: the operator's settings, which one of them asks for, are judged elsewhere.
_METRICS, _DATABASE = "metrics-fit-their-disk", "database-replicated"
RULES = frozenset((_METRICS, _DATABASE))


def platform(seen: Seen, fleet: Fleet | None, asked: frozenset[str], rules: frozenset[str]) -> Scene:
    trees = [_planted(kind, data) for kind, data in seen.platform.values()]
    stacks = [of_prometheus(tree) for tree in trees if tree.get("kind").text == PROMETHEUSES.kind]
    databases = list(queue_databases(_servers(trees)))
    policies = [of_cluster_policy(_tree("ClusterPolicy", each)) for each in seen.policies.values()] if stacks else []
    facts: list[Fact] = [*asked_for(fleet), *stacks, *scraping(stacks), *databases, *policies]
    kept = [each for tree in trees for each in annotated(tree, rules, None)]
    return Scene(facts, dict(_missing(seen, asked)), kept, rules - RULES)


def _servers(trees: list[Tree]) -> Iterator[Fact]:
    for tree in trees:
        yield from servers_of_cloud_native(tree)
        if tree.get("kind").text == STATEFUL_SETS.kind:
            yield from pod_templates(tree)


def _planted(kind: Kind, data: Mapping[str, Any]) -> Tree:
    """Lists of the API server do not say of each item what it is."""
    version = text_at(data, "apiVersion") or kind.api_version
    return _tree(kind.kind, {**data, "kind": kind.kind, "apiVersion": version})


def _tree(kind: str, data: Mapping[str, Any]) -> Tree:
    named = "/".join(filter(None, (kind, text_at(data, "metadata", "namespace"), text_at(data, "metadata", "name"))))
    return plant(data, Place(object=named))


def _missing(seen: Seen, asked: frozenset[str]) -> Iterator[tuple[type[Fact], Missing]]:
    """A kind that nobody wrote down is a reason to skip, unless its rule was asked for by name."""
    measured = _unseen(seen, PROMETHEUSES, is_asked_for=_METRICS in asked)
    yield MonitoringStack, measured or Missing("no Prometheus is in what was read")
    unseen = (_unseen(seen, kind, is_asked_for=_DATABASE in asked) for kind in (STATEFUL_SETS, DATABASES))
    yield QueueDatabase, next(filter(None, unseen), None) or Missing("no database of a queue is in what was read")


def _unseen(seen: Seen, kind: Kind, *, is_asked_for: bool) -> Missing | None:
    if not seen.was_kept_away(kind) and not (is_asked_for and not seen.has(kind)):
        return None
    return Missing(seen.why_not_all(kind) or "", Verdict.UNKNOWN, Place(subject=kind.plural))
