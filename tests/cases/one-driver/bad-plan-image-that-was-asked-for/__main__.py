"""The H100 nodes, of the image that AWS recommends."""

import base64
from pathlib import Path

import pulumi_aws as aws

image = aws.ssm.get_parameter(
    name="/aws/service/eks/optimized-ami/1.34/amazon-linux-2023/x86_64/nvidia/recommended/image_id"
)
user_data = Path(__file__).with_name("nodes.mime").read_bytes()
aws.ec2.LaunchTemplate(
    "gpu",
    image_id=image.value,
    instance_type="p5.48xlarge",
    user_data=base64.b64encode(user_data).decode(),
    tags={"nodeworthy/pool": "gpu"},
)
