"""What the objects of a cluster name, as a fact: of which kinds all are known is asked here."""

from __future__ import annotations

from nodeworthy.collect.cluster.kinds import KINDS
from nodeworthy.collect.cluster.not_seen import NotSeen
from nodeworthy.collect.cluster.seen import ClusterObjects
from nodeworthy.facts.cluster.references import NamedObjects, named_objects
from nodeworthy.scene import Scene, make_scene

_BY_KIND = {each.known_as: each for each in KINDS}
_NONE = "no work with GPUs names what was read whole"


def names_in(seen: ClusterObjects) -> NamedObjects:
    def is_whole(kind: str, namespace: str) -> bool:
        known = _BY_KIND[kind]
        is_of_another = bool(seen.namespace) and known.namespaced and namespace != seen.namespace
        return seen.has_list(known, namespace) and not is_of_another and seen.has_every(known)

    return named_objects(seen.references, is_whole)


def scene_of(named: NamedObjects, not_seen: NotSeen) -> Scene:
    return make_scene([named] if named.looked_for else [], {NamedObjects: not_seen.missing(NamedObjects, _NONE)})
