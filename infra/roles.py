"""IAM roles: what the control plane and the nodes may do."""

from __future__ import annotations

import json
from collections.abc import Sequence

import pulumi_aws as aws

CONTROL_PLANE = ("AmazonEKSClusterPolicy",)
NODE = (
    "AmazonEKSWorkerNodePolicy",
    "AmazonEKS_CNI_Policy",
    "AmazonEC2ContainerRegistryPullOnly",
    "AmazonSSMManagedInstanceCore",
)


def role(name: str, service: str, policies: Sequence[str]) -> tuple[aws.iam.Role, list[aws.iam.RolePolicyAttachment]]:
    """A role that a service takes on, and the attachments that others must wait for."""
    made = aws.iam.Role(
        name,
        assume_role_policy=json.dumps(
            {
                "Version": "2012-10-17",
                "Statement": [{"Effect": "Allow", "Action": "sts:AssumeRole", "Principal": {"Service": service}}],
            }
        ),
    )
    attached = [
        aws.iam.RolePolicyAttachment(f"{name}-{policy}", role=made.name, policy_arn=f"arn:aws:iam::aws:policy/{policy}")
        for policy in policies
    ]
    return made, attached
