"""The queue, in an image that has PGMQ."""

import pulumi_kubernetes as k8s

k8s.core.v1.ConfigMap(
    "init", metadata={"name": "init", "namespace": "jobs"}, data={"init-pgmq.sh": "#!/bin/sh\nset -e\npg_basebackup -h jobs-db-0 -D $PGDATA -R\npsql -c 'CREATE EXTENSION IF NOT EXISTS pgmq CASCADE'\n"}
)
labels = {"app": "jobs-db"}
k8s.apps.v1.StatefulSet(
    "jobs-db",
    metadata={"name": "jobs-db", "namespace": "jobs"},
    spec={
        "replicas": 2,
        "service_name": "jobs-db",
        "selector": {"match_labels": labels},
        "template": {
            "metadata": {"labels": labels},
            "spec": {
                "affinity": {
                    "pod_anti_affinity": {
                        "required_during_scheduling_ignored_during_execution": [
                            {"label_selector": {"match_labels": labels}, "topology_key": "kubernetes.io/hostname"}
                        ]
                    }
                },
                "containers": [
                    {
                        "name": "postgres",
                        "image": "ghcr.io/pgmq/pg17-pgmq:v1.5.1",
                        "command": ["/docker-entrypoint-initdb.d/init-pgmq.sh"],
                        "env": [
                            {
                                "name": "POSTGRES_PASSWORD",
                                "value_from": {"secret_key_ref": {"name": "jobs-db", "key": "password"}},
                            },
                        ],
                        "volume_mounts": [{"name": "init", "mount_path": "/docker-entrypoint-initdb.d"}],
                    }
                ],
                "volumes": [{"name": "init", "config_map": {"name": "init"}}],
            },
        },
    },
)
