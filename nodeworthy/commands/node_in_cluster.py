"""`--in-cluster`: a Job on every node that is chosen, shown first and agreed to; what its pods say is judged here."""

from __future__ import annotations

import argparse
import secrets
import sys
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from nodeworthy.commands import judging, node_said, node_taint
from nodeworthy.errors import InputError
from nodeworthy.records import dataclass
from nodeworthy.report.printable import printable
from nodeworthy.rule import Moment

if TYPE_CHECKING:
    from nodeworthy.collect.in_cluster.chosen import Chosen
    from nodeworthy.collect.in_cluster.cluster import Cluster
    from nodeworthy.collect.in_cluster.job import Terms
    from nodeworthy.collect.node.asked import Asked
    from nodeworthy.collect.node.pools import Declared
    from nodeworthy.collect.node.specs import Spec
    from nodeworthy.commands.node_recheck import NotWell
    from nodeworthy.engine import Scene
    from nodeworthy.report.report import Report

JOB_DEADLINE = "5m"
TOTAL_DEADLINE = "1h"
_IMAGE = (
    "--in-cluster runs this suite on every node, from an image of its own: build it from this repository (make image), "
    "push it to where the nodes pull from, and name it with --image"
)


@dataclass(frozen=True)
class Named:
    """What the command line names itself, beside labels and pools."""

    specs: Sequence[Spec]
    not_well: NotWell | None = None


def configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--in-cluster",
        action="store_true",
        help="look by a Kubernetes Job on each node: of node://, of --selector, or of the fleet's pools",
    )
    parser.add_argument(
        "--job-deadline", metavar="TIME", help=f"with --in-cluster: from a Job's creation to its end ({JOB_DEADLINE})"
    )
    parser.add_argument(
        "--total-deadline", metavar="TIME", help=f"with --in-cluster: all nodes together ({TOTAL_DEADLINE})"
    )
    parser.add_argument("--print-role", action="store_true", help="with --in-cluster: print the rights that it needs")


def refuse_idle(options: argparse.Namespace) -> None:
    """What would do nothing without --in-cluster."""
    for name in ("job_deadline", "total_deadline", "print_role"):
        if getattr(options, name) and not options.in_cluster:
            raise InputError(f"--{name.replace('_', '-')} is for --in-cluster")


def run(options: argparse.Namespace) -> int:
    from nodeworthy.commands import node_options

    node_options.refuse_idle(options)
    _refuse_others(options)
    if options.print_role:
        return _print_role(options)
    named = _named(options)
    node_options.refuse_beside(options, named.specs)
    server = node_taint.prepare(options, named.specs)
    chosen, declared, asked = _looked(options, named)
    if options.record == node_said.STDOUT:
        return node_said.printed(asked)
    if options.record:
        from nodeworthy.collect.node import collector

        collector.record(asked, Path(options.record), judging.write_whole)
    report = _judged(options, list(_scenes(chosen, asked, declared)), len(asked), named.not_well)
    return node_taint.mark(options, server, asked, report, judging.deliver(options, report))


def _refuse_others(options: argparse.Namespace) -> None:
    if options.reboot:
        raise InputError("--in-cluster only reads: a pod does not outlive the --reboot of its node")
    if options.asg:
        raise InputError("--asg names instances, and --in-cluster is about nodes: choose them with --selector")
    if options.record == node_said.STDOUT:
        node_said.refuse_others(options)


def _print_role(options: argparse.Namespace) -> int:
    from nodeworthy.collect.in_cluster.role import manifests

    written = manifests(options.namespace, taints=options.taint)
    if options.output:
        judging.write_whole(Path(options.output), written)
    else:
        sys.stdout.write(written)
    return 0


def _named(options: argparse.Namespace) -> Named:
    """Raises InputError where nobody says which nodes, or where they are no nodes of one cluster."""
    from nodeworthy.collect.node.specs import parse_all

    not_well = None
    texts: Sequence[str] = options.hosts
    if options.recheck:
        from nodeworthy.commands.node_recheck import read

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


def _looked(options: argparse.Namespace, named: Named) -> tuple[Chosen, Declared, Sequence[Asked]]:
    from nodeworthy.collect.in_cluster.chosen import Chosen, choose
    from nodeworthy.collect.node.durations import count
    from nodeworthy.collect.node.pools import Declared
    from nodeworthy.collect.source.fleets import Fleets

    terms, workers = _terms(options), count(options.max_workers)
    judging.chosen_rules(options)  # a rule that does not exist is said before a cluster is asked
    fleet = Fleets(options.fleet, options.stack).asked_for()
    declared = Declared(fleet, options.pool)
    if options.recheck and not named.specs:
        return Chosen(), declared, ()
    cluster = _cluster(options)
    chosen = choose(cluster, [each.text for each in named.specs], options.selector, fleet, options.pool)
    return chosen, declared, _asked(options, cluster, _with_priority(terms, cluster), chosen, workers)


def _terms(options: argparse.Namespace) -> Terms:
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


def _cluster(options: argparse.Namespace) -> Cluster:
    from nodeworthy.collect.in_cluster.cluster import Cluster
    from nodeworthy.collect.in_cluster.role import HOME, check_name

    cluster = Cluster(options.context, check_name(options.namespace or HOME))
    if not cluster.has_namespace():
        raise InputError(
            f"there is no namespace {cluster.namespace} in {cluster.server}: name one with --namespace, or apply what "
            "nodeworthy node --in-cluster --print-role prints"
        )
    return cluster


def _with_priority(terms: Terms, cluster: Cluster) -> Terms:
    """Only one that gives way."""
    from nodeworthy.collect.in_cluster.job import PRIORITY

    value = cluster.priority(PRIORITY)
    return replace(terms, priority_class=PRIORITY) if value is not None and value < 0 else terms


def _asked(
    options: argparse.Namespace, cluster: Cluster, terms: Terms, chosen: Chosen, workers: int
) -> Sequence[Asked]:
    from nodeworthy.collect.in_cluster.run import ask_all
    from nodeworthy.collect.node.asked import Asked
    from nodeworthy.collect.node.recording import Recording
    from nodeworthy.commands.node_jobs_shown import Progress, agree

    missing = [
        Asked(each, Recording(each, unreached=f"there is no such node in {cluster.server}")) for each in chosen.missing
    ]
    agree(options, cluster, terms, chosen, workers)
    if not chosen.nodes:
        return missing
    progress = Progress(quiet=options.quiet)
    return [*missing, *ask_all(cluster, terms, chosen.nodes, workers=workers, progress=progress, tell=_say)]


def _say(text: str) -> None:
    print(printable(text), file=sys.stderr, flush=True)


def _scenes(chosen: Chosen, asked: Sequence[Asked], declared: Declared) -> Iterator[Scene]:
    """Who opted out is skipped, and named."""
    from nodeworthy.collect.node import collector
    from nodeworthy.engine import Missing, Scene
    from nodeworthy.facts.node.node import Node
    from nodeworthy.verdict import Place

    yield from (collector.scene(each, declared) for each in asked)
    for host, label in chosen.opted_out.items():
        yield Scene([], {Node: Missing(f"it opted out of verification, by its label {label}", place=Place(host=host))})
    if not asked and not chosen.opted_out:
        yield collector.nothing_asked("; ".join(chosen.told) or "nothing is left to look at")


def _judged(options: argparse.Namespace, scenes: Sequence[Scene], hosts: int, not_well: NotWell | None) -> Report:
    report = judging.judged(options, Moment.NODE, scenes, {"hosts": hosts})
    if not_well is None:
        return report
    return replace(report, judgements=[each for each in report.judgements if not_well.concerns(each)])
