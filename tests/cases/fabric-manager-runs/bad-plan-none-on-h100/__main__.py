"""The H100 nodes, which install their driver."""

import base64
from pathlib import Path

import pulumi_aws as aws

user_data = Path(__file__).with_name("nodes.sh").read_bytes()

aws.ec2.LaunchTemplate(
    "h100",
    image_id="ami-0123456789abcdef0",
    instance_type="p5.48xlarge",
    user_data=base64.b64encode(user_data).decode(),
    metadata_options={"http_tokens": "required", "http_put_response_hop_limit": 2},
    block_device_mappings=[{"device_name": "/dev/sda1", "ebs": {"volume_size": 200, "encrypted": "true"}}],
    tags={"nodeworthy/pool": "h100"},
)
