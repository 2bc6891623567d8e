"""The inference nodes of a cluster that another stack made."""

import pulumi_aws as aws

aws.eks.NodeGroup(
    "inference",
    cluster_name="serving",
    node_role_arn="arn:aws:iam::111122223333:role/nodes",
    subnet_ids=["subnet-0a1b2c3d4e5f60718"],
    ami_type="AL2023_x86_64_NVIDIA",
    instance_types=["g6.12xlarge", "g6.13xlarge"],
    scaling_config={"min_size": 1, "max_size": 4, "desired_size": 2},
)
