"""The EKS cluster: its control plane, who may join it, and how Kubernetes is reached."""

from __future__ import annotations

import json
from dataclasses import dataclass

import pulumi
import pulumi_aws as aws
import pulumi_kubernetes as kubernetes
import roles
from network import Network

from nodeworthy.fleet.model import Fleet
from nodeworthy.verdict import Known, need


@dataclass(frozen=True)
class Cluster:
    control_plane: aws.eks.Cluster
    # What the instances of every pool run as.
    instance_profile: aws.iam.InstanceProfile
    kubernetes: kubernetes.Provider


def build(fleet: Fleet, network: Network) -> Cluster:
    name = need(fleet.cluster.name)
    role, attached = roles.role(f"{name}-control-plane", "eks.amazonaws.com", roles.CONTROL_PLANE)
    service = fleet.cluster.service_cidr.state
    control_plane = aws.eks.Cluster(
        name,
        name=name,
        version=need(fleet.cluster.version),
        role_arn=role.arn,
        access_config={"authentication_mode": "API"},
        kubernetes_network_config={"service_ipv4_cidr": service.value} if isinstance(service, Known) else None,
        vpc_config={
            "subnet_ids": [network.nodes.id, network.beside.id],
            "endpoint_private_access": True,
            "endpoint_public_access": True,
        },
        opts=pulumi.ResourceOptions(depends_on=attached),
    )
    return Cluster(control_plane, _joining(name, control_plane), _provider(name, control_plane))


def _joining(name: str, control_plane: aws.eks.Cluster) -> aws.iam.InstanceProfile:
    """Nodes that the pools start are let in by their role; nobody keeps a list of them."""
    role, _ = roles.role(f"{name}-node", "ec2.amazonaws.com", roles.NODE)
    aws.eks.AccessEntry(f"{name}-node", cluster_name=control_plane.name, principal_arn=role.arn, type="EC2_LINUX")
    return aws.iam.InstanceProfile(f"{name}-node", role=role.name)


def _provider(name: str, control_plane: aws.eks.Cluster) -> kubernetes.Provider:
    """Kubernetes as the caller's own AWS identity: no token is written anywhere."""
    known = pulumi.Output.all(control_plane.name, control_plane.endpoint, control_plane.certificate_authority.data)
    return kubernetes.Provider(name, kubeconfig=known.apply(lambda told: _kubeconfig(*told)))


def _kubeconfig(name: str, endpoint: str, authority: str) -> str:
    login = {
        "apiVersion": "client.authentication.k8s.io/v1beta1",
        "command": "aws",
        "args": ["eks", "get-token", "--cluster-name", name],
        "interactiveMode": "Never",
    }
    return json.dumps(
        {
            "apiVersion": "v1",
            "kind": "Config",
            "clusters": [{"name": name, "cluster": {"server": endpoint, "certificate-authority-data": authority}}],
            "users": [{"name": name, "user": {"exec": login}}],
            "contexts": [{"name": name, "context": {"cluster": name, "user": name}}],
            "current-context": name,
        }
    )
