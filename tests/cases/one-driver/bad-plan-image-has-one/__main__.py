"""The A10G nodes, of the NVIDIA image."""

import base64
from pathlib import Path

import pulumi_aws as aws

user_data = Path(__file__).with_name("nodes.mime").read_bytes()

aws.ec2.LaunchTemplate(
    "a10g",
    image_id="resolve:ssm:/aws/service/eks/optimized-ami/1.33/amazon-linux-2023/x86_64/nvidia/recommended/image_id",
    instance_type="g5.12xlarge",
    user_data=base64.b64encode(user_data).decode(),
    metadata_options={"http_tokens": "required", "http_put_response_hop_limit": 2},
    block_device_mappings=[{"device_name": "/dev/xvda", "ebs": {"volume_size": 200, "encrypted": "true"}}],
    tags={"nodeworthy/pool": "a10g"},
)
