"""The GPU operator on our own machines, and the device plugin that was there before it."""

from pulumi_kubernetes.helm.v3 import Release, ReleaseArgs, RepositoryOptsArgs

Release(
    "nvidia-device-plugin",
    ReleaseArgs(
        chart="nvidia-device-plugin",
        version="0.17.1",
        repository_opts=RepositoryOptsArgs(repo="https://nvidia.github.io/k8s-device-plugin"),
        namespace="kube-system",
    ),
)

Release(
    "gpu-operator",
    ReleaseArgs(
        chart="gpu-operator",
        version="v26.3.0",
        repository_opts=RepositoryOptsArgs(repo="https://helm.ngc.nvidia.com/nvidia"),
        namespace="gpu-operator",
        create_namespace=True,
        values={"dcgmExporter": {"serviceMonitor": {"enabled": True}}},
    ),
)
