"""A cluster that was upgraded, a group that was not, one that somebody upgraded first, and a template by its image."""

import pulumi_aws as aws

PARAMETER = "/aws/service/eks/optimized-ami/1.28/amazon-linux-2023/x86_64/nvidia/recommended/image_id"

cluster = aws.eks.Cluster(
    "ml",
    role_arn="arn:aws:iam::111122223333:role/ml-cluster",
    version="1.33",
    vpc_config={"subnet_ids": ["subnet-0a1b2c3d", "subnet-4e5f6a7b"]},
)


def group(name: str, **versions: str) -> None:
    aws.eks.NodeGroup(
        name,
        cluster_name=cluster.name,
        node_role_arn="arn:aws:iam::111122223333:role/ml-nodes",
        subnet_ids=["subnet-0a1b2c3d"],
        ami_type="AL2023_x86_64_NVIDIA",
        instance_types=["g5.12xlarge"],
        scaling_config={"min_size": 2, "max_size": 2, "desired_size": 2},
        **versions,
    )


group("older", version="1.31")
group("newer", release_version="1.34.1-20251101")
group("right", release_version="1.33.5-20251101")
aws.ec2.LaunchTemplate("pinned", image_id=f"resolve:ssm:{PARAMETER}", instance_type="g4dn.12xlarge")
