"""`--in-cluster`: a Job on every node that is chosen, shown first and agreed to; what its pods say is judged here."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from nodeworthy.commands import judging, node_jobs_dry_run, node_jobs_named, node_jobs_terms, node_said, node_taint
from nodeworthy.commands.node_jobs_terms import JOB_DEADLINE, TOTAL_DEADLINE
from nodeworthy.errors import InputError
from nodeworthy.report.printable import printable
from nodeworthy.rule import Moment

if TYPE_CHECKING:
    from nodeworthy.collect.in_cluster.chosen import Chosen
    from nodeworthy.collect.in_cluster.cluster import Cluster
    from nodeworthy.collect.in_cluster.job import Terms
    from nodeworthy.collect.node.asked import Asked
    from nodeworthy.collect.node.pools import Declared
    from nodeworthy.commands.node_recheck import NotWell
    from nodeworthy.engine import Scene
    from nodeworthy.report.report import Report


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
    named = node_jobs_named.named(options)
    node_options.refuse_beside(options, named.specs)
    server = node_taint.prepare(options, named.specs)
    if options.dry_run:
        return _shown(options, named)
    chosen, declared, asked = _looked(options, named)
    if options.record == node_said.STDOUT:
        return node_said.printed(asked)
    if options.record:
        from nodeworthy.collect.node import collector

        collector.record(asked, Path(options.record), judging.write_private)
    report = _judged(options, list(_scenes(chosen, asked, declared)), len(asked), named.not_well)
    return node_taint.mark(options, server, asked, report, judging.deliver(options, report))


def _refuse_others(options: argparse.Namespace) -> None:
    if options.reboot:
        raise InputError("--in-cluster only reads: a pod does not outlive the --reboot of its node")
    if options.asg:
        raise InputError("--asg names instances, and --in-cluster is about nodes: choose them with --selector")
    if options.record == node_said.STDOUT:
        node_said.refuse_others(options)
    if options.dry_run:
        node_jobs_dry_run.refuse_others(options)


def _print_role(options: argparse.Namespace) -> int:
    from nodeworthy.collect.in_cluster.role import manifests

    written = manifests(options.namespace, taints=options.taint)
    if options.output:
        judging.write_whole(Path(options.output), written)
    else:
        sys.stdout.write(written)
    return 0


def _looked(options: argparse.Namespace, named: node_jobs_named.Named) -> tuple[Chosen, Declared, Sequence[Asked]]:
    from nodeworthy.collect.in_cluster.chosen import Chosen

    terms, workers, declared = _asking(options)
    if options.recheck and not named.specs:
        return Chosen(), declared, ()
    cluster = node_jobs_terms.cluster_of(options)
    node_jobs_terms.check_namespace(cluster)
    chosen = _chosen(options, cluster, named, declared)
    return chosen, declared, _asked(options, cluster, node_jobs_terms.with_priority(terms, cluster), chosen, workers)


def _shown(options: argparse.Namespace, named: node_jobs_named.Named) -> int:
    from nodeworthy.collect.in_cluster.chosen import Chosen

    terms, workers, declared = _asking(options)
    cluster = node_jobs_terms.cluster_of(options)
    is_nothing = options.recheck and not named.specs
    chosen = Chosen() if is_nothing else _chosen(options, cluster, named, declared)
    return node_jobs_dry_run.show(options, cluster, node_jobs_terms.with_priority(terms, cluster), chosen, workers)


def _asking(options: argparse.Namespace) -> tuple[Terms, int, Declared]:
    """All that can be wrong before a cluster is asked, a rule that does not exist too."""
    from nodeworthy.collect.node.durations import count
    from nodeworthy.collect.node.pools import Declared
    from nodeworthy.collect.source.fleets import Fleets

    terms, workers = node_jobs_terms.terms_of(options), count(options.max_workers)
    judging.chosen_rules(options)
    return terms, workers, Declared(Fleets(options.fleet, options.stack).asked_for(), options.pool)


def _chosen(options: argparse.Namespace, cluster: Cluster, named: node_jobs_named.Named, declared: Declared) -> Chosen:
    from nodeworthy.collect.in_cluster.chosen import choose

    return choose(cluster, [each.text for each in named.specs], options.selector, declared.fleet, options.pool)


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
