"""The GPU operator on the k3s machines of the branch offices."""

from pulumi_kubernetes.helm.v3 import Release, ReleaseArgs, RepositoryOptsArgs

NVIDIA = RepositoryOptsArgs(repo="https://helm.ngc.nvidia.com/nvidia")
SOCKET = {"name": "CONTAINERD_SOCKET", "value": "/run/k3s/containerd/containerd.sock"}

Release(
    "gpu-operator",
    ReleaseArgs(
        chart="gpu-operator",
        version="v25.3.3",
        repository_opts=NVIDIA,
        namespace="gpu-operator",
        create_namespace=True,
        values={"toolkit": {"env": [SOCKET]}},
    ),
)
