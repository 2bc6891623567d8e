"""A group of AL2 that says no version: it gets that of its cluster, for which there is no such image."""

import pulumi_aws as aws

cluster = aws.eks.Cluster(
    "ml",
    role_arn="arn:aws:iam::111122223333:role/ml-cluster",
    version="1.33",
    vpc_config={"subnet_ids": ["subnet-0a1b2c3d", "subnet-4e5f6a7b"]},
)


def group(name: str, ami_type: str, **versions: str) -> None:
    aws.eks.NodeGroup(
        name,
        cluster_name=cluster.name,
        node_role_arn="arn:aws:iam::111122223333:role/ml-nodes",
        subnet_ids=["subnet-0a1b2c3d"],
        ami_type=ami_type,
        instance_types=["g5.12xlarge"],
        scaling_config={"min_size": 2, "max_size": 2, "desired_size": 2},
        **versions,
    )


group("left-behind", "AL2_x86_64_GPU")
group("on-purpose", "AL2_x86_64_GPU", version="1.32")
group("current", "AL2023_x86_64_NVIDIA")
