"""The t4 nodes, which boot with the script beside this program."""

import base64
from pathlib import Path

import pulumi_aws as aws

script = Path(__file__).with_name("al2023-t4-user-data.sh").read_bytes()

nodes = aws.ec2.LaunchTemplate(
    "t4-nodes",
    image_id="ami-0123456789abcdef0",
    instance_type="g4dn.12xlarge",
    user_data=base64.b64encode(script).decode(),
)
aws.autoscaling.Group(
    "t4-nodes",
    min_size=5,
    max_size=5,
    desired_capacity=5,
    vpc_zone_identifiers=["subnet-0123456789abcdef0"],
    launch_template={"id": nodes.id, "version": "$Latest"},
    tags=[{"key": "nodeworthy/pool", "value": "t4", "propagate_at_launch": True}],
)
