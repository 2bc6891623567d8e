"""Two groups that take the version of their cluster, one by its output and one in its own words; and another cluster."""

import pulumi_aws as aws


def cluster(name: str, version: str) -> aws.eks.Cluster:
    return aws.eks.Cluster(
        name,
        role_arn="arn:aws:iam::111122223333:role/ml-cluster",
        version=version,
        vpc_config={"subnet_ids": ["subnet-0a1b2c3d", "subnet-4e5f6a7b"]},
    )


def group(name: str, of: aws.eks.Cluster, version: object) -> None:
    aws.eks.NodeGroup(
        name,
        cluster_name=of.name,
        node_role_arn="arn:aws:iam::111122223333:role/ml-nodes",
        subnet_ids=["subnet-0a1b2c3d"],
        ami_type="AL2023_x86_64_NVIDIA",
        instance_types=["g5.12xlarge"],
        scaling_config={"min_size": 2, "max_size": 2, "desired_size": 2},
        version=version,
    )


train, serve = cluster("train", "1.33"), cluster("serve", "1.31")
group("by-output", train, train.version)
group("train", train, "1.33")
group("serve", serve, "1.31")
