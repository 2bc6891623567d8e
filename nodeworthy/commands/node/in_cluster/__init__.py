"""`--in-cluster`: a Job on every node that is chosen, shown first and agreed to; what its pods say is judged here."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from nodeworthy.commands import judging, settled
from nodeworthy.commands.node import said, taint
from nodeworthy.commands.node.in_cluster import terms
from nodeworthy.commands.node.in_cluster.shown import refuse_others, show_dry
from nodeworthy.commands.node.in_cluster.terms import Named, named_nodes
from nodeworthy.commands.node.options import refuse_beside, refuse_idle
from nodeworthy.errors import InputError
from nodeworthy.report.printable import printable
from nodeworthy.rule import Moment

if TYPE_CHECKING:
    from nodeworthy.collect.in_cluster.chosen import Chosen
    from nodeworthy.collect.in_cluster.cluster import Cluster
    from nodeworthy.collect.in_cluster.job import Terms
    from nodeworthy.collect.node.asked import AskedHost
    from nodeworthy.collect.node.pools import Declared
    from nodeworthy.commands.node.hosts import NotWell
    from nodeworthy.commands.node.options import Options
    from nodeworthy.commands.settled import Run
    from nodeworthy.report.report import Report
    from nodeworthy.scene import Scene


def run(options: Options) -> int:
    refuse_idle(options)
    _refuse_others(options)
    if options.print_role:
        return _print_role(options)
    nodes = named_nodes(options)
    refuse_beside(options, nodes.specs)
    server = taint.prepare(options, nodes.specs)
    run = judging.begin(options)
    if options.dry_run:
        return _run_dry(options, run, nodes)
    chosen, declared, asked = _looked(options, run, nodes)
    if options.record == said.STDOUT:
        return said.print_answers(asked)
    if options.record:
        from nodeworthy.collect.node import collector

        collector.record(asked, Path(options.record), judging.write_private)
    report = _judged(run, list(_scenes(chosen, asked, declared)), len(asked), nodes.not_well)
    return taint.deliver(options, run, server, asked, report)


def _refuse_others(options: Options) -> None:
    if options.reboot:
        raise InputError("--in-cluster only reads: a pod does not outlive the --reboot of its node")
    if options.asg:
        raise InputError("--asg names instances, and --in-cluster is about nodes: choose them with --selector")
    if options.record == said.STDOUT:
        said.refuse_others(options)
    if options.dry_run:
        refuse_others(options)


def _print_role(options: Options) -> int:
    from nodeworthy.collect.in_cluster.role import manifests

    written = manifests(options.namespace, taints=options.taint)
    judging.hand_over(written, options.output)
    return 0


def _looked(options: Options, run: Run, nodes: Named) -> tuple[Chosen, Declared, Sequence[AskedHost]]:
    from nodeworthy.collect.in_cluster.chosen import Chosen

    asked, workers, declared = _asking(options, run)
    if options.recheck and not nodes.specs:
        return Chosen(), declared, ()
    cluster = terms.cluster_of(options.context, options.namespace)
    terms.check_namespace(cluster)
    chosen = _chosen(options, cluster, nodes, declared)
    return chosen, declared, _ask_nodes(options, cluster, terms.with_priority(asked, cluster), chosen, workers)


def _run_dry(options: Options, run: Run, nodes: Named) -> int:
    from nodeworthy.collect.in_cluster.chosen import Chosen

    asked, workers, declared = _asking(options, run)
    cluster = terms.cluster_of(options.context, options.namespace)
    is_nothing = options.recheck and not nodes.specs
    chosen = Chosen() if is_nothing else _chosen(options, cluster, nodes, declared)
    return show_dry(options, cluster, terms.with_priority(asked, cluster), chosen, workers)


def _asking(options: Options, run: Run) -> tuple[Terms, int, Declared]:
    """All that can be wrong before a cluster is asked, a rule that does not exist too."""
    from nodeworthy.collect.node.durations import count
    from nodeworthy.collect.node.pools import Declared
    from nodeworthy.collect.source.fleets import Fleets

    asked, workers = terms.terms_of(options), count(options.max_workers)
    settled.chosen_ids(run)
    return asked, workers, Declared(Fleets(options.fleet, options.stack).asked_for(), options.pool)


def _chosen(options: Options, cluster: Cluster, nodes: Named, declared: Declared) -> Chosen:
    from nodeworthy.collect.in_cluster.chosen import choose

    return choose(cluster, [each.text for each in nodes.specs], options.selector, declared.fleet, options.pool)


def _ask_nodes(options: Options, cluster: Cluster, terms: Terms, chosen: Chosen, workers: int) -> Sequence[AskedHost]:
    from nodeworthy.collect.in_cluster.looking import ask_all
    from nodeworthy.collect.node.asked import AskedHost
    from nodeworthy.collect.node.recording import Recording
    from nodeworthy.commands.node.in_cluster.shown import Progress, agree

    missing = [
        AskedHost(each, Recording(each, unreached=f"there is no such node in {cluster.server}"))
        for each in chosen.missing
    ]
    agree(options, cluster, terms, chosen, workers)
    if not chosen.nodes:
        return missing
    progress = Progress(quiet=options.quiet)
    return [*missing, *ask_all(cluster, terms, chosen.nodes, workers=workers, progress=progress, tell=_say)]


def _say(text: str) -> None:
    print(printable(text), file=sys.stderr, flush=True)


def _scenes(chosen: Chosen, asked: Sequence[AskedHost], declared: Declared) -> Iterator[Scene]:
    """One scene for each host. A host that opted out is skipped, and named."""
    from nodeworthy.collect.node import collector
    from nodeworthy.scene import make_scene
    from nodeworthy.verdict import Place

    yield from (collector.scene(each, declared) for each in asked)
    for host, label in chosen.opted_out.items():
        why = f"it opted out of verification, by its label {label}"
        yield make_scene([], collector.none_of(why, Place(host=host)))
    if not asked and not chosen.opted_out:
        yield collector.nothing_asked("; ".join(chosen.told) or "nothing is left to look at")


def _judged(run: Run, scenes: Sequence[Scene], hosts: int, not_well: NotWell | None) -> Report:
    report = judging.judge_scenes(run, Moment.NODE, scenes, {"hosts": hosts})
    if not_well is None:
        return report
    return replace(report, judgements=[each for each in report.judgements if not_well.concerns(each)])
