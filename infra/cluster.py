"""The EKS cluster: its control plane, who may join it, and how Kubernetes is reached."""

from __future__ import annotations

import ipaddress
from dataclasses import dataclass

import kubeconfig
import pulumi
import pulumi_aws as aws
import pulumi_kubernetes as kubernetes
import roles
import security
from network import Network
from security import Groups

from nodeworthy.fleet.model import Fleet
from nodeworthy.verdict import Known, need

LOGS = ("api", "audit", "authenticator", "controllerManager", "scheduler")
KEPT_FOR_DAYS = 90


@dataclass(frozen=True)
class Cluster:
    control_plane: aws.eks.Cluster
    groups: Groups
    # What the instances of every pool run as.
    instance_profile: aws.iam.InstanceProfile
    kubernetes: kubernetes.Provider


def build(fleet: Fleet, network: Network, groups: Groups) -> Cluster:
    name = need(fleet.cluster.name)
    role, attached = roles.role(f"{name}-control-plane", "eks.amazonaws.com", roles.CONTROL_PLANE)
    key = _key(name)
    uses = roles.may(
        f"{name}-secrets",
        role,
        {"Action": ["kms:Encrypt", "kms:Decrypt", "kms:ListGrants", "kms:DescribeKey"], "Resource": key.arn},
    )
    # EKS makes one that keeps everything for ever, where it finds none.
    logs = aws.cloudwatch.LogGroup(f"{name}-logs", name=f"/aws/eks/{name}/cluster", retention_in_days=KEPT_FOR_DAYS)
    service = fleet.cluster.service_cidr.state
    control_plane = aws.eks.Cluster(
        name,
        name=name,
        version=need(fleet.cluster.version),
        role_arn=role.arn,
        access_config={"authentication_mode": "API", "bootstrap_cluster_creator_admin_permissions": True},
        bootstrap_self_managed_addons=False,
        enabled_cluster_log_types=list(LOGS),
        encryption_config={"resources": ["secrets"], "provider": {"key_arn": key.arn}},
        kubernetes_network_config={"service_ipv4_cidr": service.value} if isinstance(service, Known) else None,
        vpc_config=_doors(fleet, network, groups),
        opts=pulumi.ResourceOptions(depends_on=[*attached, uses, logs]),
    )
    return Cluster(control_plane, groups, _joining(name, control_plane), kubeconfig.provider(name, control_plane))


def _key(name: str) -> aws.kms.Key:
    return aws.kms.Key(
        f"{name}-secrets",
        description=f"Secrets of the cluster {name}",
        enable_key_rotation=True,
        deletion_window_in_days=30,
        tags={"Name": f"{name}-secrets"},
    )


def _doors(fleet: Fleet, network: Network, groups: Groups) -> aws.eks.ClusterVpcConfigArgsDict:
    """Nodes come in from the network. From outside nobody does, but for the public ranges that the fleet lets in."""
    public = [each for each in security.who_may_ask(fleet) if not ipaddress.ip_network(each).is_private]
    doors: aws.eks.ClusterVpcConfigArgsDict = {
        "subnet_ids": [network.nodes.id, network.beside.id],
        "security_group_ids": [groups.control_plane.id],
        "endpoint_private_access": True,
        "endpoint_public_access": bool(public),
    }
    if public:
        doors["public_access_cidrs"] = public
    return doors


def _joining(name: str, control_plane: aws.eks.Cluster) -> aws.iam.InstanceProfile:
    """Nodes that the pools start are let in by their role; nobody keeps a list of them."""
    role, _ = roles.role(f"{name}-node", "ec2.amazonaws.com", roles.NODE)
    aws.eks.AccessEntry(f"{name}-node", cluster_name=control_plane.name, principal_arn=role.arn, type="EC2_LINUX")
    return aws.iam.InstanceProfile(f"{name}-node", role=role.name)
