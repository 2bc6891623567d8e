"""Who measures HAMi in a cluster, as facts."""

from __future__ import annotations

from collections.abc import Iterator

from nodeworthy.collect.cluster.kinds import PROMETHEUSES, SERVICE_MONITORS, SERVICES
from nodeworthy.collect.cluster.seen import Seen
from nodeworthy.documents.tree import plant
from nodeworthy.facts.hami.cluster import HamiCluster
from nodeworthy.facts.hami.metrics import HamiMetrics, sources
from nodeworthy.facts.hami.parts import Role
from nodeworthy.facts.services.monitoring_recognition import of_prometheus
from nodeworthy.facts.services.monitoring_stack import scraping
from nodeworthy.verdict import Place

RULE = "hami-measured"


def metrics_of(seen: Seen, cluster: HamiCluster, asked: frozenset[str]) -> Iterator[HamiMetrics]:
    """Nothing where there is no Prometheus, or nobody wrote down what would tell."""
    if PROMETHEUSES.plural in seen.refused:
        unseen = f"the server refused to list {PROMETHEUSES.full_name}: {seen.refused[PROMETHEUSES.plural]}"
        yield HamiMetrics(Place(subject=PROMETHEUSES.plural), (), unseen=unseen)
        return
    prometheuses = [(key, data) for key, (kind, data) in seen.platform.items() if kind is PROMETHEUSES]
    if not prometheuses or len(cluster.found) > 1:
        return
    unseen = next(
        (cluster.unseen[each.plural] for each in (SERVICES, SERVICE_MONITORS) if each.plural in cluster.unseen), ""
    )
    refused = {SERVICES.plural, SERVICE_MONITORS.plural} & set(seen.refused)
    stacks = [
        of_prometheus(plant({**data, "kind": PROMETHEUSES.kind}, Place(object=f"Prometheus/{namespace}/{name}")))
        for (_, namespace, name), data in prometheuses
    ]
    for one in cluster.found:
        place = one.parts[0].pod.place if one.parts else Place(subject=SERVICES.plural)
        if unseen:
            if refused or RULE in asked:
                yield HamiMetrics(place, (), unseen=unseen)
            continue
        roles = [each for each in (Role.SCHEDULER, Role.DEVICE_PLUGIN) if one.has(each)]
        found = sources(roles, one.namespace, seen.hami.services.values(), seen.hami.monitors.values())
        yield HamiMetrics(place, tuple(found), next(scraping(stacks), None))
