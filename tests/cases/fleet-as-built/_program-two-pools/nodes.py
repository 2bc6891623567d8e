"""A group of GPU nodes that EKS runs."""

import pulumi_aws as aws


def group(cluster: aws.eks.Cluster, name: str, image: str, kind: str, **more: object) -> aws.eks.NodeGroup:
    return aws.eks.NodeGroup(
        name,
        cluster_name=cluster.name,
        node_role_arn="arn:aws:iam::111122223333:role/ml-nodes",
        subnet_ids=["subnet-0a1b2c3d"],
        ami_type=image,
        instance_types=[kind],
        scaling_config={"min_size": 2, "max_size": 2, "desired_size": 2},
        **more,
    )


def cluster(version: object) -> aws.eks.Cluster:
    return aws.eks.Cluster(
        "ml",
        role_arn="arn:aws:iam::111122223333:role/ml-cluster",
        version=version,
        vpc_config={"subnet_ids": ["subnet-0a1b2c3d", "subnet-4e5f6a7b"]},
    )
