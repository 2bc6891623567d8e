"""Who measures HAMi in a cluster, as facts."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from nodeworthy.collect.cluster.kinds import PROMETHEUSES, SERVICE_MONITORS, SERVICES
from nodeworthy.collect.cluster.seen import ClusterObjects
from nodeworthy.facts.hami.cluster import HamiCluster
from nodeworthy.facts.hami.metrics import HamiMetrics, sources
from nodeworthy.facts.services.monitoring_stack import MonitoringStack, scraping
from nodeworthy.verdict import Place


def metrics_of(seen: ClusterObjects, cluster: HamiCluster, asked: frozenset[type[Any]]) -> Iterator[HamiMetrics]:
    """Nothing where there is no Prometheus, or nobody wrote down what would tell."""
    why = seen.why_not_all(PROMETHEUSES)
    if why is not None and (seen.was_kept_away(PROMETHEUSES) or HamiMetrics in asked):
        yield HamiMetrics(Place(subject=PROMETHEUSES.plural), (), unseen=why)
        return
    stacks = seen.read(MonitoringStack, PROMETHEUSES)
    if not stacks or len(cluster.found) > 1:
        return
    unseen = next(
        (cluster.unseen[each.plural] for each in (SERVICES, SERVICE_MONITORS) if each.plural in cluster.unseen), ""
    )
    refused = seen.was_kept_away(SERVICES) or seen.was_kept_away(SERVICE_MONITORS)
    for one in cluster.found:
        place = one.parts[0].pod.place if one.parts else Place(subject=SERVICES.plural)
        if unseen:
            if refused or HamiMetrics in asked:
                yield HamiMetrics(place, (), unseen=unseen)
            continue
        found = sources(one, seen.hami.services.values(), seen.hami.monitors.values())
        yield HamiMetrics(place, tuple(found), next(scraping(stacks), None))
