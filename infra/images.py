"""Which image a pool's nodes start from: the publisher's own SSM parameter, which EC2 resolves at launch.

Nothing is asked while the program runs, so that a preview needs no account and says the same everywhere.
"""

from __future__ import annotations

from nodeworthy.fleet.model import Driver, Pool
from nodeworthy.verdict import need

# {version} is the cluster's. Behind the plain image stands the one that brings NVIDIA's driver, where there is one.
_AMAZON = "/aws/service/eks/optimized-ami/{version}"
PARAMETERS = {
    "al2023": (
        _AMAZON + "/amazon-linux-2023/x86_64/standard/recommended/image_id",
        _AMAZON + "/amazon-linux-2023/x86_64/nvidia/recommended/image_id",
    ),
    "al2": (
        _AMAZON + "/amazon-linux-2/recommended/image_id",
        _AMAZON + "/amazon-linux-2-gpu/recommended/image_id",
    ),
    "ubuntu-22.04": ("/aws/service/canonical/ubuntu/eks/22.04/{version}/stable/current/amd64/hvm/ebs-gp2/ami-id",) * 2,
    "ubuntu-24.04": ("/aws/service/canonical/ubuntu/eks/24.04/{version}/stable/current/amd64/hvm/ebs-gp3/ami-id",) * 2,
    "bottlerocket": (
        "/aws/service/bottlerocket/aws-k8s-{version}/x86_64/latest/image_id",
        "/aws/service/bottlerocket/aws-k8s-{version}-nvidia/x86_64/latest/image_id",
    ),
}


def image(pool: Pool, version: str) -> str:
    parameter = PARAMETERS[need(pool.os)][pool.is_gpu and pool.driver is Driver.AMI]
    return f"resolve:ssm:{parameter.format(version=version)}"
