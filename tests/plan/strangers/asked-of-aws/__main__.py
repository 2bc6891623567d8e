import pulumi
import pulumi_aws as aws

config = pulumi.Config()
size = config.require_int("size")
ami = aws.ec2.get_ami(
    most_recent=True,
    owners=["099720109477"],
    filters=[
        {"name": "name", "values": ["ubuntu/images/hvm-ssd/ubuntu-jammy-22.04-amd64-server-*"]},
        {"name": "virtualization-type", "values": ["hvm"]},
    ],
)
zones = aws.get_availability_zones(state="available")
vpc = aws.ec2.get_vpc(default=True)
subnets = aws.ec2.get_subnets(filters=[{"name": "vpc-id", "values": [vpc.id]}])

sg = aws.ec2.SecurityGroup(
    "workers",
    vpc_id=vpc.id,
    description="batch workers",
    ingress=[aws.ec2.SecurityGroupIngressArgs(protocol="tcp", from_port=22, to_port=22, cidr_blocks=["10.0.0.0/8"])],
    egress=[aws.ec2.SecurityGroupEgressArgs(protocol="-1", from_port=0, to_port=0, cidr_blocks=["0.0.0.0/0"])],
)
user_data = """#!/bin/bash
set -euo pipefail
export DEBIAN_FRONTEND=noninteractive
apt-get update
apt-get install -y docker.io awscli
systemctl enable --now docker
docker run -d --restart=always -e QUEUE_URL=https://sqs.us-east-1.amazonaws.com/123456789012/jobs \
  123456789012.dkr.ecr.us-east-1.amazonaws.com/worker:1.4.2
"""
lc = aws.ec2.LaunchConfiguration(
    "workers",
    image_id=ami.id,
    instance_type="c6i.2xlarge",
    security_groups=[sg.id],
    user_data=user_data,
    metadata_options={"http_tokens": "required", "http_endpoint": "enabled"},
    root_block_device={"volume_size": 100, "volume_type": "gp3", "encrypted": True},
)
asg = aws.autoscaling.Group(
    "workers",
    launch_configuration=lc.name,
    min_size=1,
    max_size=size * 2,
    desired_capacity=size,
    vpc_zone_identifiers=subnets.ids,
    tags=[{"key": "Name", "value": "batch-worker", "propagate_at_launch": True}],
)
aws.autoscaling.Policy(
    "scale-out",
    autoscaling_group_name=asg.name,
    policy_type="TargetTrackingScaling",
    target_tracking_configuration={
        "predefined_metric_specification": {"predefined_metric_type": "ASGAverageCPUUtilization"},
        "target_value": 60.0,
    },
)
pulumi.export("zones", zones.names)
