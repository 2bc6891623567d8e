"""The GPU operator on the machines in our own rack."""

from pulumi_kubernetes.helm.v3 import Release, ReleaseArgs, RepositoryOptsArgs

NVIDIA = RepositoryOptsArgs(repo="https://helm.ngc.nvidia.com/nvidia")

Release(
    "gpu-operator",
    ReleaseArgs(
        chart="gpu-operator",
        version="v26.3.0",
        repository_opts=NVIDIA,
        namespace="gpu-operator",
        create_namespace=True,
        values={"driver": {"enabled": False}, "toolkit": {"env": []}},
    ),
)
