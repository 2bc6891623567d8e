"""The H100 nodes, of an image that somebody built."""

import base64
from pathlib import Path

import pulumi_aws as aws

user_data = Path(__file__).with_name("nodes.mime").read_bytes()
aws.ec2.LaunchTemplate(
    "gpu",
    image_id="ami-0a9b8c7d6e5f40312",
    instance_type="p5.48xlarge",
    user_data=base64.b64encode(user_data).decode(),
    tags={"nodeworthy/pool": "gpu"},
)
