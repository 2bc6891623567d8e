"""Notebooks that share GPUs."""

from pulumi_kubernetes.core.v1 import Pod

Pod(
    "notebook",
    metadata={"name": "notebook", "namespace": "research"},
    spec={
        "containers": [
            {
                "name": "jupyter",
                "image": "quay.io/jupyter/pytorch-notebook:cuda12-2025-06-01",
                "env": [{"name": "CUDA_DISABLE_CONTROL", "value": "1"}],
                "resources": {"limits": {"nvidia.com/gpu": 1, "nvidia.com/gpumem": 8000}},
            }
        ]
    },
)
