"""Text generation on the GPU cluster."""

from pulumi_kubernetes.core.v1 import Pod
from pulumi_kubernetes.node.v1 import RuntimeClass

nvidia = RuntimeClass("nvidia", metadata={"name": "nvidia"}, handler="nvidia")
Pod(
    "textgen",
    spec={
        "runtime_class_name": "nvdia",
        "containers": [{"name": "textgen", "image": "ghcr.io/huggingface/text-generation-inference:3.3"}],
    },
)
