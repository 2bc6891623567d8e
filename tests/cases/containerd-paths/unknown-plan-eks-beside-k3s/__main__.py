"""A group of EKS, machines at the edge that join k3s, and an operator of which nothing says where it goes."""

import base64

import pulumi_aws as aws
import pulumi_kubernetes as kubernetes

JOIN = """#!/bin/bash
set -euo pipefail
curl -sfL https://get.k3s.io -o /root/k3s.sh
K3S_URL=https://10.0.0.10:6443 K3S_TOKEN_FILE=/etc/rancher/token sh /root/k3s.sh agent
"""

cluster = aws.eks.Cluster(
    "ml",
    role_arn="arn:aws:iam::111122223333:role/ml-cluster",
    version="1.33",
    vpc_config={"subnet_ids": ["subnet-0a1b2c3d", "subnet-4e5f6a7b"]},
)
aws.eks.NodeGroup(
    "a10g",
    cluster_name=cluster.name,
    node_role_arn="arn:aws:iam::111122223333:role/ml-nodes",
    subnet_ids=["subnet-0a1b2c3d"],
    ami_type="AL2023_x86_64_NVIDIA",
    instance_types=["g5.12xlarge"],
    scaling_config={"min_size": 2, "max_size": 2, "desired_size": 2},
)
template = aws.ec2.LaunchTemplate(
    "edge",
    image_id="resolve:ssm:/aws/service/canonical/ubuntu/server/22.04/stable/current/amd64/hvm/ebs-gp2/ami-id",
    instance_type="g5.12xlarge",
    user_data=base64.b64encode(JOIN.encode()).decode(),
)
aws.autoscaling.Group(
    "edge",
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
    values={
        "driver": {"enabled": False},
        "toolkit": {
            "env": [
                {"name": "CONTAINERD_CONFIG", "value": "/var/lib/rancher/k3s/agent/etc/containerd/config.toml"},
                {"name": "CONTAINERD_SOCKET", "value": "/run/k3s/containerd/containerd.sock"},
            ]
        },
    },
)
