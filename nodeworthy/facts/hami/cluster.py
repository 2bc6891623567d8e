"""HAMi as it was found in a cluster: its installations, and the way to its webhook."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field
from functools import cached_property
from typing import Any, ClassVar

from nodeworthy.documents.plain import mapping_at, mappings_at, text_at
from nodeworthy.facts.cluster.selector import Unmet, selects, unmet
from nodeworthy.facts.hami.parts import Installation, Role
from nodeworthy.known.hami import default, scheduler_name
from nodeworthy.records import dataclass
from nodeworthy.verdict import Place, Related

Key = tuple[str, str]
_HOOK = "vgpu.hami.io"


@dataclass(frozen=True, eq=False)
class Webhook:
    """One registration of HAMi's webhook with the API server."""

    name: str
    data: Mapping[str, Any]

    @property
    def place(self) -> Place:
        return Place(object=f"MutatingWebhookConfiguration/{self.name}")

    @cached_property
    def entry(self) -> Mapping[str, Any]:
        entries = mappings_at(self.data, "webhooks")
        return next((each for each in entries if text_at(each, "name") == _HOOK), next(iter(entries), {}))

    @property
    def service(self) -> Key | None:
        named = mapping_at(self.entry, "clientConfig", "service")
        return (text_at(named, "namespace"), text_at(named, "name")) if named else None

    @property
    def has_authority(self) -> bool:
        return bool(text_at(self.entry, "clientConfig", "caBundle"))

    @property
    def failure_policy(self) -> str:
        return text_at(self.entry, "failurePolicy") or "Fail"

    @property
    def created(self) -> str:
        return text_at(self.data, "metadata", "creationTimestamp")

    def asks_of(self, selector: str, labels: Mapping[str, str]) -> list[Unmet]:
        """What its selector of this name wants and does not find."""
        return list(unmet(mapping_at(self.entry, selector), labels))

    def chooses_namespace(self, labels: Mapping[str, str]) -> bool:
        return selects(mapping_at(self.entry, "namespaceSelector"), labels)

    def chooses_object(self, labels: Mapping[str, str]) -> bool:
        return selects(mapping_at(self.entry, "objectSelector"), labels)


@dataclass(frozen=True, eq=False)
class HamiCluster:
    found: tuple[Installation, ...]
    webhooks: tuple[Webhook, ...] = ()
    services: Mapping[Key, Mapping[str, Any]] = field(default_factory=dict)
    ready: Mapping[Key, int] = field(default_factory=dict)
    namespaces: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    # Kinds that were not seen (by their plural), and why.
    unseen: Mapping[str, str] = field(default_factory=dict)
    # Of these, the ones that the server refused.
    refused: frozenset[str] = frozenset()

    @cached_property
    def scheduler_names(self) -> frozenset[str]:
        named = {each.scheduler_name for each in self.found}
        return frozenset(name for name in named if name) or frozenset((scheduler_name(),))

    @cached_property
    def forces_its_scheduler(self) -> bool:
        """As its scheduler is started; the chart's own default where its arguments do not say it."""
        said = [each.arguments.get("--force-overwrite-default-scheduler") for one in self.found for each in one.parts]
        told = next((each for each in said if each), None)
        return bool(default("force_overwrite")) if told is None else told.lower() != "false"

    def has_service(self, service: Key) -> bool:
        return "services" in self.unseen or service in self.services

    def answers(self, service: Key) -> bool | None:
        """Whether a pod is ready behind a service; None where nothing says it."""
        if {"endpoints", "endpointslices"} <= set(self.unseen):
            return None
        return self.ready.get(service, 0) > 0

    def labels_of_namespace(self, namespace: str) -> Mapping[str, str]:
        return {"kubernetes.io/metadata.name": namespace, **self.namespaces.get(namespace, {})}

    @property
    def schedules(self) -> bool:
        return any(each.has(Role.SCHEDULER) for each in self.found)


@dataclass(frozen=True, eq=False)
class HamiInstallations:
    called: ClassVar[str] = "HAMi in the cluster"

    place: Place
    cluster: HamiCluster
    # Where the fleet wants it.
    asked_for: Related | None = None
    # Why parts of it may be where nobody could look.
    seen_in_part: str | None = None

    @property
    def found(self) -> tuple[Installation, ...]:
        return self.cluster.found

    def is_called(self, installation: Installation) -> bool:
        """Whether a webhook sends pods to it."""
        services = [each.service for each in self.cluster.webhooks]
        return any(each is not None and each[0] == installation.namespace for each in services)
