"""Both pools stand behind one group that only lets out; the CPU nodes also reach the database."""

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

nodes = aws.ec2.SecurityGroup(
    "nodes",
    description="GPU nodes",
    vpc_id=vpc.id,
    ingress=[
        {"protocol": "tcp", "from_port": 30000, "to_port": 32767, "cidr_blocks": ["10.0.0.0/16", "192.168.40.0/22"]}
    ],
    egress=[{"protocol": "-1", "from_port": 0, "to_port": 0, "cidr_blocks": ["0.0.0.0/0"]}],
)

database = aws.ec2.SecurityGroup(
    "database-clients",
    description="who may open the database",
    vpc_id=vpc.id,
    egress=[{"protocol": "tcp", "from_port": 5432, "to_port": 5432, "cidr_blocks": ["10.0.64.0/20"]}],
)


def template(pool, instance_type, image, groups):
    aws.ec2.LaunchTemplate(
        pool,
        image_id=f"resolve:ssm:/aws/service/eks/optimized-ami/1.34/amazon-linux-2023/x86_64/{image}/recommended/image_id",
        instance_type=instance_type,
        vpc_security_group_ids=[group.id for group in groups],
        metadata_options={"http_tokens": "required", "http_put_response_hop_limit": 2},
        block_device_mappings=[{"device_name": "/dev/xvda", "ebs": {"volume_size": 200, "encrypted": "true"}}],
        tags={"nodeworthy/pool": pool},
    )


template("t4", "g4dn.12xlarge", "nvidia", [nodes])
template("cpu", "c7i.4xlarge", "standard", [nodes, database])
