"""What a fleet declares is what is built: its pools, what their nodes run, and the version of its cluster.

A declaration has the last word: paths of containerd, packages, drivers and sizes are judged by it. Where an image, a
script or a class of nodes says something else, all of that is judged for nodes that nobody makes. So the two are laid
side by side: the group of a pool and its distribution, the cluster and its version. And a program that makes some of
the pools makes all of those that are to be built, unless something that can't be seen may do it.
"""

from __future__ import annotations

from nodeworthy.facts.fleet.as_built import BuiltCluster, BuiltNodes, UnbuiltPool
from nodeworthy.facts.fleet.pool_system import minor_of
from nodeworthy.rule import Rule
from nodeworthy.verdict import Findings, Related, Severity, fail, need, unknown

RULE = Rule(
    "fleet-as-built",
    severity=Severity.ERROR,
    incident="D",
    title="What a fleet declares is what is built",
    remedy="declare what is built, or build what is declared; `nodeworthy fleet infer` prints what evidence says",
)


@RULE.check
def its_nodes_are_what_it_declares(nodes: BuiltNodes) -> Findings:
    pool, declared, built = nodes.pool, need(nodes.pool.distribution), need(nodes.distribution)
    if declared == built:
        return
    is_said = pool.distribution.written or pool.os.written
    verb = "declares" if is_said else "is taken to run"
    yield fail(
        nodes.distribution,
        f"{nodes.title} makes nodes of {built}, and pool '{pool.name}' {verb} {declared}",
        is_=f"{built} ({nodes.said})",
        should=declared,
        severity=Severity.ERROR if is_said else Severity.WARNING,
        related=[Related(pool.distribution.place, f"pool '{pool.name}' {verb} {declared}")],
        cause=f"paths, packages and drivers are judged for {declared}, which these nodes are not",
        remedy=f"declare distribution: {built} for pool '{pool.name}', or give its nodes an image of {declared}",
    )


@RULE.check
def a_pool_is_built(unbuilt: UnbuiltPool) -> Findings:
    pool = unbuilt.pool
    if unbuilt.doubt is not None:
        yield unknown(unbuilt, f"whether pool '{pool.name}' is built is not known: {unbuilt.doubt}")
        return
    yield fail(
        unbuilt,
        f"nothing in this program makes the nodes of pool '{pool.name}', and it makes those of others",
        is_="no group of nodes",
        should=f"a group of {pool.nodes} node{'s' if pool.nodes > 1 else ''}",
        severity=Severity.WARNING,
        cause="what is scheduled for this pool waits for nodes that nobody starts",
        remedy=f"make its nodes, tagged nodeworthy/pool={pool.name}; or drop the pool, or say provision: false where "
        "something else makes them",
    )


@RULE.check
def its_cluster_is_of_the_declared_version(cluster: BuiltCluster) -> Findings:
    declared, built = need(cluster.declared.version), need(cluster.version)
    if minor_of(declared) == minor_of(built):
        return
    yield fail(
        cluster.version,
        f"{cluster.title} is of Kubernetes {built}, and the fleet declares {declared}",
        is_=built,
        should=declared,
        related=[Related(cluster.declared.version.place, f"the fleet's cluster is of version {declared}")],
        cause="images, releases and manifests are judged for a version that the cluster does not have",
        remedy=f'declare version: "{built}", or make the cluster of {declared}',
    )
