"""The GPU operator, whose device plugin lets two notebooks share a GPU."""

from pulumi_kubernetes.helm.v3 import Release, ReleaseArgs, RepositoryOptsArgs

SHARED = """\
version: v1
sharing:
  timeSlicing:
    resources:
      - name: nvidia.com/gpu
        replicas: "2"
"""

Release(
    "gpu-operator",
    ReleaseArgs(
        chart="gpu-operator",
        version="v25.3.4",
        repository_opts=RepositoryOptsArgs(repo="https://helm.ngc.nvidia.com/nvidia"),
        namespace="gpu-operator",
        values={
            "devicePlugin": {"config": {"create": True, "name": "shares", "default": "any", "data": {"any": SHARED}}}
        },
    ),
)
