"""The job queue: PostgreSQL with PGMQ, a primary and a replica that never share a node.

Who fails over is a person: stop the old primary for good, promote the replica (`pg_ctl promote`), and let the Service
`queue-primary` choose it. Two that write are worse than none.
"""

from __future__ import annotations

import hashlib
from pathlib import Path
from typing import Any

import declared
import pulumi
import pulumi_kubernetes as kubernetes
from cluster import Cluster
from postgres import LABELS, NAME, Role, pod
from storage import Disks

from nodeworthy.fleet.model import Fleet

NAMESPACE = "gpu-queue"
KEY = "queuePassword"
# What primary and replica are made by, and run by: tests run the very same files.
FILES = Path(__file__).parent / "queue_files"
PRIMARY = Role("primary", "make-primary.sh")
REPLICA = Role("replica", "make-replica.sh", follows=f"{NAME}-primary.{NAMESPACE}.svc")


def build(fleet: Fleet, cluster: Cluster, disks: Disks) -> list[kubernetes.apps.v1.StatefulSet]:
    if fleet.queue is None:
        return []
    password = declared.secret(KEY, "queue", "a queue, and its config no password for it")
    by = pulumi.ResourceOptions(provider=cluster.kubernetes)
    namespace = kubernetes.core.v1.Namespace(NAMESPACE, metadata={"name": NAMESPACE}, opts=by)
    opts = pulumi.ResourceOptions.merge(by, pulumi.ResourceOptions(depends_on=[namespace]))
    metadata = _named(NAME, LABELS)
    files = {each.name: each.read_text(encoding="utf-8") for each in sorted(FILES.iterdir())}
    needs: list[pulumi.Resource] = [
        kubernetes.core.v1.ConfigMap(NAME, metadata=metadata, data=files, opts=opts),
        kubernetes.core.v1.Secret(NAME, metadata=metadata, string_data=password.apply(credentials), opts=opts),
    ]
    one_at_a_time: Any = {"max_unavailable": 1, "selector": {"match_labels": LABELS}}
    kubernetes.policy.v1.PodDisruptionBudget(NAME, metadata=metadata, spec=one_at_a_time, opts=opts)
    opts = pulumi.ResourceOptions.merge(opts, pulumi.ResourceOptions(depends_on=needs))
    return [_server(role, fleet.queue.volume, _digest(files), disks, opts) for role in (PRIMARY, REPLICA)]


def credentials(password: str) -> dict[str, str]:
    """The replicator's follows from the queue's, so that there is one secret to keep; the way back is closed."""
    return {
        "password": password,
        "replication-password": hashlib.sha256(f"replication of {password}".encode()).hexdigest(),
    }


def _digest(files: dict[str, str]) -> str:
    """Pods start anew when what they run has changed."""
    return hashlib.sha256("".join(files.values()).encode()).hexdigest()[:16]


def _named(name: str, labels: dict[str, str]) -> Any:
    return {"name": name, "namespace": NAMESPACE, "labels": labels}


def _server(
    role: Role, size: str, digest: str, disks: Disks, opts: pulumi.ResourceOptions
) -> kubernetes.apps.v1.StatefulSet:
    name, labels = f"{NAME}-{role.name}", {**LABELS, "app.kubernetes.io/component": role.name}
    service: Any = {"selector": labels, "ports": [{"name": "postgres", "port": 5432, "target_port": "postgres"}]}
    kubernetes.core.v1.Service(name, metadata=_named(name, labels), spec=service, opts=opts)
    server: Any = {
        "service_name": name,
        "replicas": 1,
        "selector": {"match_labels": labels},
        "template": {
            "metadata": {"labels": labels, "annotations": {"nodeworthy/files": digest}},
            "spec": pod(role, size),
        },
        "volume_claim_templates": [{"metadata": {"name": "data"}, "spec": disks.asked(size)}],
    }
    return kubernetes.apps.v1.StatefulSet(name, metadata=_named(name, labels), spec=server, opts=opts)
