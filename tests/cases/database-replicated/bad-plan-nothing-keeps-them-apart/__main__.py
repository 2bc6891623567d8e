"""The queue of jobs: a primary and a replica."""

import pulumi
from pulumi_kubernetes.apps.v1 import StatefulSet

APART = None
PASSWORD = {"name": "PGPASSWORD", "value_from": {"secret_key_ref": {"name": "queue", "key": "password"}}}


def server(role):
    labels = {"app": "queue", "role": role}
    script = "pg_basebackup -h queue-primary -D $PGDATA -R; exec postgres" if role == "replica" else "exec postgres"
    container = {
        "name": "postgres",
        "image": "ghcr.io/pgmq/pg17-pgmq:v1.5.1",
        "command": ["sh", "-c", script],
        "env": [PASSWORD],
    }
    return StatefulSet(
        f"queue-{role}",
        metadata={"name": f"queue-{role}", "namespace": "jobs"},
        spec={
            "service_name": f"queue-{role}",
            "selector": {"match_labels": labels},
            "template": {
                "metadata": {"labels": labels},
                "spec": {"affinity": APART, "containers": [container]},
            },
        },
    )


server("primary")
server("replica")
