"""A NodePool of Karpenter's, whose limit forbids its only type."""

from pulumi_kubernetes.apiextensions import CustomResource

CustomResource(
    "gpu",
    api_version="karpenter.sh/v1",
    kind="NodePool",
    metadata={"name": "gpu"},
    spec={
        "limits": {"nvidia.com/gpu": 4},
        "template": {
            "spec": {
                "nodeClassRef": {"group": "karpenter.k8s.aws", "kind": "EC2NodeClass", "name": "gpu"},
                "requirements": [
                    {"key": "node.kubernetes.io/instance-type", "operator": "In", "values": ["p5.48xlarge"]},
                ],
            },
        },
    },
)
