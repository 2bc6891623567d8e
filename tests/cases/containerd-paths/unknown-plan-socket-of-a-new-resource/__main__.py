"""The GPU operator on the machines in our own rack."""

import pulumi
import pulumi_kubernetes as k8s
from pulumi_kubernetes.helm.v3 import Release, ReleaseArgs, RepositoryOptsArgs

NVIDIA = RepositoryOptsArgs(repo="https://helm.ngc.nvidia.com/nvidia")

nodes = k8s.core.v1.Namespace("nodes")
socket = pulumi.Output.concat("/run/", nodes.metadata.name, "/containerd.sock")
env = [
    {"name": "CONTAINERD_CONFIG", "value": "/var/lib/k8s-containerd/k8s-containerd/etc/containerd/config.toml"},
    {"name": "CONTAINERD_SOCKET", "value": socket},
]

Release(
    "gpu-operator",
    ReleaseArgs(
        chart="gpu-operator",
        version="v26.3.0",
        repository_opts=NVIDIA,
        namespace="gpu-operator",
        create_namespace=True,
        values={"toolkit": {"env": env}},
    ),
)
