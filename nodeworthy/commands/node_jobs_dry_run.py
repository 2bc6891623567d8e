"""`--in-cluster --dry-run`: what would be made, as YAML, and what has to be there before; nothing is made."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from nodeworthy.commands import judging, node_jobs_shown, node_jobs_terms
from nodeworthy.errors import InputError
from nodeworthy.report.printable import escaped, on_one_line

if TYPE_CHECKING:
    from nodeworthy.collect.in_cluster.chosen import Chosen
    from nodeworthy.collect.in_cluster.cluster import Cluster
    from nodeworthy.collect.in_cluster.job import Terms

NOTHING_TO_LOOK_AT = 3
_MARKS = "and then marks each node by its verdict: label nodeworthy/verified and no taint, or the taint with the reason"


def refuse_others(options: argparse.Namespace) -> None:
    """Options that are about what comes of a look."""
    given = {"--format": options.format != "text", "--also": options.also, "--record": options.record}
    for name, is_given in given.items():
        if is_given:
            raise InputError(f"--dry-run shows the Jobs, and looks at no node: {name} does not go with it")


def show(options: argparse.Namespace, cluster: Cluster, terms: Terms, chosen: Chosen, workers: int) -> int:
    """0 where Jobs would be made, 3 where a node could not be looked at. Raises InputError where a run would."""
    written = "".join(_written(options, cluster, terms, chosen, workers))
    if options.output:
        judging.write_whole(Path(options.output), written)
    else:
        sys.stdout.write(escaped(written))
        sys.stdout.flush()
    node_jobs_terms.check_namespace(cluster)
    return 0 if chosen.nodes and not chosen.missing else NOTHING_TO_LOOK_AT


def _written(
    options: argparse.Namespace, cluster: Cluster, terms: Terms, chosen: Chosen, workers: int
) -> Iterator[str]:
    import yaml

    from nodeworthy.collect.in_cluster.job import job, name_of
    from nodeworthy.collect.in_cluster.role import manifests

    yield "# Nothing was made: this is a dry run. What follows, a run would make and remove again.\n"
    for each in _said(options, cluster, terms, chosen, workers):
        yield f"# {on_one_line(each)}\n"
    for number, node in enumerate(chosen.nodes.values()):
        made = job(name_of(terms.run, number, node), node, terms)
        yield "---\n" + yaml.safe_dump(made, sort_keys=False, width=120)
    yield "---\n# What has to be there before, which a run does not make.\n"
    yield manifests(options.namespace, taints=options.taint)


def _said(options: argparse.Namespace, cluster: Cluster, terms: Terms, chosen: Chosen, workers: int) -> Iterator[str]:
    yield from (f"there is no such node in {cluster.server}: {each}" for each in chosen.missing)
    yield from node_jobs_shown.plan(cluster, terms, chosen, workers)
    if options.taint and chosen.nodes:
        yield _MARKS
