"""Whether the ranges of addresses of a fleet go together."""

from __future__ import annotations

import ipaddress
from collections.abc import Callable

from nodeworthy.fleet.model import Cluster, Network
from nodeworthy.verdict import Known, Located, Place

Refuse = Callable[[Place, str], None]
Range = ipaddress.IPv4Network | ipaddress.IPv6Network


def agree(cluster: Cluster, network: Network, refuse: Refuse, *, on_eks: bool) -> None:
    """Refuses ranges that overlap, and on EKS pods' addresses that are not the VPC's."""
    service, pod, vpc = (_network_of(each) for each in (cluster.service_cidr, cluster.pod_cidr, network.vpc_cidr))
    if pod and vpc and on_eks and not _inside(pod, vpc):
        refuse(
            _of(cluster.pod_cidr, network.vpc_cidr),
            f"cluster.podCidr is {pod}, and must be inside network.vpcCidr, which is {vpc}: "
            "EKS gives pods addresses of the VPC",
        )
    if service and pod and service.overlaps(pod):
        refuse(
            _of(cluster.service_cidr, cluster.pod_cidr),
            f"cluster.serviceCidr is {service}, and must not overlap with cluster.podCidr, which is {pod}",
        )
    elif service and vpc and (on_eks or network.vpc_cidr.written) and service.overlaps(vpc):
        refuse(
            _of(cluster.service_cidr, network.vpc_cidr),
            f"cluster.serviceCidr is {service}, and must not overlap with network.vpcCidr, which is {vpc}",
        )


def _of(*located: Located[str]) -> Place:
    """The place of the first that somebody wrote."""
    return next((each.place for each in located if each.written), located[0].place)


def _network_of(located: Located[str]) -> Range | None:
    return ipaddress.ip_network(located.state.value) if isinstance(located.state, Known) else None


def _inside(inner: Range, outer: Range) -> bool:
    return inner.version == outer.version and inner.subnet_of(outer)  # type: ignore[arg-type]
