"""The H100 nodes, of the image that the web servers have."""

import base64
from pathlib import Path

import pulumi_aws as aws

user_data = Path(__file__).with_name("nodes.mime").read_bytes()
aws.ec2.LaunchTemplate(
    "gpu",
    image_id=("resolve:ssm:/aws/service/eks/optimized-ami/1.34/amazon-linux-2023/x86_64/standard/recommended/image_id"),
    instance_type="p5.48xlarge",
    user_data=base64.b64encode(user_data).decode(),
    tags={"nodeworthy/pool": "gpu"},
)
