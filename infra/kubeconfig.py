"""Kubernetes as the caller's own AWS identity: no token is written anywhere."""

from __future__ import annotations

import json

import pulumi
import pulumi_aws as aws
import pulumi_kubernetes as kubernetes


def provider(name: str, control_plane: aws.eks.Cluster) -> kubernetes.Provider:
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
