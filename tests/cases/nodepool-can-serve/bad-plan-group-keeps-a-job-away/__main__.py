"""A cluster of EKS, its GPU nodes, and a job for them."""

import pulumi_aws as aws
from pulumi_kubernetes.batch.v1 import Job

cluster = aws.eks.Cluster(
    "vision",
    name="vision",
    version="1.33",
    role_arn="arn:aws:iam::123456789012:role/eks",
    vpc_config={"subnet_ids": ["subnet-0a1b", "subnet-0c2d"]},
)
aws.eks.NodeGroup(
    "a10g",
    cluster_name=cluster.name,
    node_role_arn="arn:aws:iam::123456789012:role/nodes",
    subnet_ids=["subnet-0a1b"],
    instance_types=["g5.12xlarge"],
    ami_type="AL2023_x86_64_NVIDIA",
    scaling_config={"desired_size": 2, "min_size": 2, "max_size": 2},
    taints=[{"key": "team", "value": "perception", "effect": "NO_SCHEDULE"}],
)
Job(
    "finetune",
    metadata={"namespace": "perception"},
    spec={
        "template": {
            "spec": {
                "restart_policy": "Never",
                "containers": [
                    {
                        "name": "train",
                        "image": "registry.example.org/perception/train:2026.09",
                        "resources": {"limits": {"nvidia.com/gpu": "4"}},
                    }
                ],
            }
        }
    },
)
