"""Keeps of a cluster's objects what concerns HAMi: its parts, what leads to its webhook, who measures it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field
from typing import Any

from nodeworthy.collect.cluster.kinds import (
    CONFIG_MAPS,
    DEPLOYMENTS,
    ENDPOINT_SLICES,
    ENDPOINTS,
    NAMESPACES,
    SERVICE_MONITORS,
    SERVICES,
    WEBHOOKS,
    ObjectKind,
)
from nodeworthy.documents.plain import at, mapping_at, mappings_at, strings_at, text_at
from nodeworthy.documents.tree import Tree
from nodeworthy.facts.hami.cluster import Role, role_of_object
from nodeworthy.facts.hami.shares import SharingPod, sharing_pod
from nodeworthy.known.hami import annotation_names, scheduler_name
from nodeworthy.patterns import pattern
from nodeworthy.records import dataclass

Key = tuple[str, str]
KINDS = (WEBHOOKS, SERVICES, ENDPOINTS, ENDPOINT_SLICES, NAMESPACES, SERVICE_MONITORS, CONFIG_MAPS, DEPLOYMENTS)
_ITS_NAME = pattern(r"(^|-)(hami|vgpu)(-|$)")
_OF_SLICES = "kubernetes.io/service-name"


@dataclass(frozen=True)
class LogEnd:
    """What a container's log said at its end: what is known of it, and its last line."""

    evidence: tuple[str, ...]
    last_line: str


@dataclass
class HamiSeen:
    # HAMi's own pods and what makes them, cut down.
    parts: dict[Key, Mapping[str, Any]] = field(default_factory=dict)
    makers: dict[tuple[str, str, str], Mapping[str, Any]] = field(default_factory=dict)
    # Pods that were assigned GPUs by it.
    allocated: set[Key] = field(default_factory=set)
    # Of pods that have another scheduler than HAMi's usual one: their labels, and when they were made.
    others: dict[Key, tuple[Mapping[str, str], str]] = field(default_factory=dict)
    # Why containers ended that the kernel ended.
    ended: dict[Key, str] = field(default_factory=dict)
    webhooks: dict[Key, Mapping[str, Any]] = field(default_factory=dict)
    services: dict[Key, Mapping[str, Any]] = field(default_factory=dict)
    # How many pods are ready behind a service.
    ready: dict[Key, int] = field(default_factory=dict)
    namespaces: dict[str, Mapping[str, str]] = field(default_factory=dict)
    monitors: dict[Key, Mapping[str, Any]] = field(default_factory=dict)
    configs: dict[Key, Tree] = field(default_factory=dict)
    logs: dict[str, LogEnd] = field(default_factory=dict)
    shares: dict[Key, SharingPod] = field(default_factory=dict)

    def add_pod(self, key: Key, data: Mapping[str, Any], *, wants_gpus: bool) -> None:
        if role_of_object(data) is not None:
            self.parts[key] = _cut(data)
        self.shares.pop(key, None)
        if not wants_gpus:
            return
        shares = sharing_pod(data)
        if shares is not None:
            self.shares[key] = shares
        if annotation_names().allocated in mapping_at(data, "metadata", "annotations"):
            self.allocated.add(key)
        ended = next(filter(None, map(_ended, mappings_at(data, "status", "containerStatuses"))), "")
        if ended:
            self.ended[key] = ended
        if text_at(data, "spec", "schedulerName") != scheduler_name():
            labels = strings_at(data, "metadata", "labels")
            self.others[key] = (labels, text_at(data, "metadata", "creationTimestamp"))

    def add_pods_of(self, others: HamiSeen) -> None:
        self.parts.update(others.parts)
        self.allocated |= others.allocated
        self.others.update(others.others)
        self.ended.update(others.ended)
        self.shares.update(others.shares)

    def add_maker(self, kind: ObjectKind, key: Key, data: Mapping[str, Any]) -> None:
        if role_of_object(data) in (Role.SCHEDULER, Role.DEVICE_PLUGIN):
            self.makers[(kind.kind, *key)] = data

    def add(self, kind: ObjectKind, key: Key, data: Mapping[str, Any]) -> None:
        if kind is DEPLOYMENTS:
            self.add_maker(kind, key, data)
        elif kind is WEBHOOKS:
            if _is_its_webhook(key[1], data):
                self.webhooks[key] = data
        elif kind is ENDPOINTS:
            self._count(key, sum(len(mappings_at(each, "addresses")) for each in mappings_at(data, "subsets")))
        elif kind is ENDPOINT_SLICES:
            named = strings_at(data, "metadata", "labels").get(_OF_SLICES)
            if named:
                self._count((key[0], named), sum(map(_is_ready, mappings_at(data, "endpoints"))))
        elif kind is NAMESPACES:
            self.namespaces[key[1]] = strings_at(data, "metadata", "labels")
        elif kind in (SERVICES, SERVICE_MONITORS):
            (self.services if kind is SERVICES else self.monitors)[key] = data
        elif _ITS_NAME.search(key[1]):
            self.configs[key] = CONFIG_MAPS.document(data)

    def _count(self, service: Key, ready: int) -> None:
        """Endpoints and their slices tell the same twice."""
        self.ready[service] = max(self.ready.get(service, 0), ready)


def _ended(status: Mapping[str, Any]) -> str:
    for state in ("state", "lastState"):
        reason = text_at(status, state, "terminated", "reason")
        if reason == "OOMKilled":
            return reason
    return ""


def _cut(data: Mapping[str, Any]) -> Mapping[str, Any]:
    spec = mapping_at(data, "spec")
    kept = {name: spec[name] for name in ("containers", "nodeName", "nodeSelector", "runtimeClassName") if name in spec}
    metadata = {name: at(data, "metadata", name) for name in ("name", "namespace", "labels", "creationTimestamp")}
    return {"metadata": metadata, "spec": kept, "status": mapping_at(data, "status")}


def _is_its_webhook(name: str, data: Mapping[str, Any]) -> bool:
    hooks = [text_at(each, "name") for each in mappings_at(data, "webhooks")]
    return "vgpu.hami.io" in hooks or _ITS_NAME.search(name) is not None


def _is_ready(endpoint: Mapping[str, Any]) -> int:
    return at(endpoint, "conditions", "ready") is not False
