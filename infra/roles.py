"""IAM roles: what the control plane, the nodes and single pods may do."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

import pulumi
import pulumi_aws as aws

CONTROL_PLANE = ("AmazonEKSClusterPolicy",)
# What a pod does in AWS it does by a role of its own, and not by the node's.
NODE = ("AmazonEKSWorkerNodePolicy", "AmazonEC2ContainerRegistryPullOnly", "AmazonSSMManagedInstanceCore")
POD = "pods.eks.amazonaws.com"


def role(name: str, service: str, policies: Sequence[str]) -> tuple[aws.iam.Role, list[aws.iam.RolePolicyAttachment]]:
    """A role that a service takes on, and the attachments that others must wait for."""
    # EKS says with the session which pod it is for.
    actions = ["sts:AssumeRole", *(["sts:TagSession"] if service == POD else [])]
    made = aws.iam.Role(
        name,
        assume_role_policy=json.dumps(document({"Action": actions, "Principal": {"Service": service}})),
    )
    attached = [
        aws.iam.RolePolicyAttachment(
            f"{name}-{policy.rpartition('/')[2]}", role=made.name, policy_arn=f"arn:aws:iam::aws:policy/{policy}"
        )
        for policy in policies
    ]
    return made, attached


def document(*statements: Mapping[str, Any]) -> dict[str, Any]:
    """A policy that allows these."""
    return {"Version": "2012-10-17", "Statement": [{"Effect": "Allow", **each} for each in statements]}


def may(name: str, role: aws.iam.Role, *statements: Mapping[str, Any]) -> aws.iam.RolePolicy:
    """What no policy of Amazon's allows narrowly enough."""
    return aws.iam.RolePolicy(name, role=role.id, policy=pulumi.Output.json_dumps(document(*statements)))
