"""Why it can't be known whether a rule is about pods' packets."""

from __future__ import annotations

from collections.abc import Sequence

from nodeworthy.facts.firewall.firewall import Filter
from nodeworthy.facts.firewall.needs import Pods
from nodeworthy.facts.firewall.ranges import is_private, range_of
from nodeworthy.known.pod_interfaces import Cni, named_by


def which_network(networks: Sequence[Cni]) -> str:
    """Some networks let their pods through a firewall by themselves, and others do not."""
    if networks:
        told = " or ".join(each.key for each in networks)
        return f"pods' network may be {told}, and not each of these lets its pods through by itself"
    return (
        "nothing here shows which network pods have; Calico lets them through by itself, flannel and Cilium in part "
        "(its manifest or chart in the repository, --pod-network-cidr, or a pool's distribution in a fleet says so)"
    )


def why_not_known(rule: Filter, pods: Pods) -> str:
    ends = (rule.in_, rule.out, rule.source, rule.to)
    hole = next((each for each in ends if each.holes), None)
    if hole is not None:
        return f"it depends on {hole.unsaid()}"
    if rule.unless and not rule.is_narrowed:
        return "packets may have left its chain before this rule"
    if rule.is_narrowed or rule.allows is None:
        return "what else this rule asks for is not read here"
    named = [end.shown() for end in ends[:2] if end and named_by(end.shown())]
    if named and pods.networks:
        brought = pods.networks[0]
        return (
            f"{named[0]} is not of {brought.key}, which this distribution brings where nobody chooses another network"
        )
    ranges = [end.shown() for end in ends[2:] if (found := range_of(end)) is not None and is_private(found)]
    if ranges:
        return f"whether pods have addresses of {ranges[0]} is said nowhere (cluster.podCidr in a fleet)"
    return f"nothing here shows whose interface {' or '.join(end.shown() for end in ends[:2] if end)} is"
