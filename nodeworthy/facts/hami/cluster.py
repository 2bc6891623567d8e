"""HAMi as it was found in a cluster: its installations, and the way to its webhook."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterable, Mapping
from enum import StrEnum
from functools import cached_property, lru_cache
from typing import Any, ClassVar

from nodeworthy.documents.plain import at, mapping_at, mappings_at, strings_at, text_at
from nodeworthy.facts.cluster.pod import ClusterPod, cluster_pod
from nodeworthy.facts.cluster.selector import Unmet, selects, unmet
from nodeworthy.known.hami import default, image_names, labels, scheduler_name
from nodeworthy.records import dataclass, field
from nodeworthy.verdict import Place, Related

# HAMi's own parts in a cluster: what each is, which installation it belongs to, and how it is.


class Role(StrEnum):
    SCHEDULER = "scheduler"
    DEVICE_PLUGIN = "device plugin"
    MONITOR = "vGPU monitor"


_BY_LABEL = {
    labels().scheduler: Role.SCHEDULER,
    labels().device_plugin: Role.DEVICE_PLUGIN,
    labels().monitor: Role.MONITOR,
}
_BY_NAME = (
    (re.compile(r"(^|-)hami-(vgpu-)?scheduler(-|$)"), Role.SCHEDULER),
    (re.compile(r"(^|-)hami-(vgpu-)?device-plugin(-|$)"), Role.DEVICE_PLUGIN),
    (re.compile(r"(^|-)hami-vgpu-monitor(-|$)"), Role.MONITOR),
)
# The commands of its one image, and the chart's names for the containers that run them.
_BY_PROGRAM = (
    (re.compile(r"(^|[-/])scheduler(-extender)?$"), Role.SCHEDULER),
    (re.compile(r"device-plugin$"), Role.DEVICE_PLUGIN),
    (re.compile(r"vGPUmonitor$|vgpu-monitor$"), Role.MONITOR),
)
_MONITORS = ("vgpu-monitor", "vgpu-scheduler-monitor")


def role_of(name: str, own: Mapping[str, Any], containers: Iterable[Mapping[str, Any]] = ()) -> Role | None:
    """The role of a pod: by its label, in today's spelling or that of before; else by its name; else by what its
    containers run."""
    for label in (labels().component, labels().former):
        said = own.get(label)
        role = _BY_LABEL.get(said) if isinstance(said, str) else None
        if role is not None:
            return role
    # All of these names hold it, and of a hundred thousand pods few do.
    named = next((role for form, role in _BY_NAME if form.search(name)), None) if "hami" in name else None
    return named or _role_of_programs(containers)


def role_of_object(data: Mapping[str, Any]) -> Role | None:
    """The role of a pod, or of what makes pods."""
    spec = mapping_at(data, "spec", "template", "spec") or mapping_at(data, "spec")
    own = mapping_at(data, "metadata", "labels")
    return role_of(text_at(data, "metadata", "name"), own, mappings_at(spec, "containers"))


def _role_of_programs(containers: Iterable[Mapping[str, Any]]) -> Role | None:
    """The role by HAMi's own image and program, which runs whatever a release is called and labelled."""
    found: set[Role] = set()
    for each in containers:
        if _is_its_image(text_at(each, "image")):
            written = at(each, "command")
            words = [text_at(each, "name"), *(str(word) for word in (written if isinstance(written, list) else ())[:1])]
            found.update(role for form, role in _BY_PROGRAM if any(map(form.search, words)))
    return next((role for _, role in _BY_PROGRAM if role in found), None) if found else None


@lru_cache(maxsize=1024)
def _is_its_image(image: str) -> bool:
    return image_name(image) in image_names()


def image_name(image: str) -> str:
    return posixpath.basename(image.partition("@")[0]).partition(":")[0]


