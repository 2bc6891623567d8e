"""GPU nodes of Bottlerocket, and the operator as its chart has it."""

import pulumi_aws as aws
from pulumi_kubernetes.helm.v3 import Release

cluster = aws.eks.Cluster(
    "vision",
    name="vision",
    version="1.33",
    role_arn="arn:aws:iam::123456789012:role/eks",
    vpc_config={"subnet_ids": ["subnet-0a1b", "subnet-0c2d"]},
)
aws.eks.NodeGroup(
    "l40s",
    cluster_name=cluster.name,
    node_role_arn="arn:aws:iam::123456789012:role/nodes",
    subnet_ids=["subnet-0a1b"],
    instance_types=["g6e.12xlarge"],
    ami_type="BOTTLEROCKET_x86_64_NVIDIA",
    scaling_config={"desired_size": 2, "min_size": 2, "max_size": 2},
)
Release(
    "gpu-operator",
    chart="gpu-operator",
    version="v25.3.4",
    namespace="gpu-operator",
    repository_opts={"repo": "https://helm.ngc.nvidia.com/nvidia"},
    values={"driver": {"enabled": False}, "toolkit": {"enabled": False}},
)
