"""What lets pods ask for EFA (`vpc.amazonaws.com/efa`), on the nodes that have it."""

from __future__ import annotations

from collections.abc import Sequence

import efa
import gpu_operator
import pulumi
import pulumi_kubernetes as kubernetes
from pulumi_kubernetes.helm.v3 import Release, ReleaseArgs, RepositoryOptsArgs

from nodeworthy.fleet.model import Fleet
from nodeworthy.verdict import need

NAME = "aws-efa-k8s-device-plugin"
VERSION = "v0.5.20"
REPOSITORY = "https://aws.github.io/eks-charts"
NAMESPACE = "kube-system"


def build(fleet: Fleet, provider: kubernetes.Provider, after: Sequence[pulumi.Resource]) -> Release | None:
    types = [need(pool.instance_type) for pool in fleet.pools if pool.instance_type and efa.interfaces_of(pool)]
    if not types:
        return None
    values = {
        # The chart's own list is older than the newest types.
        "supportedInstanceLabels": {"values": sorted(set(types))},
        "tolerations": gpu_operator.TOLERATIONS,
    }
    return Release(
        NAME,
        ReleaseArgs(
            name=NAME,
            chart=NAME,
            version=VERSION,
            repository_opts=RepositoryOptsArgs(repo=REPOSITORY),
            namespace=NAMESPACE,
            values=values,
        ),
        opts=pulumi.ResourceOptions(provider=provider, depends_on=after),
    )
