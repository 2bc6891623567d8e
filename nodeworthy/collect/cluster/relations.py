"""What the objects of a cluster name, choose and ask, as facts: of which kinds all are known is asked here."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from nodeworthy.collect.cluster.kinds import (
    CLUSTER_POLICIES,
    ENDPOINT_SLICES,
    ENDPOINTS,
    INFERENCE_POOLS,
    KINDS,
    NODES,
    PODS,
    SERVICES,
    WORKLOADS,
)
from nodeworthy.collect.cluster.not_seen import NotSeen
from nodeworthy.collect.cluster.seen import ClusterObjects
from nodeworthy.facts.cluster.choosers import Choosers, choosers
from nodeworthy.facts.cluster.kai_queues import QUEUE, closed_kai_queues
from nodeworthy.facts.cluster.kueue_queues import held_by_kueue
from nodeworthy.facts.cluster.meeting_points import no_meeting_points
from nodeworthy.facts.cluster.network_devices import without_device
from nodeworthy.facts.cluster.plugin_configurations import plugin_configurations
from nodeworthy.facts.cluster.references import NamedObjects, named_objects
from nodeworthy.facts.cluster.relations import Relations
from nodeworthy.facts.cluster.services_of_nobody import ServiceOfNobody, services_of_nobody
from nodeworthy.facts.cluster.unanswered_services import ServicesAround, UnansweredServices, unanswered_services
from nodeworthy.facts.cluster.volcano_queues import oversized_groups
from nodeworthy.facts.cluster.volume_claims import impossible_claims
from nodeworthy.scene import Scene, make_scene

_BY_KIND = {each.known_as: each for each in KINDS}
_NONE = "no work with GPUs names what was read whole"


def names_in(seen: ClusterObjects) -> NamedObjects:
    def is_whole(kind: str, namespace: str) -> bool:
        known = _BY_KIND[kind]
        is_of_another = bool(seen.namespace) and known.namespaced and namespace != seen.namespace
        return seen.has_list(known, namespace) and not is_of_another and seen.has_every(known)

    return named_objects(seen.references, is_whole)


def relations_in(seen: ClusterObjects) -> Relations:
    nodes, waiting = seen.capacity.nodes.values(), seen.capacity.waiting
    return Relations(
        names_in(seen),
        choosers(seen.choosers, nodes, waiting) if seen.has_list(NODES) else Choosers(),
        _services(seen),
        tuple(plugin_configurations(seen.documents[CLUSTER_POLICIES].values(), seen.stack.plugin_maps, nodes)),
        tuple(impossible_claims(seen.volumes, waiting)),
        held_by_kueue(
            seen.kueue, seen.hami.namespaces, seen.capacity.now, lambda namespace: seen.has_list(WORKLOADS, namespace)
        ),
        tuple(without_device(seen.networks, {each.object for each in waiting})),
        len(seen.networks.pods),
        tuple(closed_kai_queues(seen.references, seen.kai.version)) if seen.has_list(_BY_KIND[QUEUE]) else (),
        tuple(oversized_groups(seen.volcano, waiting)),
        len(seen.volcano.waiting),
        tuple(no_meeting_points(seen.met, seen.hami.services, lambda namespace: seen.has_list(SERVICES, namespace))),
        len(seen.met.looked_for),
    )


def scene_of(found: Relations, not_seen: NotSeen) -> Scene:
    return make_scene([found] if found.looked_for else [], {Relations: not_seen.missing(Relations, _NONE)})


def _services(seen: ClusterObjects) -> UnansweredServices:
    askers = seen.askers.askers
    found = unanswered_services(askers, _around(seen))
    looked_for = len(askers) + len(seen.hami.services) + len(seen.pools_of_models)
    return replace(found, of_nobody=tuple(_of_nobody(seen)), looked_for=looked_for)


def _around(seen: ClusterObjects) -> ServicesAround:
    asked = {each.service[0] for each in seen.askers.askers}
    return ServicesAround(
        seen.hami.services,
        seen.hami.ready,
        list(seen.pods.values()),
        seen.hami.namespaces,
        seen.stack.refused_makers,
        seen.capacity.now,
        frozenset(each for each in asked if _knows_services(each, seen)),
    )


def _of_nobody(seen: ClusterObjects) -> Iterator[ServiceOfNobody]:
    services = {key: each for key, each in seen.hami.services.items() if seen.has_list(PODS, key[0])}
    yield from services_of_nobody(SERVICES.kind, services, seen.pods.values(), seen.stack.templates)
    pools = {key: each for key, each in seen.pools_of_models.items() if seen.has_list(PODS, key[0])}
    yield from services_of_nobody(INFERENCE_POOLS.kind, pools, seen.pods.values(), seen.stack.templates)


def _knows_services(namespace: str, seen: ClusterObjects) -> bool:
    behind = any(seen.has_list(each, namespace) for each in (ENDPOINTS, ENDPOINT_SLICES))
    is_of_another = bool(seen.namespace) and namespace != seen.namespace
    return behind and not is_of_another and all(seen.has_list(each, namespace) for each in (SERVICES, PODS))
