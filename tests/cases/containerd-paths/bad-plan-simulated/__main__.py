"""The GPU operator on the machines in our own rack."""

import pulumi_kubernetes as k8s
from pulumi_kubernetes.helm.v3 import Release, ReleaseArgs, RepositoryOptsArgs

NVIDIA = RepositoryOptsArgs(repo="https://helm.ngc.nvidia.com/nvidia")

config = k8s.core.v1.ConfigMap("node-paths", data={"runtime": "k3s"})


def values(data: dict[str, str]) -> dict[str, object]:
    env = [
        {"name": "CONTAINERD_CONFIG", "value": "/var/lib/rancher/k3s/agent/etc/containerd/config.toml"},
        {"name": "CONTAINERD_SOCKET", "value": "/run/k3s/containerd/containerd.sock"},
    ]
    return {"toolkit": {"env": env if data else []}}


Release(
    "gpu-operator",
    ReleaseArgs(
        chart="gpu-operator",
        version="v26.3.0",
        repository_opts=NVIDIA,
        namespace="gpu-operator",
        create_namespace=True,
        values=config.id.apply(values),
    ),
)
