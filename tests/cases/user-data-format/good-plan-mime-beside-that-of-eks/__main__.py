"""A group of GPU nodes that EKS starts from a template of its own, with the user data of this one beside its own."""

import base64

import pulumi_aws as aws

PREPARE = """MIME-Version: 1.0
Content-Type: multipart/mixed; boundary="OURS"

--OURS
Content-Type: text/x-shellscript

#!/bin/bash
sysctl -w vm.max_map_count=262144

--OURS--
"""
template = aws.ec2.LaunchTemplate(
    "h100",
    user_data=base64.b64encode(PREPARE.encode()).decode(),
    metadata_options={"http_tokens": "required", "http_put_response_hop_limit": 2},
)
aws.eks.NodeGroup(
    "h100",
    cluster_name="train",
    node_role_arn="arn:aws:iam::111122223333:role/train-nodes",
    subnet_ids=["subnet-0a1b2c3d"],
    ami_type="AL2023_x86_64_NVIDIA",
    instance_types=["p5.48xlarge"],
    launch_template={"id": template.id, "version": "$Latest"},
    scaling_config={"min_size": 2, "max_size": 2, "desired_size": 2},
)