@dataclass(frozen=True, eq=False)
class HamiPart:
    """One pod of HAMi."""

    data: Mapping[str, Any]

    @cached_property
    def pod(self) -> ClusterPod:
        return cluster_pod(self.data)

    @cached_property
    def role(self) -> Role:
        return role_of_object(self.data) or Role.SCHEDULER

    @property
    def release(self) -> str:
        return self.pod.labels.get(labels().instance, "")

    @property
    def found_by(self) -> str:
        own = self.pod.labels
        said = next((each for each in (labels().component, labels().former) if own.get(each) in _BY_LABEL), None)
        if said:
            return f"label {said}={own[said]}"
        return f"name {self.pod.name}" if role_of(self.pod.name, {}) else f"the image that {self.pod.name} runs"

    @cached_property
    def arguments(self) -> Mapping[str, str]:
        """What its programs are started with: `--scheduler-name=hami-scheduler`."""
        found: dict[str, str] = {}
        for container in mappings_at(self.data, "spec", "containers"):
            written = [at(container, name) for name in ("command", "args")]
            for word in (str(each) for some in written if isinstance(some, list) for each in some):
                name, equals, value = word.partition("=")
                if equals and name.startswith("--"):
                    found[name] = value
        return found

    @cached_property
    def monitor_fault(self) -> str | None:
        """Why the monitor beside the device plugin does not run; empty where it does, None where there is none."""
        has_one = any(text_at(each, "name") in _MONITORS for each in mappings_at(self.data, "spec", "containers"))
        if not has_one:
            return None
        for status in mappings_at(self.data, "status", "containerStatuses"):
            if text_at(status, "name") in _MONITORS and at(status, "ready") is False:
                return text_at(status, "state", "waiting", "reason") or "not ready"
        return ""

    @cached_property
    def plugin_is_well(self) -> bool:
        """Whether all but the monitor beside it run."""
        statuses = [each for each in mappings_at(self.data, "status", "containerStatuses")
                    if text_at(each, "name") not in _MONITORS]  # fmt: skip
        return all(at(each, "ready") is True for each in statuses) if statuses else self.pod.ready


@dataclass(frozen=True, eq=False)
class Installation:
    namespace: str
    release: str
    parts: tuple[HamiPart, ...]
    # Deployments and DaemonSets, by kind and name.
    makers: Mapping[tuple[str, str], Mapping[str, Any]]

    @property
    def place(self) -> Place:
        """The place of its first pod. Where nobody has seen any, that of what makes them."""
        if self.parts:
            return self.parts[0].pod.place
        kind, name = next(iter(self.makers))
        return Place(object=f"{kind}/{self.namespace}/{name}")

    @property
    def title(self) -> str:
        return (
            f"release '{self.release}' in namespace {self.namespace}" if self.release else f"namespace {self.namespace}"
        )

    def of(self, role: Role) -> tuple[HamiPart, ...]:
        return tuple(each for each in self.parts if each.role is role)

    def makers_of(self, role: Role) -> dict[tuple[str, str], Mapping[str, Any]]:
        return {key: each for key, each in self.makers.items() if role_of_object(each) is role}

    def has(self, role: Role) -> bool:
        return bool(self.of(role)) or bool(self.makers_of(role))

    @property
    def scheduler_name(self) -> str | None:
        named = (each.arguments.get("--scheduler-name") for each in self.of(Role.SCHEDULER))
        return next((each for each in named if each), None)


Makers = Mapping[tuple[str, str, str], Mapping[str, Any]]


def installations(parts: Iterable[Mapping[str, Any]], makers: Makers) -> list[Installation]:
    """The installations by namespace and release. A part that names no release belongs to the one beside it, unless
    that one has such a part already."""
    pods = [HamiPart(each) for each in parts]
    told = {(each.pod.namespace, each.release) for each in pods}
    told |= {(key[1], _release(each)) for key, each in makers.items()}
    found = []
    for namespace in sorted({each for each, _ in told}):
        own = [each for each in pods if each.pod.namespace == namespace]
        made = {(kind, name): each for (kind, where, name), each in makers.items() if where == namespace}
        releases = sorted({release for each, release in told if each == namespace and release})
        named = [_of_release(namespace, release, own, made) for release in releases]
        found += _with_the_rest(named, _of_release(namespace, "", own, made))
    return [each for each in found if each.has(Role.SCHEDULER) or each.has(Role.DEVICE_PLUGIN)]


def _of_release(
    namespace: str, release: str, pods: Iterable[HamiPart], makers: Mapping[tuple[str, str], Mapping[str, Any]]
) -> Installation:
    own = tuple(each for each in pods if each.release == release)
    made = {key: each for key, each in makers.items() if _release(each) == release}
    return Installation(namespace, release, own, made)


def _with_the_rest(named: list[Installation], rest: Installation) -> list[Installation]:
    """A second scheduler or device plugin of another name is a second installation."""
    if not named:
        return [rest]
    first, *others = named
    known = {role_of_object(each) for each in first.makers.values()}
    besides = {key: each for key, each in rest.makers.items() if role_of_object(each) in known}
    apart = tuple(each for each in rest.parts if any(each.pod.name.startswith(f"{name}-") for _, name in besides))
    parts = (*first.parts, *(each for each in rest.parts if each not in apart))
    makers = {**first.makers, **{key: each for key, each in rest.makers.items() if key not in besides}}
    found = [Installation(first.namespace, first.release, parts, makers), *others]
    return [*found, Installation(rest.namespace, "", apart, besides)] if besides else found


def _release(maker: Mapping[str, Any]) -> str:
    return strings_at(maker, "metadata", "labels").get(labels().instance, "")


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
        """Whether HAMi's webhook sets its scheduler in any case, as that is started; the chart's default where its
        arguments do not say it."""
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
