"""A managed group of V100 nodes, and a GPU operator that builds the open modules."""

import pulumi_aws as aws
from pulumi_kubernetes.helm.v3 import Release

aws.eks.NodeGroup(
    "gpu",
    cluster_name="train",
    node_role_arn="arn:aws:iam::111122223333:role/nodes",
    subnet_ids=["subnet-0a1b2c3d4e5f60718"],
    ami_type="AL2023_x86_64_STANDARD",
    labels={"nodeworthy/pool": "gpu"},
    instance_types=["p3.8xlarge"],
    scaling_config={"min_size": 2, "max_size": 2, "desired_size": 2},
)
Release(
    "gpu-operator",
    chart="gpu-operator",
    version="v25.10.0",
    namespace="gpu-operator",
    repository_opts={"repo": "https://helm.ngc.nvidia.com/nvidia"},
    values={"driver": {"enabled": True, "kernelModuleType": "open"}},
)
