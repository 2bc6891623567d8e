"""The inference service of the GPU cluster."""

from pulumi_kubernetes.apps.v1 import Deployment

LABELS = {"app": "inference"}
GPUS_PER_REPLICA = 1 / 2

Deployment(
    "inference",
    metadata={"namespace": "serving"},
    spec={
        "replicas": 4,
        "selector": {"match_labels": LABELS},
        "template": {
            "metadata": {"labels": LABELS},
            "spec": {
                "containers": [
                    {
                        "name": "server",
                        "image": "vllm/vllm-openai:v0.11.0",
                        "resources": {"limits": {"nvidia.com/gpu": str(GPUS_PER_REPLICA)}},
                    }
                ]
            },
        },
    },
)
