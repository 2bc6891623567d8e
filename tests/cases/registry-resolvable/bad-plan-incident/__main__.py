"""The CPU nodes, and the cache that they pull through."""

import base64
from pathlib import Path

import pulumi_aws as aws

user_data = Path(__file__).with_name("nodes.mime").read_bytes()

aws.ec2.LaunchTemplate(
    "cpu",
    image_id="ami-0123456789abcdef0",
    instance_type="c7i.4xlarge",
    user_data=base64.b64encode(user_data).decode(),
    metadata_options={"http_tokens": "required", "http_put_response_hop_limit": 2},
    block_device_mappings=[{"device_name": "/dev/xvda", "ebs": {"volume_size": 100, "encrypted": "true"}}],
    tags={"nodeworthy/pool": "cpu"},
)
