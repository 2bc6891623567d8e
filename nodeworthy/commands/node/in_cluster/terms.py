"""Which nodes `--in-cluster` is asked for, on which terms it makes its Jobs, and in which namespace of a cluster."""

from __future__ import annotations

import secrets
from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from nodeworthy.commands.node.options import JOB_DEADLINE, TOTAL_DEADLINE
from nodeworthy.errors import InputError
from nodeworthy.records import dataclass

if TYPE_CHECKING:
    from nodeworthy.collect.in_cluster.cluster import Cluster
    from nodeworthy.collect.in_cluster.job import Terms
    from nodeworthy.collect.node.specs import Spec
    from nodeworthy.commands.node.hosts import NotWell
    from nodeworthy.commands.node.options import Options


_IMAGE = (
    "--in-cluster runs this suite on every node, from an image of its own: build it from this repository (make image), "
    "push it to where the nodes pull from, and name it with --image"
)


def terms_of(options: Options) -> Terms:
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


def cluster_of(context: str | None, namespace: str | None) -> Cluster:
    from nodeworthy.collect.in_cluster.cluster import Cluster
    from nodeworthy.collect.in_cluster.role import HOME, check_name

    return Cluster(context, check_name(namespace or HOME))


def check_namespace(cluster: Cluster) -> None:
    """Raises InputError where there is none."""
    if not cluster.has_namespace():
        raise InputError(
            f"there is no namespace {cluster.namespace} in {cluster.server}: name one with --namespace, or apply what "
            "nodeworthy node --in-cluster --print-role prints"
        )


def with_priority(terms: Terms, cluster: Cluster) -> Terms:
    """The terms with our priority class, if that one yields to others."""
    from nodeworthy.collect.in_cluster.job import PRIORITY

    value = cluster.priority(PRIORITY)
    return replace(terms, priority_class=PRIORITY) if value is not None and value < 0 else terms


@dataclass(frozen=True)
class Named:
    specs: Sequence[Spec]
    not_well: NotWell | None = None


def named_nodes(options: Options) -> Named:
    """Raises InputError where nobody says which nodes, or where they are no nodes of one cluster."""
    from nodeworthy.collect.node.specs import parse_all

    not_well = None
    texts: Sequence[str] = options.hosts
    if options.recheck:
        from nodeworthy.commands.node.hosts import read

        if options.selector:
            raise InputError("--recheck names its hosts itself: --selector is for a first look")
        not_well = read(options.recheck)
        texts = texts or not_well.specs()
    elif not (texts or options.selector or options.fleet or options.stack):
        raise InputError("no node is named: node://NAME, --selector LABEL=VALUE, --fleet FILE or --recheck REPORT")
    if not all(each.strip() for each in options.selector):
        raise InputError("--selector says nothing, and would mean all there are: name what it selects")
    specs = parse_all(texts)
    for each in specs:
        if each.scheme != "node" or "?" in each.text:
            raise InputError(f"--in-cluster is about nodes of one cluster: {each.text} is not node://NAME")
    return Named(specs, not_well)
