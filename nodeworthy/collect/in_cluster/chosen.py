"""Which nodes are looked at: those named, those of a label, or those of the fleet's pools; less who opted out."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import field
from typing import Any

from nodeworthy.collect.in_cluster.cluster import Cluster
from nodeworthy.documents.plain import mapping_at, text_at
from nodeworthy.facts.cluster.node import cluster_node
from nodeworthy.facts.fleet.pool_membership import pool_of
from nodeworthy.fleet.model import Fleet
from nodeworthy.known.verification import opt_out_label
from nodeworthy.records import dataclass

NODE = "node://"


@dataclass(frozen=True)
class Chosen:
    # Host specs to the names of nodes.
    nodes: Mapping[str, str] = field(default_factory=dict)
    # By which label somebody keeps verification off, by host.
    opted_out: Mapping[str, str] = field(default_factory=dict)
    # Named, and not there.
    missing: tuple[str, ...] = ()
    # What whoever asked should know of the choice.
    told: tuple[str, ...] = ()


def choose(
    cluster: Cluster, hosts: Sequence[str], selectors: Sequence[str], fleet: Fleet | None, pool: str | None
) -> Chosen:
    """Raises CouldNotLook where the cluster does not tell its nodes."""
    named = {host: cluster.node(host.removeprefix(NODE)) for host in hosts}
    missing = tuple(host for host, node in named.items() if node is None)
    found = [node for node in named.values() if node is not None]
    told: list[str] = []
    for each in selectors:
        some = list(cluster.nodes(each))
        told.append(f"{len(some)} nodes have the label {each}")
        found += some
    if fleet is not None and not hosts and not selectors:
        some = list(_of_pools(cluster.nodes(""), fleet, pool))
        pools = f"the pool {pool}" if pool else f"the pools {', '.join(each.name for each in fleet.pools)}"
        told.append(f"{len(some)} nodes are of {pools}")
        found += some
    return _less_opted_out(found, missing, tuple(told))


def _of_pools(nodes: Iterable[Mapping[str, Any]], fleet: Fleet, pool: str | None) -> Iterator[Mapping[str, Any]]:
    for each in nodes:
        member = pool_of(cluster_node(each), fleet.pools).pool
        if member is not None and pool in (None, member.name):
            yield each


def _less_opted_out(nodes: Iterable[Mapping[str, Any]], missing: tuple[str, ...], told: tuple[str, ...]) -> Chosen:
    by_host = {f"{NODE}{text_at(each, 'metadata', 'name')}": each for each in nodes}
    opted = {host: opt_out_label(mapping_at(each, "metadata", "labels")) for host, each in sorted(by_host.items())}
    labels = {host: label for host, label in opted.items() if label is not None}
    staying = {host: host.removeprefix(NODE) for host in sorted(by_host) if host not in labels}
    return Chosen(staying, labels, missing, told)
