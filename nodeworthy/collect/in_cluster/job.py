"""The Job that looks at one node: where it goes, what it may, and how it ends by itself."""

from __future__ import annotations

import math
import re
from typing import Any

from nodeworthy.known.verification import LABEL, OPT_OUTS
from nodeworthy.records import dataclass

MADE_BY_US = {"app.kubernetes.io/managed-by": "nodeworthy"}
RUN = "nodeworthy/run"
NODE = "nodeworthy/node"
# Below zero, so that any other work is let in first. --print-role has it.
PRIORITY = "nodeworthy-verification"
PRIORITY_VALUE = -1000
# Once more, where a kubelet refused the pod or it was evicted.
RETRIES = 1
# Whoever is killed before he has read a log leaves a Job that goes by itself.
KEPT_SECONDS = 600
# The first process of the node itself, in whose namespaces everything is read.
HOST = "nsenter://1"
_LONGEST_NAME = 52


@dataclass(frozen=True)
class Terms:
    """What all Jobs of a run have in common."""

    # Nobody else's Job has this.
    run: str
    image: str
    # How long a node may take to answer, as --deadline is written.
    look: str
    # How long its boot is waited for, as --wait is written.
    wait: str | None
    # From the Job's creation to its end, by Kubernetes' own clock.
    job_seconds: float
    # All nodes together.
    total_seconds: float
    priority_class: str | None

    @property
    def selector(self) -> str:
        return f"{RUN}={self.run}"

    @property
    def bound(self) -> int:
        return math.ceil(self.job_seconds)

    def command(self) -> list[str]:
        waiting = ["--wait", self.wait] if self.wait else []
        return ["nodeworthy", "node", HOST, "--record", "-", "--quiet", "--deadline", self.look, *waiting]


def name_of(run: str, number: int, node: str) -> str:
    part = re.sub(r"[^a-z0-9-]+", "-", node.lower())
    return f"nodeworthy-{run}-{number}-{part}"[:_LONGEST_NAME].rstrip("-")


def job(name: str, node: str, terms: Terms) -> dict[str, Any]:
    labels = {**MADE_BY_US, RUN: terms.run, LABEL: "node"}
    return {
        "apiVersion": "batch/v1",
        "kind": "Job",
        "metadata": {"name": name, "labels": labels, "annotations": {NODE: node}},
        "spec": {
            "backoffLimit": RETRIES,
            "activeDeadlineSeconds": terms.bound,
            "ttlSecondsAfterFinished": KEPT_SECONDS,
            "template": {"metadata": {"labels": labels, "annotations": {NODE: node}}, "spec": _pod(node, terms)},
        },
    }


def _pod(node: str, terms: Terms) -> dict[str, Any]:
    """The node's own network, so that one without pods' network is looked at too; nothing of the cluster's own."""
    return {
        **({"priorityClassName": terms.priority_class} if terms.priority_class else {}),
        "affinity": {"nodeAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": only_on(node)}},
        "tolerations": [{"operator": "Exists"}],
        "hostPID": True,
        "hostNetwork": True,
        "restartPolicy": "Never",
        "terminationGracePeriodSeconds": 0,  # else only a kubelet that answers lets it go
        "automountServiceAccountToken": False,
        "enableServiceLinks": False,
        "containers": [_container(terms)],
        "volumes": [{"name": "scratch", "emptyDir": {"medium": "Memory", "sizeLimit": "128Mi"}}],
    }


def only_on(*nodes: str) -> dict[str, Any]:
    """The affinity by which the scheduler places a Job on these nodes. The scheduler also sees who opts out after the
    Job was made."""
    opted_in = [{"key": label, "operator": "NotIn", "values": [value]} for label, value in OPT_OUTS.items()]
    # A field takes one value, and of several terms one has to hold.
    by_name = ([{"key": "metadata.name", "operator": "In", "values": [each]}] for each in nodes)
    return {"nodeSelectorTerms": [{"matchFields": each, "matchExpressions": opted_in} for each in by_name]}


def _container(terms: Terms) -> dict[str, Any]:
    """Requests nothing, so that no other work is kept away; may use little."""
    return {
        "name": "look",
        "image": terms.image,
        "command": terms.command(),
        "resources": {"requests": {"cpu": "0", "memory": "0"}, "limits": {"cpu": "1", "memory": "512Mi"}},
        # Privileged, for the namespaces of the node's first process; of its disks nothing is mounted.
        "securityContext": {"privileged": True, "runAsUser": 0, "readOnlyRootFilesystem": True},
        "volumeMounts": [{"name": "scratch", "mountPath": "/tmp"}],  # noqa: S108 - of the container
    }
