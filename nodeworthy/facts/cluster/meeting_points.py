"""The name at which the ranks of a job look for their first one, where it leads to no Service."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Collection, Iterator, Mapping
from typing import Any

from nodeworthy.documents.plain import mapping_at, mappings_at, text_at
from nodeworthy.records import dataclass, field
from nodeworthy.verdict import Place

Key = tuple[str, str]
# What torchrun and PyTorch's own launchers read.
_NAMES = ("MASTER_ADDR", "PET_MASTER_ADDR", "PET_RDZV_ENDPOINT", "RDZV_ENDPOINT")


@dataclass(frozen=True, slots=True)
class _Host:
    """The name of a pod within its namespace, and the Service that makes it known."""

    pod: str
    subdomain: str


@dataclass(frozen=True)
class NoMeetingPoint:
    variable: str
    said: str
    # Where the name would lead that is meant; empty where the pod that is meant is known by no name.
    meant: str
    # The Service that the name needs, and is not there; of a pod's bare name, that itself.
    service: str
    pods: tuple[str, ...]

    @property
    def place(self) -> Place:
        return Place(object=self.pods[0])


@dataclass
class MeetingPointsSeen:
    """Of pods with GPUs, what they are called and whom they look for."""

    hosts: dict[str, dict[str, _Host]] = field(default_factory=lambda: defaultdict(dict))
    # By namespace, variable and what it says: who says it.
    looked_for: dict[tuple[str, str, str], set[str]] = field(default_factory=lambda: defaultdict(set))

    def add_pod(self, key: Key, data: Mapping[str, Any]) -> None:
        """A pod with GPUs. One with its own lines of /etc/hosts, or on its node's network, has other names as well."""
        spec = mapping_at(data, "spec")
        host = text_at(spec, "hostname") or key[1]
        self.hosts[key[0]][host] = _Host(key[1], text_at(spec, "subdomain"))
        if spec.get("hostAliases") or spec.get("hostNetwork"):
            return
        for container in mappings_at(spec, "containers"):
            for each in mappings_at(container, "env"):
                name, value = text_at(each, "name"), text_at(each, "value")
                if name in _NAMES and value:
                    self.looked_for[key[0], name, value].add(key[1])

    def add_all(self, other: MeetingPointsSeen) -> None:
        for namespace, hosts in other.hosts.items():
            self.hosts[namespace].update(hosts)
        for said, pods in other.looked_for.items():
            self.looked_for[said] |= pods


def no_meeting_points(
    found: MeetingPointsSeen, services: Collection[Key], knows_services: Callable[[str], bool]
) -> Iterator[NoMeetingPoint]:
    """`knows_services` says of a namespace whether all of its Services were read."""
    for (namespace, variable, said), pods in found.looked_for.items():
        host, _, rest = said.partition(":")[0].partition(".")
        meant = found.hosts[namespace].get(host)
        # A pod knows itself.
        if meant is None or pods == {meant.pod} or not knows_services(namespace):
            continue
        service = rest.partition(".")[0] or host
        is_there = (namespace, service) in services or (namespace, host) in services
        has_a_name = bool(meant.subdomain) and (namespace, meant.subdomain) in services
        if is_there or service == namespace or (rest and not has_a_name):
            continue
        by_name = f"{host}.{meant.subdomain}" if has_a_name else ""
        yield NoMeetingPoint(
            variable, said, by_name, service, tuple(f"Pod/{namespace}/{name}" for name in sorted(pods))
        )
