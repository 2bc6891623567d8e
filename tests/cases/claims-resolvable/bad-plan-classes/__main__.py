"""GPUs by claims, and the driver that hands them over."""

from pulumi_kubernetes.apiextensions import CustomResource
from pulumi_kubernetes.core.v1 import Pod
from pulumi_kubernetes.helm.v3 import Release

CustomResource(
    "large",
    api_version="resource.k8s.io/v1",
    kind="DeviceClass",
    metadata={"name": "large.gpu.nvidia.com"},
    spec={"selectors": [{"cel": {"expression": "device.driver == 'gpu.nvidia.com'"}}]},
)
CustomResource(
    "card",
    api_version="resource.k8s.io/v1",
    kind="ResourceClaim",
    metadata={"name": "card", "namespace": "default"},
    spec={"devices": {"requests": [{"name": "card", "exactly": {"deviceClassName": "gpus.nvidia.com"}}]}},
)
CustomResource(
    "rack",
    api_version="resource.nvidia.com/v1beta1",
    kind="ComputeDomain",
    metadata={"name": "rack", "namespace": "default"},
    spec={"numNodes": 2},
)
Pod(
    "train",
    metadata={"name": "train", "namespace": "default"},
    spec={
        "resource_claims": [{"name": "card", "resource_claim_name": "card"}],
        "containers": [
            {"name": "main", "image": "registry.lab/train:1", "resources": {"claims": [{"name": "card"}]}},
        ],
    },
)
Release(
    "dra",
    chart="nvidia-dra-driver-gpu",
    version="25.3.2",
    repository_opts={"repo": "https://helm.ngc.nvidia.com/nvidia"},
    values={"resources": {"gpus": {"enabled": True}}},
)
