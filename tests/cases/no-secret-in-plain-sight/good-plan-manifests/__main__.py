"""The trainer, whose token comes from a Secret that others keep."""

import pulumi_kubernetes as k8s

k8s.core.v1.ConfigMap("settings", metadata={"name": "settings"}, data={"LOG_LEVEL": "info", "HF_HOME": "/cache"})
k8s.apps.v1.Deployment(
    "trainer",
    metadata={"name": "trainer"},
    spec={
        "selector": {"match_labels": {"app": "trainer"}},
        "template": {
            "metadata": {"labels": {"app": "trainer"}},
            "spec": {
                "containers": [
                    {
                        "name": "trainer",
                        "image": "registry.example.net/trainer:5",
                        "env": [
                            {"name": "HF_TOKEN", "value_from": {"secret_key_ref": {"name": "hub", "key": "token"}}}
                        ],
                    }
                ]
            },
        },
    },
)
