"""A cluster that is to be made: a version that EKS no longer has."""

from __future__ import annotations

from nodeworthy.facts.fleet.pool_system import ClusterVersion
from nodeworthy.known.node_images import gone_from_eks
from nodeworthy.rules.cluster_supported import RULE
from nodeworthy.verdict import Findings, fail, need


@RULE.check
def eks_still_has_its_version(cluster: ClusterVersion) -> Findings:
    version = need(cluster.version)
    gone = gone_from_eks(version)
    if gone is not None:
        yield fail(
            cluster.version,
            f"EKS has no cluster of Kubernetes {version} any more, which {cluster.joined_by} is to join",
            is_=version,
            should=f"{gone.oldest_left} or later",
            cause=f"its extended support had ended by {gone.by:%Y-%m-%d}: EKS refuses to make one, and has given those "
            "that there were another version",
            remedy=f"write the version that the cluster has (aws eks describe-cluster --name CLUSTER --query "
            f"cluster.version), for a new one {gone.oldest_left} or later",
        )
