"""Which addresses of the service range have an owner before anybody asks: EKS its DNS, the fleet its registry caches.

Nodes can't ask the cluster's DNS, so a cache inside the cluster has an address that is known before the cluster is.
Kubernetes gives services that ask for none an address from the rest of the range first: it spares 16 at least.
"""

from __future__ import annotations

import ipaddress
from collections.abc import Iterable

from nodeworthy.patterns import pattern

DNS = 10
FIRST_REGISTRY = 11
# Names that only the cluster's own DNS knows, whatever its domain is called.
_IN_CLUSTER = pattern(r"\.svc$|\.svc\.|\.cluster\.local$")


def dns(service_range: str) -> str:
    return str(ipaddress.ip_network(service_range)[DNS])


def name_of(host: str) -> str:
    """A registry's host without its port."""
    name, colon, port = host.rpartition(":")
    return name if colon and port.isdigit() else host


def is_in_cluster(host: str) -> bool:
    return _IN_CLUSTER.search(name_of(host).rstrip(".")) is not None


def of_registries(hosts: Iterable[str], service_range: str) -> dict[str, str]:
    """The address of each cache inside the cluster, by its name: what its Service asks for, and what nodes are told."""
    names = dict.fromkeys(name_of(host) for host in hosts if is_in_cluster(host))
    network = ipaddress.ip_network(service_range)
    return {name: str(network[FIRST_REGISTRY + position]) for position, name in enumerate(names)}
