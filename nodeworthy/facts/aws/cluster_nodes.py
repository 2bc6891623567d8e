"""Which machines of a stack are nodes of a cluster: beside them stand bastions, web servers, the workers of a queue."""

from __future__ import annotations

from collections.abc import Iterator

from nodeworthy.facts.aws.node_group import INSTANCES, NodeGroup
from nodeworthy.facts.aws.node_types import has_gpus
from nodeworthy.facts.aws.security_group import CLUSTER
from nodeworthy.fleet.os import EKS
from nodeworthy.verdict import Known

# What EKS and the cluster autoscaler find nodes by.
_TAGS = ("kubernetes.io/cluster/", "k8s.io/cluster-autoscaler/")
# Ways to join that only EKS has.
_OF_EKS = frozenset({"nodeadm", "bootstrap.sh", "bottlerocket"})


def is_cluster_node(nodes: NodeGroup) -> bool:
    """Whether the fleet, EKS, its boot script or a tag says so, or where nothing does, a cluster stands beside it."""
    if nodes.pool is not None or nodes.is_managed or nodes.joins or _is_tagged(nodes):
        return True
    return nodes.joins is None and not _is_alone(nodes) and bool(nodes.stack.of(CLUSTER))


def is_something_else(nodes: NodeGroup) -> bool:
    """A machine without GPUs that joins nothing."""
    says_so = _is_alone(nodes) or nodes.joins == frozenset()
    return says_so and not is_cluster_node(nodes) and has_gpus(nodes).state == Known(False)


def pods_are_in_its_network(nodes: NodeGroup) -> bool:
    """EKS gives pods addresses of the network; elsewhere they mostly talk through a tunnel between their nodes."""
    if nodes.pool is not None:
        distribution = nodes.pool.distribution.state
        return not isinstance(distribution, Known) or distribution.value in EKS
    return nodes.is_managed or bool(nodes.stack.of(CLUSTER)) or bool(_OF_EKS & (nodes.joins or frozenset()))


def _is_alone(nodes: NodeGroup) -> bool:
    return nodes.group is None and nodes.template is not None and nodes.template.type in INSTANCES


def _is_tagged(nodes: NodeGroup) -> bool:
    return any(key.startswith(_TAGS) for key in _tags(nodes))


def _tags(nodes: NodeGroup) -> Iterator[str]:
    yield from nodes.templates("tags").mapping
    for each in nodes.templates("tagSpecifications").sequence:
        yield from each.get("tags").mapping
    yield from nodes.groups("tags").mapping
    yield from (each.get("key").text or "" for each in nodes.groups("tags").sequence)
