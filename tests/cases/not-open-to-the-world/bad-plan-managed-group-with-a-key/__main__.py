"""A managed node group that one can log in to."""

import pulumi_aws as aws

config_subnets = ["subnet-0a1b2c3d4e5f60718"]
aws.ebs.EncryptionByDefault("account", enabled=True)
aws.eks.NodeGroup(
    "t4",
    cluster_name="gpu-dev",
    node_role_arn="arn:aws:iam::111122223333:role/gpu-dev-node",
    subnet_ids=config_subnets,
    instance_types=["g4dn.12xlarge"],
    ami_type="AL2023_x86_64_NVIDIA",
    scaling_config={"min_size": 2, "max_size": 2, "desired_size": 2},
    remote_access={"ec2_ssh_key": "on-call"},
)
