"""HAMi's own parts in a cluster: what each is, which installation it belongs to, and how it is."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from enum import StrEnum
from functools import cached_property
from typing import Any

from nodeworthy.documents.plain import at, mappings_at, strings_at, text_at
from nodeworthy.facts.cluster.pod import ClusterPod, cluster_pod
from nodeworthy.known.hami import labels
from nodeworthy.records import dataclass


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
_MONITORS = ("vgpu-monitor", "vgpu-scheduler-monitor")


def role_of(name: str, own: Mapping[str, str]) -> Role | None:
    """By its label, in the spelling of today or of before, else by its name."""
    for label in (labels().component, labels().former):
        role = _BY_LABEL.get(own.get(label, ""))
        if role is not None:
            return role
    return next((role for form, role in _BY_NAME if form.search(name)), None)


@dataclass(frozen=True, eq=False)
class HamiPart:
    """One pod of HAMi."""

    data: Mapping[str, Any]

    @cached_property
    def pod(self) -> ClusterPod:
        return cluster_pod(self.data)

    @cached_property
    def role(self) -> Role:
        return role_of(self.pod.name, self.pod.labels) or Role.SCHEDULER

    @property
    def release(self) -> str:
        return self.pod.labels.get(labels().instance, "")

    @property
    def found_by(self) -> str:
        own = self.pod.labels
        said = next((each for each in (labels().component, labels().former) if own.get(each) in _BY_LABEL), None)
        return f"label {said}={own[said]}" if said else f"name {self.pod.name}"

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
    def title(self) -> str:
        return (
            f"release '{self.release}' in namespace {self.namespace}" if self.release else f"namespace {self.namespace}"
        )

    def of(self, role: Role) -> tuple[HamiPart, ...]:
        return tuple(each for each in self.parts if each.role is role)

    def makers_of(self, role: Role) -> dict[tuple[str, str], Mapping[str, Any]]:
        return {
            key: each
            for key, each in self.makers.items()
            if role_of(key[1], strings_at(each, "metadata", "labels")) is role
        }

    def has(self, role: Role) -> bool:
        return bool(self.of(role)) or bool(self.makers_of(role))

    @property
    def scheduler_name(self) -> str | None:
        named = (each.arguments.get("--scheduler-name") for each in self.of(Role.SCHEDULER))
        return next((each for each in named if each), None)


def installations(
    parts: Iterable[Mapping[str, Any]], makers: Mapping[tuple[str, str, str], Mapping[str, Any]]
) -> list[Installation]:
    """By namespace and release; what names no release belongs to the one beside it."""
    pods = [HamiPart(each) for each in parts]
    told = {(each.pod.namespace, each.release) for each in pods}
    told |= {(key[1], _release(each)) for key, each in makers.items()}
    found = []
    for namespace in sorted({each for each, _ in told}):
        releases = sorted({release for each, release in told if each == namespace and release}) or [""]
        for index, release in enumerate(releases):
            wanted = {release, *([""] if index == 0 else [])}
            own = tuple(each for each in pods if each.pod.namespace == namespace and each.release in wanted)
            made = {
                (kind, name): each
                for (kind, where, name), each in makers.items()
                if where == namespace and _release(each) in wanted
            }
            found.append(Installation(namespace, release, own, made))
    return [each for each in found if each.has(Role.SCHEDULER) or each.has(Role.DEVICE_PLUGIN)]


def _release(maker: Mapping[str, Any]) -> str:
    return strings_at(maker, "metadata", "labels").get(labels().instance, "")
