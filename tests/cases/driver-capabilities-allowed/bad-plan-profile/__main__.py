"""A server for people who develop on a GPU."""

from pulumi_kubernetes.core.v1 import Pod

CAPABILITIES = ["compute", "utility", "profile"]

Pod(
    "devserver",
    spec={
        "containers": [
            {
                "name": "shell",
                "image": "nvidia/cuda:12.9.0-devel-ubuntu24.04",
                "env": [{"name": "NVIDIA_DRIVER_CAPABILITIES", "value": ",".join(CAPABILITIES)}],
                "resources": {"limits": {"nvidia.com/gpu": "1"}},
            }
        ]
    },
)
