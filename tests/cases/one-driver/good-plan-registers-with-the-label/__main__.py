"""The H100 nodes keep the operator's driver off."""

import base64
from pathlib import Path

import pulumi_aws as aws
from pulumi_kubernetes.helm.v3 import Release

user_data = Path(__file__).with_name("nodes.mime").read_bytes()
aws.ec2.LaunchTemplate(
    "gpu",
    image_id=("resolve:ssm:/aws/service/eks/optimized-ami/1.34/amazon-linux-2023/x86_64/nvidia/recommended/image_id"),
    instance_type="p5.48xlarge",
    user_data=base64.b64encode(user_data).decode(),
    tags={"nodeworthy/pool": "gpu"},
)
Release(
    "gpu-operator",
    chart="gpu-operator",
    version="v25.10.0",
    namespace="gpu-operator",
    values={"toolkit": {"enabled": False}},
)
