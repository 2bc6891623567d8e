import pulumi_kubernetes as kubernetes

kubernetes.core.v1.ResourceQuota(
    "gpus",
    metadata={"name": "gpus", "namespace": "research"},
    spec={"hard": {"requests.cpu": "64", "nvidia.com/gpu": "4"}},
)
