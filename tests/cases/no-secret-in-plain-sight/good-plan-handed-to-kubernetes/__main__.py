"""The inference servers, and who watches them; their passwords are the config's, encrypted, or kept elsewhere."""

import base64

import pulumi
import pulumi_aws as aws
from pulumi_kubernetes.apiextensions import CustomResource
from pulumi_kubernetes.apps.v1 import Deployment
from pulumi_kubernetes.core.v1 import Secret
from pulumi_kubernetes.helm.v3 import Release, RepositoryOptsArgs

password = pulumi.Config().require_secret("grafana")
login = Secret("grafana", metadata={"name": "grafana"}, string_data={"admin-user": "admin", "admin-password": password})

Release(
    "monitoring",
    chart="kube-prometheus-stack",
    version="65.1.0",
    repository_opts=RepositoryOptsArgs(repo="https://prometheus-community.github.io/helm-charts"),
    values={
        "grafana": {
            "admin": {"existingSecret": "grafana", "userKey": "admin-user", "passwordKey": "admin-password"},
            "env": {"GF_SECURITY_DISABLE_INITIAL_ADMIN_CREATION": "false"},
            "smtp": {"existingSecret": "smtp", "password": password},
        },
        "prometheus": {"prometheusSpec": {"podMetadata": {"annotations": {"checksum/secret": "9f86d081884c7d65"}}}},
    },
)

key = aws.secretsmanager.Secret("api-key")
CustomResource(
    "api-key",
    api_version="external-secrets.io/v1",
    kind="ExternalSecret",
    metadata={"name": "api-key"},
    spec={
        "secretStoreRef": {"kind": "ClusterSecretStore", "name": "aws"},
        "target": {"name": "api-key"},
        "data": [{"secretKey": "token", "remoteRef": {"key": "serving/api-key", "property": "token"}}],
    },
)
CustomResource(
    "registry",
    api_version="bitnami.com/v1alpha1",
    kind="SealedSecret",
    metadata={"name": "registry"},
    spec={"encryptedData": {"password": "AgBy3i4OJSWK+PiTySYZZA9rO43cGDEq1bXk"}},
)

labels = {"app": "vllm"}
Deployment(
    "vllm",
    metadata={"name": "vllm"},
    spec={
        "selector": {"match_labels": labels},
        "template": {
            "metadata": {"labels": labels},
            "spec": {
                "containers": [
                    {
                        "name": "vllm",
                        "image": "vllm/vllm-openai:v0.11.0",
                        "env": [
                            {
                                "name": "VLLM_API_KEY",
                                "value_from": {"secret_key_ref": {"name": "api-key", "key": "token"}},
                            },
                            {"name": "HF_TOKEN_PATH", "value": "/run/secrets/hf/token"},
                            {"name": "AWS_SECRET_ARN", "value": key.arn},
                        ],
                    }
                ]
            },
        },
    },
)
SCRIPT = """#!/bin/bash
set -euo pipefail
aws secretsmanager get-secret-value --secret-id serving/api-key --query SecretString --output text > /run/api-key
"""
aws.ec2.LaunchTemplate("gateway", user_data=base64.b64encode(SCRIPT.encode()).decode())
