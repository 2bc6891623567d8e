"""The A10G nodes: one of them is for profiling, and its script tells nodeadm so."""

import base64
from pathlib import Path

import pulumi_aws as aws

user_data = Path(__file__).with_name("nodes.sh").read_bytes()
template = aws.ec2.LaunchTemplate(
    "gpu",
    image_id="ami-0a9b8c7d6e5f40312",
    instance_type="g5.12xlarge",
    user_data=base64.b64encode(user_data).decode(),
)
aws.autoscaling.Group(
    "gpu",
    min_size=1,
    max_size=1,
    desired_capacity=1,
    vpc_zone_identifiers=["subnet-0a1b2c3d4e5f60718"],
    launch_template={"id": template.id, "version": "$Latest"},
)
