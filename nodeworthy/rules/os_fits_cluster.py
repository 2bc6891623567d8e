"""There is an image of a pool's operating system for the cluster's version of Kubernetes.

Images for EKS are made for each version of Kubernetes, and for some operating systems no longer: Amazon Linux 2 has
none from 1.33 on, Ubuntu 20.04 none from 1.30 on, and a new release has none for old versions. A pool that asks for
one that does not exist gets no node when the cluster is upgraded, and the launch says only that a parameter of SSM was
not found.

Amazon Linux 2 has none any more, whatever the version: the last were made in November 2025. Nodes still start from
them, with the kernel, the driver and the runtimes of that day, and each hole that was found since.

Nodes whose image or group names a version are of that version, whatever the cluster is. No kubelet may be newer than
its API server, nor more than three minor versions older; one that is a little older works, and stays behind with every
upgrade until somebody changes the line.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from nodeworthy.facts.fleet.pool_system import NodeVersion, PoolSystem, minor_of
from nodeworthy.known.node_images import EksImage, image_of
from nodeworthy.rule import Rule
from nodeworthy.verdict import Draft, Findings, Located, Related, Severity, fail, need, unknown, value_if_known

if TYPE_CHECKING:
    from datetime import date

RULE = Rule(
    "os-fits-cluster",
    severity=Severity.WARNING,
    incident="D",
    title="There is an image of the pool's operating system for the cluster's version",
    remedy="use an operating system that has images for this version",
)

# Kubernetes, "Version Skew Policy": how many minor versions older a kubelet may be.
_MAY_LAG = 3


@RULE.check
def there_is_an_image(system: PoolSystem) -> Findings:
    image = image_of(need(system.os))
    if image is None:
        return
    version = value_if_known(system.kubernetes) if system.kubernetes is not None else None
    if system.kubernetes is not None and version is not None and image.exists_for(version) is False:
        yield _not_made_for_it(system, image, system.kubernetes, version)
    elif image.ended is not None:
        yield _made_no_more(system, image, image.ended)
    elif system.kubernetes is not None:
        need(system.kubernetes)


def _not_made_for_it(system: PoolSystem, image: EksImage, kubernetes: Located[str], version: str) -> Draft:
    return fail(
        system.os,
        f"there is no EKS image of {image.os} for Kubernetes {version}",
        should=image.instead,
        on=system.title,
        related=[Related(kubernetes.place, _who_says_the_version(system, version))],
        cause=f"its images are made for {image.until} only ({image.source})",
        remedy=_instead(system, image.instead),
    )


def _made_no_more(system: PoolSystem, image: EksImage, since: date) -> Draft:
    return fail(
        system.os,
        f"EKS has made no image of {image.os} since {since}",
        should=image.instead,
        on=system.title,
        cause="its nodes get no more fixes, neither in the kernel nor in the driver nor in containerd, and for "
        f"Kubernetes there is one for {image.until} only: the cluster can't be raised beyond them ({image.source})",
        remedy=f"take {image.instead}: AL2023_x86_64_NVIDIA as the amiType of GPU nodes, AmazonLinux2023 as eksctl's "
        "amiFamily, al2023@… as Karpenter's alias",
    )


def _who_says_the_version(system: PoolSystem, version: str) -> str:
    if system.is_named_whole:
        return f"the image is asked for with version {version} in its name"
    return f"the cluster is of version {version}"


def _instead(system: PoolSystem, os: str) -> str:
    if system.is_named_whole:
        return f"ask for the image of {os}, or for one of these versions"
    return f"set {system.setting}: {os}, or keep the cluster at one of these versions"


@RULE.check
def its_nodes_are_of_the_clusters_version(versions: NodeVersion) -> Findings:
    nodes, cluster = need(versions.nodes), need(versions.cluster)
    of_nodes, of_cluster = minor_of(nodes), minor_of(cluster)
    if of_nodes is None or of_cluster is None:
        yield unknown(versions.cluster, f"whether these are of one version is not known: {nodes} and {cluster}")
        return
    if of_nodes == of_cluster or (versions.may_lag and 0 < of_cluster - of_nodes <= _MAY_LAG):
        return
    yield fail(
        versions.nodes,
        f"{versions.title} starts nodes of Kubernetes 1.{of_nodes}, and the cluster is of 1.{of_cluster}",
        is_=nodes,
        should=f"1.{of_cluster}",
        related=[Related(versions.cluster.place, f"the cluster is of version {cluster}")],
        cause=_what_comes_of_it(of_cluster - of_nodes),
        remedy=f"name the one of 1.{of_cluster} here, or take the version from the cluster",
    )


def _what_comes_of_it(behind: int) -> str:
    if behind < 0:
        return "no kubelet may be newer than its API server: EKS and AKS refuse it, and elsewhere it is not supported"
    if behind > _MAY_LAG:
        return f"a kubelet may be {_MAY_LAG} minor versions older than its API server; these are {behind} behind"
    return "it is pinned here, and stays behind when the cluster is upgraded; a kubelet may lag three minor versions"
