"""Karpenter's nodes of a cluster, and an operator whose values were copied from a k3s cluster."""

from pulumi_kubernetes.apiextensions import CustomResource
from pulumi_kubernetes.helm.v3 import Release

TAGS = [{"tags": {"karpenter.sh/discovery": "ml"}}]
CustomResource(
    "gpu-class",
    api_version="karpenter.k8s.aws/v1",
    kind="EC2NodeClass",
    metadata={"name": "gpu"},
    spec={
        "amiSelectorTerms": [{"alias": "al2023@latest"}],
        "role": "ml-karpenter-nodes",
        "subnetSelectorTerms": TAGS,
        "securityGroupSelectorTerms": TAGS,
    },
)
CustomResource(
    "gpu-pool",
    api_version="karpenter.sh/v1",
    kind="NodePool",
    metadata={"name": "l4"},
    spec={
        "template": {
            "spec": {
                "nodeClassRef": {"group": "karpenter.k8s.aws", "kind": "EC2NodeClass", "name": "gpu"},
                "requirements": [
                    {"key": "node.kubernetes.io/instance-type", "operator": "In", "values": ["g6.12xlarge"]}
                ],
            }
        }
    },
)
Release(
    "gpu-operator",
    chart="gpu-operator",
    version="v25.3.4",
    namespace="gpu-operator",
    repository_opts={"repo": "https://helm.ngc.nvidia.com/nvidia"},
    values={
        "driver": {"enabled": False},
        "toolkit": {"env": [{"name": "CONTAINERD_SOCKET", "value": "/run/k3s/containerd/containerd.sock"}]},
    },
)
