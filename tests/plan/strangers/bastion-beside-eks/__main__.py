"""An EKS cluster with nodes of its own, and beside it a bastion and workers of a queue, which are no nodes."""

import pulumi_aws as aws

vpc = aws.ec2.Vpc("data", cidr_block="10.20.0.0/16", enable_dns_hostnames=True)
subnets = [
    aws.ec2.Subnet(f"data-{zone}", vpc_id=vpc.id, cidr_block=f"10.20.{index}.0/24", availability_zone=zone)
    for index, zone in enumerate(["eu-central-1a", "eu-central-1b"])
]
out = [{"protocol": "-1", "from_port": 0, "to_port": 0, "cidr_blocks": ["0.0.0.0/0"]}]
cluster = aws.eks.Cluster(
    "data",
    role_arn="arn:aws:iam::111122223333:role/data-cluster",
    vpc_config={"subnet_ids": [each.id for each in subnets]},
)
aws.eks.NodeGroup(
    "default",
    cluster_name=cluster.name,
    node_role_arn="arn:aws:iam::111122223333:role/data-nodes",
    subnet_ids=[each.id for each in subnets],
    instance_types=["m6i.large"],
    scaling_config={"desired_size": 2, "min_size": 1, "max_size": 4},
)

office = aws.ec2.SecurityGroup(
    "bastion",
    vpc_id=vpc.id,
    ingress=[{"protocol": "tcp", "from_port": 22, "to_port": 22, "cidr_blocks": ["198.51.100.0/24"]}],
    egress=out,
)
aws.ec2.Instance(
    "bastion",
    ami="ami-0123456789abcdef0",
    instance_type="t3.micro",
    subnet_id=subnets[0].id,
    vpc_security_group_ids=[office.id],
)

workers = aws.ec2.SecurityGroup("workers", vpc_id=vpc.id, egress=out)
configuration = aws.ec2.LaunchConfiguration(
    "workers",
    image_id="ami-0123456789abcdef0",
    instance_type="c6i.2xlarge",
    security_groups=[workers.id],
    user_data="#!/bin/bash\nset -euo pipefail\napt-get update\napt-get install -y docker.io\nsystemctl enable --now docker\n",
)
aws.autoscaling.Group(
    "workers",
    launch_configuration=configuration.name,
    min_size=1,
    max_size=8,
    vpc_zone_identifiers=[each.id for each in subnets],
)
