"""A nightly profile of the training loop."""

from pulumi_kubernetes.batch.v1 import CronJob

CronJob(
    "nightly-profile",
    spec={
        "schedule": "0 3 * * *",
        "job_template": {
            "spec": {
                "template": {
                    "spec": {
                        "restart_policy": "Never",
                        "containers": [
                            {
                                "name": "ncu",
                                "image": "nvcr.io/nvidia/pytorch:25.09-py3",
                                "command": ["ncu", "--set", "full", "python", "train.py"],
                                "security_context": {"capabilities": {"add": ["PERFMON"]}},
                                "resources": {"limits": {"nvidia.com/gpu": "1"}},
                            }
                        ],
                    }
                }
            }
        },
    },
)
