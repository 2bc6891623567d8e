"""A managed node group in a reservation that somebody pays for, without a fleet."""

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
template = aws.ec2.LaunchTemplate(
    "a10g",
    instance_type="g5.12xlarge",
    capacity_reservation_specification={
        "capacity_reservation_target": {"capacity_reservation_id": "cr-0a1b2c3d4e5f60718"}
    },
    metadata_options={"http_tokens": "required", "http_put_response_hop_limit": 2},
    block_device_mappings=[{"device_name": "/dev/xvda", "ebs": {"volume_size": 200, "encrypted": "true"}}],
)
aws.eks.NodeGroup(
    "a10g",
    cluster_name=cluster.name,
    node_role_arn="arn:aws:iam::111122223333:role/gpu-dev-nodes",
    launch_template={"id": template.id, "version": template.latest_version.apply(str)},
    ami_type="AL2023_x86_64_NVIDIA",
    subnet_ids=[subnet.id],
    scaling_config=aws.eks.NodeGroupScalingConfigArgs(min_size=0, max_size=6, desired_size=2),
)
