"""A managed node group of A10G nodes, without a fleet."""

import pulumi_aws as aws

vpc = aws.ec2.Vpc("gpu-dev", cidr_block="10.0.0.0/16", enable_dns_hostnames=True)
subnet = aws.ec2.Subnet("nodes", vpc_id=vpc.id, cidr_block="10.0.0.0/18", availability_zone="us-east-2a")
beside = aws.ec2.Subnet("beside", vpc_id=vpc.id, cidr_block="10.0.64.0/20", availability_zone="us-east-2b")
cluster = aws.eks.Cluster(
    "gpu-dev",
    name="gpu-dev",
    version="1.34",
    role_arn="arn:aws:iam::111122223333:role/gpu-dev-control-plane",
    vpc_config={"subnet_ids": [subnet.id, beside.id]},
)
aws.ebs.EncryptionByDefault("account", enabled=True)
aws.eks.NodeGroup(
    "a10g",
    cluster_name=cluster.name,
    node_role_arn="arn:aws:iam::111122223333:role/gpu-dev-nodes",
    instance_types=["g5.12xlarge"],
    ami_type="AL2023_x86_64_NVIDIA",
    subnet_ids=[subnet.id],
    scaling_config=aws.eks.NodeGroupScalingConfigArgs(min_size=0, max_size=6, desired_size=2),
)
