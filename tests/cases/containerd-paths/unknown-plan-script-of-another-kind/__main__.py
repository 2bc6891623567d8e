"""Nodes of EKS' own image, whose script joins k3s."""

import base64

import pulumi_aws as aws
import pulumi_kubernetes as kubernetes

JOIN = """#!/bin/bash
set -euo pipefail
curl -sfL https://get.k3s.io -o /root/k3s.sh
K3S_URL=https://10.0.0.10:6443 K3S_TOKEN_FILE=/etc/rancher/token sh /root/k3s.sh agent
"""

template = aws.ec2.LaunchTemplate(
    "a10g",
    image_id="resolve:ssm:/aws/service/eks/optimized-ami/1.33/amazon-linux-2023/x86_64/nvidia/recommended/image_id",
    instance_type="g5.12xlarge",
    user_data=base64.b64encode(JOIN.encode()).decode(),
)
aws.autoscaling.Group(
    "a10g",
    min_size=2,
    max_size=2,
    desired_capacity=2,
    vpc_zone_identifiers=["subnet-0a1b2c3d"],
    launch_template={"id": template.id, "version": "$Latest"},
)
kubernetes.helm.v3.Release(
    "gpu-operator",
    chart="gpu-operator",
    version="v25.3.4",
    namespace="gpu-operator",
    repository_opts={"repo": "https://helm.ngc.nvidia.com/nvidia"},
    values={"driver": {"enabled": True}, "toolkit": {"enabled": True}},
)
