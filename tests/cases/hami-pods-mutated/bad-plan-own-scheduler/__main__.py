"""Notebooks that share GPUs."""

from pulumi_kubernetes.core.v1 import Pod
from pulumi_kubernetes.helm.v3 import Release, ReleaseArgs, RepositoryOptsArgs

Release(
    "hami",
    ReleaseArgs(
        chart="hami",
        version="2.10.0",
        namespace="hami-system",
        repository_opts=RepositoryOptsArgs(repo="https://project-hami.github.io/HAMi"),
        values={"scheduler": {"forceOverwriteDefaultScheduler": False}},
    ),
)

Pod(
    "notebook",
    metadata={"name": "notebook", "namespace": "research"},
    spec={
        "containers": [
            {
                "name": "jupyter",
                "image": "quay.io/jupyter/pytorch-notebook:cuda12-2025-06-01",
                "resources": {"limits": {"nvidia.com/gpu": 1, "nvidia.com/gpumem": 8000}},
            }
        ]
    },
)
