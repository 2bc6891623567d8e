"""Who brings the driver the stack's config says, and no stack is here."""

import pulumi
import pulumi_aws as aws
from pulumi_kubernetes.helm.v3 import Release

config = pulumi.Config()
aws.eks.NodeGroup(
    "gpus",
    cluster_name="ml",
    ami_type="AL2023_x86_64_NVIDIA",
    instance_types=["g5.2xlarge"],
    scaling_config={"min_size": 2, "max_size": 2, "desired_size": 2},
)
Release(
    "gpu-operator",
    chart="gpu-operator",
    values={"driver": {"enabled": config.require_bool("driver")}, "toolkit": {"enabled": False}},
)
