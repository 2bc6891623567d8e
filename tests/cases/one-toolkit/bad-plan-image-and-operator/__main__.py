"""A managed group of A10G nodes, and the GPU operator."""

import pulumi_aws as aws
from pulumi_kubernetes.helm.v3 import Release

aws.eks.NodeGroup(
    "gpu",
    cluster_name="train",
    node_role_arn="arn:aws:iam::111122223333:role/nodes",
    subnet_ids=["subnet-0a1b2c3d4e5f60718"],
    ami_type="AL2023_x86_64_NVIDIA",
    labels={"nodeworthy/pool": "gpu"},
    instance_types=["g5.12xlarge"],
    scaling_config={"min_size": 2, "max_size": 2, "desired_size": 2},
)
Release(
    "gpu-operator",
    chart="gpu-operator",
    version="v25.10.0",
    namespace="gpu-operator",
    repository_opts={"repo": "https://helm.ngc.nvidia.com/nvidia"},
    values={"driver": {"enabled": False}, "toolkit": {"enabled": True}},
)
