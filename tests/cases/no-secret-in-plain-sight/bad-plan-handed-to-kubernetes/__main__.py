"""The inference servers, and who watches them."""

import pulumi
from pulumi_kubernetes.apps.v1 import Deployment
from pulumi_kubernetes.core.v1 import ConfigMap
from pulumi_kubernetes.helm.v3 import Release, RepositoryOptsArgs
from pulumi_kubernetes.yaml.v2 import ConfigGroup

Release(
    "monitoring",
    chart="kube-prometheus-stack",
    version="65.1.0",
    repository_opts=RepositoryOptsArgs(repo="https://prometheus-community.github.io/helm-charts"),
    values={"grafana": {"adminUser": "admin", "adminPassword": "Xk29-vQ8-mmwL"}},
)

PULL = """
apiVersion: v1
kind: Secret
metadata: {name: pull}
data: {ci: Z2xwYXQtN3hRMm1adjlMa1A0c1diTjhjUnk=}
"""
ConfigGroup("pull", yaml=PULL)

models = ConfigMap(
    "models", data={"fetch.sh": "export HF_TOKEN=hf_QwErTyUiOpAsDfGhJkLzXcVbNm12345678\nhf download $1\n"}
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
                        "env": [{"name": "VLLM_API_KEY", "value": "vk-93b1f0c77d2e4a55b8aa"}],
                    }
                ]
            },
        },
    },
)
pulumi.export("models", models.metadata["name"])
