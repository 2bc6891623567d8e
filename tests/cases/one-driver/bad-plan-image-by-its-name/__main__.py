"""The H100 nodes, of the newest image of EKS."""

import base64
from pathlib import Path

import pulumi_aws as aws

image = aws.ec2.get_ami(
    most_recent=True,
    owners=["amazon"],
    filters=[{"name": "name", "values": ["amazon-eks-node-al2023-x86_64-nvidia-1.34-*"]}],
)
user_data = Path(__file__).with_name("nodes.mime").read_bytes()
aws.ec2.LaunchTemplate(
    "gpu",
    image_id=image.id,
    instance_type="p5.48xlarge",
    user_data=base64.b64encode(user_data).decode(),
    tags={"nodeworthy/pool": "gpu"},
)
