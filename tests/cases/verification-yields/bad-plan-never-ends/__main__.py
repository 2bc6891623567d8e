"""Looks after the GPUs between trainings."""

from pulumi_kubernetes.apps.v1 import Deployment

LABELS = {"app": "gpu-verification"}

Deployment(
    "gpu-verification",
    metadata={"name": "gpu-verification"},
    spec={
        "replicas": 2,
        "selector": {"match_labels": LABELS},
        "template": {
            "metadata": {"labels": LABELS},
            "spec": {
                "containers": [
                    {
                        "name": "diag",
                        "image": "nvcr.io/nvidia/cloud-native/dcgm:4.4.1-1-ubuntu22.04",
                        "command": ["sh", "-c", "while true; do dcgmi diag -r 2; sleep 3600; done"],
                        "resources": {"limits": {"nvidia.com/gpu": "8"}},
                    }
                ]
            },
        },
    },
)
