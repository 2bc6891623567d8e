"""The nodes that run everything but GPU work."""

import base64
from pathlib import Path

import pulumi_aws as aws

script = Path(__file__).with_name("ubuntu.sh").read_bytes()

aws.ec2.LaunchTemplate(
    "cpu",
    image_id="ami-0123456789abcdef0",
    instance_type="c7i.4xlarge",
    user_data=base64.b64encode(script).decode(),
    metadata_options={"http_tokens": "required", "http_put_response_hop_limit": 2},
    block_device_mappings=[{"device_name": "/dev/sda1", "ebs": {"volume_size": 100, "encrypted": "true"}}],
    tags={"nodeworthy/pool": "cpu"},
)
