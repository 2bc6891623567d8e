"""One training job, as large as it gets."""

from pulumi_kubernetes.batch.v1 import Job

Job(
    "pretrain",
    spec={
        "template": {
            "spec": {
                "restart_policy": "Never",
                "containers": [
                    {
                        "name": "trainer",
                        "image": "ghcr.io/example/pretrain:9",
                        "resources": {"limits": {"nvidia.com/gpu": "16"}},
                    }
                ],
            }
        }
    },
)
