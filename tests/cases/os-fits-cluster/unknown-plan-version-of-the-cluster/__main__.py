"""A cluster whose version another resource will say, and a group that names its own."""

import pulumi_aws as aws

wanted = aws.ssm.Parameter("kubernetes-version", type="String", value_wo_version=1)
cluster = aws.eks.Cluster(
    "ml",
    role_arn="arn:aws:iam::111122223333:role/ml-cluster",
    version=wanted.value,
    vpc_config={"subnet_ids": ["subnet-0a1b2c3d", "subnet-4e5f6a7b"]},
)
aws.eks.NodeGroup(
    "gpu",
    cluster_name=cluster.name,
    version="1.33",
    node_role_arn="arn:aws:iam::111122223333:role/ml-nodes",
    subnet_ids=["subnet-0a1b2c3d"],
    ami_type="AL2023_x86_64_NVIDIA",
    instance_types=["g5.12xlarge"],
    scaling_config={"min_size": 2, "max_size": 2, "desired_size": 2},
)
