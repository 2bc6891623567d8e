"""The pod that a server of the job queue runs in: one container makes its data, another one serves it."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from nodeworthy.facts.pod.containers import quantity

NAME = "queue"
LABELS = {"app.kubernetes.io/name": NAME, "app.kubernetes.io/part-of": "gpu-platform"}
IMAGE = "ghcr.io/pgmq/pg17-pgmq:v1.5.1"
# Of `postgres` in that image, which is made from Debian's.
USER = 999
FILES = "/queue"
VOLUME = "/var/lib/postgresql/data"
# How much of its volume a primary keeps for a replica that is away.
KEPT = Fraction(1, 4)


@dataclass(frozen=True)
class Role:
    name: str
    made_by: str
    # The host of the primary that it follows.
    follows: str | None = None


def pod(role: Role, size: str) -> dict[str, Any]:
    common = {"image": IMAGE, "security_context": _CONFINED, "volume_mounts": _MOUNTS}
    return {
        "automount_service_account_token": False,
        "termination_grace_period_seconds": 60,
        "security_context": {"run_as_non_root": True, "run_as_user": USER, "run_as_group": USER, "fs_group": USER},
        "affinity": {"pod_anti_affinity": {"required_during_scheduling_ignored_during_execution": [_NEVER_TOGETHER]}},
        "init_containers": [
            {
                **common,
                "name": "make",
                "command": ["sh", f"{FILES}/{role.made_by}"],
                "env": _env(role, size),
                "resources": _RESOURCES,
            }
        ],
        "containers": [
            {
                **common,
                "name": "postgres",
                "command": ["sh", f"{FILES}/serve.sh"],
                "env": _env(role, size),
                "ports": [{"name": "postgres", "container_port": 5432}],
                "readiness_probe": {"exec_": _ANSWERS, "period_seconds": 5, "timeout_seconds": 3},
                "liveness_probe": {"exec_": _ANSWERS, "period_seconds": 20, "failure_threshold": 6},
                # What was written since it was last stopped is read first, and that may take its time.
                "startup_probe": {"exec_": _ANSWERS, "period_seconds": 5, "failure_threshold": 120},
                "resources": _RESOURCES,
            }
        ],
        "volumes": [{"name": "files", "config_map": {"name": NAME}}],
    }


_CONFINED = {"allow_privilege_escalation": False, "capabilities": {"drop": ["ALL"]}}
_MOUNTS = [{"name": "data", "mount_path": VOLUME}, {"name": "files", "mount_path": FILES, "read_only": True}]
_NEVER_TOGETHER = {"topology_key": "kubernetes.io/hostname", "label_selector": {"match_labels": LABELS}}
_ANSWERS = {"command": ["pg_isready", "--quiet", "--username=postgres"]}
_RESOURCES = {"requests": {"cpu": "1", "memory": "2Gi"}, "limits": {"memory": "4Gi"}}


def _env(role: Role, size: str) -> list[dict[str, Any]]:
    plain = {
        "PGDATA": f"{VOLUME}/pgdata",
        "QUEUE_FILES": FILES,
        "QUEUE_WAL_KEPT": f"{int(quantity(size) * KEPT) >> 20}MB",
    }
    if role.follows is not None:
        plain["PRIMARY_HOST"] = role.follows
        secret = {"PGPASSWORD": "replication-password"}
    else:
        secret = {"QUEUE_PASSWORD": "password", "REPLICATION_PASSWORD": "replication-password"}
    return [
        *({"name": name, "value": value} for name, value in plain.items()),
        *({"name": name, "value_from": {"secret_key_ref": {"name": NAME, "key": key}}} for name, key in secret.items()),
    ]
