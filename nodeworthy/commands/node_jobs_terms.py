"""On which terms `--in-cluster` makes its Jobs, and in which namespace of which cluster."""

from __future__ import annotations

import argparse
import secrets
from dataclasses import replace
from typing import TYPE_CHECKING

from nodeworthy.errors import InputError

if TYPE_CHECKING:
    from nodeworthy.collect.in_cluster.cluster import Cluster
    from nodeworthy.collect.in_cluster.job import Terms

JOB_DEADLINE = "5m"
TOTAL_DEADLINE = "1h"
_IMAGE = (
    "--in-cluster runs this suite on every node, from an image of its own: build it from this repository (make image), "
    "push it to where the nodes pull from, and name it with --image"
)


def terms_of(options: argparse.Namespace) -> Terms:
    """Raises InputError where an image or a time is missing."""
    from nodeworthy.collect.in_cluster.job import Terms
    from nodeworthy.collect.node.durations import seconds

    if not options.image or options.image.startswith("-"):
        raise InputError(_IMAGE)
    look = seconds(options.deadline)
    waited = seconds(options.wait) if options.wait is not None else 0.0
    of_a_job = seconds(options.job_deadline or JOB_DEADLINE)
    if of_a_job < look:
        raise InputError(
            f"--job-deadline {options.job_deadline} ends before a node had its --deadline {options.deadline}"
        )
    return Terms(
        run=secrets.token_hex(4),
        image=options.image,
        look=options.deadline,
        wait=options.wait,
        job_seconds=of_a_job + waited,
        total_seconds=seconds(options.total_deadline or TOTAL_DEADLINE),
        priority_class=None,
    )


def cluster_of(options: argparse.Namespace) -> Cluster:
    from nodeworthy.collect.in_cluster.cluster import Cluster
    from nodeworthy.collect.in_cluster.role import HOME, check_name

    return Cluster(options.context, check_name(options.namespace or HOME))


def check_namespace(cluster: Cluster) -> None:
    """Raises InputError where there is none."""
    if not cluster.has_namespace():
        raise InputError(
            f"there is no namespace {cluster.namespace} in {cluster.server}: name one with --namespace, or apply what "
            "nodeworthy node --in-cluster --print-role prints"
        )


def with_priority(terms: Terms, cluster: Cluster) -> Terms:
    """Only one that gives way."""
    from nodeworthy.collect.in_cluster.job import PRIORITY

    value = cluster.priority(PRIORITY)
    return replace(terms, priority_class=PRIORITY) if value is not None and value < 0 else terms
