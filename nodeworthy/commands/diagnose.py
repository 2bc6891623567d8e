"""Reads Kubernetes and names causes. Changes nothing, unless --fix says so.

Without --from it looks at the cluster of the current context, as kubectl would; with --from at what `kubectl get` (`-o
json` or `-o yaml`), `kubectl cluster-info dump`, a must-gather or --record wrote, `kubectl describe` of some objects or
the table of `kubectl get pods`: a folder, one file, or - for standard input. --print-collect prints the one command
that makes what is needed, for whoever reaches the cluster.

The rights that it needs are those that --print-role prints; secrets are never read, and of logs only the ends of those
that a rule needs.

--watch stays, looks again every 15 seconds, and tells what is new, what changed and what is gone, until Ctrl-C; then
the exit code is that of the last state. A server that does not answer is said, and nothing counts as gone meanwhile.
With --format brief it writes the messages to people when they are due: the first, an update every 15 minutes or when
something new breaks, and the resolution once two looks found nothing.

--node draws the chain of one node from its cards to its pods: which links are well, which broke first, and what nobody
looked at. What hangs behind the broken one is its victim.

--prometheus asks what GPUs did within the last hour. Its bearer token is read from NODEWORTHY_PROMETHEUS_TOKEN and sent
over TLS only; SSL_CERT_FILE names an authority of one's own.

--fix mends what it understands and nothing else: the operator's toolkit.env, a lock that HAMi left on a node, a label
or a taint that a remedy names. It shows the change, asks, keeps what was there in a file, waits, judges again, and puts
that back if it did not help. What Helm made is changed through helm; what Flux or Argo CD made is only printed.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, TypeVar

from nodeworthy.backstop import TookTooLong, call_bounded, watch_time
from nodeworthy.commands import judging, repairing, settled, watching
from nodeworthy.limits import SECONDS_TOGETHER
from nodeworthy.rule import Moment, Rule
from nodeworthy.verdict import Verdict

if TYPE_CHECKING:
    from nodeworthy.collect.cluster.seen import ClusterObjects
    from nodeworthy.commands.settled import Run
    from nodeworthy.facts.cluster.ledger import Ledger
    from nodeworthy.report.chain import Chain
    from nodeworthy.report.report import Report

T = TypeVar("T")
# Only here are there people who wait for what broke.
FORMATS = (*judging.FORMATS, "brief")


class Options(watching.Options, repairing.Options, judging.Options):
    namespace: str | None
    context: str | None
    max_workers: int
    prometheus: str | None
    record: str | None
    folder: str | None
    ledger: bool
    node: str | None
    print_role: bool
    print_collect: bool


def configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--namespace", metavar="NAME", help="look into this namespace only")
    parser.add_argument("--context", metavar="NAME", help="the kubeconfig's context (the current one)")
    parser.add_argument("--max-workers", metavar="N", type=_workers, default=4, help="kinds read side by side (4)")
    parser.add_argument("--prometheus", metavar="URL", help="ask it what GPUs do (token: NODEWORTHY_PROMETHEUS_TOKEN)")
    parser.add_argument("--record", metavar="DIR", help="keep what was read, without secrets")
    parser.add_argument(
        "--from", metavar="PATH", dest="folder", help="look at a dump instead of a cluster: a folder, a file, or -"
    )
    parser.add_argument("--ledger", action="store_true", help="tell who holds which GPUs, what is free, what waits")
    parser.add_argument("--node", metavar="NAME", help="draw this node's chain from card to pod")
    parser.add_argument("--print-role", action="store_true", help="print the rights that this needs, for kubectl apply")
    parser.add_argument(
        "--print-collect", action="store_true", help="print the one command that makes what --from reads"
    )
    watching.configure(parser)
    repairing.configure(parser)
    judging.configure(parser, FORMATS)


def _workers(text: str) -> int:
    number = int(text) if text.isdecimal() else 0
    if not 1 <= number <= 64:
        raise argparse.ArgumentTypeError(f"{text!r} is no number from 1 to 64")
    return number


def run(options: Options) -> int:
    watching.check(options)
    with watch_time():
        return _run(options)


def _run(options: Options) -> int:
    mends = repairing.is_asked_for(options)
    if options.undo:  # whatever the settings are
        return repairing.undo(options, options.undo)
    run = judging.begin(options)
    if mends:
        return repairing.fix(options, run, lambda: _looked(options, run))
    if options.watch:
        return watching.run(options, run, lambda: _report_and_foreword(options, run))
    if options.print_collect:
        return _print_collect(options)
    return _print_role(options, run) if options.print_role else _diagnose(options, run)


def _print_role(options: Options, run: Run) -> int:
    from nodeworthy.collect.cluster.role import manifests
    from nodeworthy.errors import InputError

    for name, given in (("--context", options.context), ("--record", options.record), ("--from", options.folder)):
        if given is not None:
            raise InputError(f"{name} is for a diagnosis; --print-role looks at nothing")
    written = manifests(options.namespace, logs=_need_logs(judging.every_chosen_rule(run)))
    judging.hand_over(written, options.output)
    return 0


def _print_collect(options: Options) -> int:
    from nodeworthy.collect.cluster.gathering import gathering

    sys.stdout.write(gathering(options.namespace, options.context))
    return 0


def _diagnose(options: Options, run: Run) -> int:
    from nodeworthy.report import ledger as written

    seen, report = _looked(options, run)
    report = _with_sightings(report, seen) if judging.wants(options, "brief") else report
    told = _ledger(seen)
    chains = _chains(options, seen, report)
    beside = None
    if judging.wants(options, "html") or judging.wants(options, "markdown"):
        from nodeworthy.report.chain import for_page
        from nodeworthy.report.markdown import BesideFindings

        beside = BesideFindings(blocks={"The GPUs": written.text(told)}, chains=for_page(chains))
    heading = _heading(options, seen, report, told, chains)
    whole = replace(_with_more(options, report, told, chains), next=_next(options, report, chains))
    code = judging.deliver(options, run, whole, heading, beside)
    _tell_of_inference(options, seen)
    return code


def _next(options: Options, report: Report, chains: Sequence[Chain]) -> str:
    """What somebody types who has read this answer."""
    from shlex import quote

    of = f" --from {quote(options.folder)}" if options.folder else ""
    if options.folder and any(each.rule == "looked-at" for each in report.findings):
        return "nodeworthy diagnose --print-collect, which prints what makes the rest of the dump"
    broken = next((each.walk.name for each in chains if each.broken is not None), None)
    if broken is not None and options.node is None:
        return f"nodeworthy diagnose{of} --node {quote(broken)}"
    if any(each.verdict is Verdict.FAIL for each in report.findings) and not of:
        return "nodeworthy diagnose --fix --dry-run, which shows what it would mend and changes nothing"
    return "" if options.ledger or not report.evaluated["verdicts"] else f"nodeworthy diagnose{of} --ledger"


def _tell_of_inference(options: Options, seen: ClusterObjects) -> None:
    """Where toolkits were judged by what the nodes say of themselves."""
    if options.fleet is not None or options.stack is not None or not seen.toolkits:
        return
    from nodeworthy.commands.told_inference import runs, tell
    from nodeworthy.facts.cluster.pools_of_nodes import pools_of_nodes

    of = f"--from {options.folder}" if options.folder else f"--context {options.context or 'NAME'}"
    pools = (told for each in pools_of_nodes(seen.nodes.values()) if (told := runs(each)))
    tell("diagnose", pools, f"nodeworthy fleet infer {of}")


def _report_and_foreword(options: Options, run: Run) -> tuple[Report, str]:
    """The report, and what people read before it."""
    seen, report = _looked(options, run)
    report = _with_sightings(report, seen) if judging.wants(options, "brief") else report
    told, chains = _ledger(seen), _chains(options, seen, report)
    return _with_more(options, report, told, chains), _heading(options, seen, report, told, chains)


def _heading(options: Options, seen: ClusterObjects, report: Report, told: Ledger, chains: Sequence[Chain]) -> str:
    from nodeworthy.report import chain
    from nodeworthy.report import ledger as written

    whole = written.text(told) if options.ledger else written.in_a_line(told)
    if options.node is None:
        drawn = _nodes(seen, report, chains) + chain.in_lines(chains)
    else:
        colour = judging.wants_colour(no_color=options.no_color) and not options.output
        drawn = "\n".join(chain.picture(each, colour=colour) for each in chains)
    return "\n".join(filter(None, (whole, drawn)))


def _nodes(seen: ClusterObjects, report: Report, chains: Sequence[Chain]) -> str:
    from nodeworthy.report.nodes_told import nodes_told

    nodes = sorted((each for each in seen.capacity.nodes.values() if each.has_gpus), key=lambda each: each.name)
    blind = any(each.rule == "looked-at" or each.verdict is Verdict.ERROR for each in report.findings)
    return nodes_told(nodes, chains, saw_all=not blind, by_claims=seen.claims_devices)


def _with_more(options: Options, report: Report, told: Ledger, chains: Sequence[Chain]) -> Report:
    """What only a program reads whole; of nodes whose chain holds nothing, unless one was asked for."""
    from nodeworthy.report import chain
    from nodeworthy.report import ledger as written

    if not judging.wants(options, "json"):
        return report
    drawn = [chain.as_data(each) for each in chains if options.node is not None or each.broken is not None]
    return replace(report, extra={**report.extra, "ledger": written.as_data(told), "chains": drawn})


def _chains(options: Options, seen: ClusterObjects, report: Report) -> list[Chain]:
    """The chains of every node about which something was found, or of the one that was asked for."""
    from nodeworthy.collect.cluster.chain_seen import ChainSeen
    from nodeworthy.errors import InputError
    from nodeworthy.report.chain import Whereabouts, chains_of_nodes

    looked = ChainSeen(seen)
    if options.node is not None and looked.walk(options.node) is None:
        with_gpus = ", ".join(looked.names[:5]) + (" …" if len(looked.names) > 5 else "")
        have = f"nodes with GPUs are {with_gpus}" if with_gpus else "no node with GPUs is there"
        raise InputError(f"--node {options.node}: no such node is in what was read; {have}")
    known = Whereabouts(looked.names, looked.nodes_of)
    return chains_of_nodes(known, report.judgements, looked.walk, options.node)


def _looked(options: Options, run: Run) -> tuple[ClusterObjects, Report]:
    from nodeworthy.collect.cluster.scenes import scenes
    from nodeworthy.collect.source.fleets import Fleets

    chosen = judging.every_chosen_rule(run)  # a rule that does not exist is said before a cluster is asked
    fleet = Fleets(options.fleet, options.stack).asked_for()
    if options.prometheus is not None:
        from nodeworthy.collect.cluster.prometheus import check

        check(options.prometheus)
    seen = _look(options, chosen)
    rules = settled.ids_of(run)
    found = _whole(scenes, seen, fleet, _asked_about(chosen, options.rule), rules)
    return seen, judging.judge_scenes(run, Moment.CLUSTER, found, {"objects": seen.objects})


def _ledger(seen: ClusterObjects) -> Ledger:
    from nodeworthy.collect.cluster.capacity import ledger_of

    return _whole(ledger_of, seen)


def _whole(function: Callable[..., T], *arguments: Any) -> T:
    """Calls what looks at a cluster as a whole. Of a part of it nothing could be told."""
    from nodeworthy.errors import CouldNotLook

    try:
        return call_bounded(function, *arguments, seconds=SECONDS_TOGETHER)
    except TookTooLong as problem:
        raise CouldNotLook(f"what was read of the cluster was not judged: {problem.why}") from None


def _need_logs(rules: Iterable[Rule]) -> bool:
    return any(each.reads_logs for each in rules)


def _asked_about(rules: Iterable[Rule], named: Collection[str]) -> frozenset[type[Any]]:
    """What rules judge that were asked for by name, less what gives way to better facts."""
    checks = (check for each in rules if each.id in named for check in each.checks)
    return frozenset(check.subject for check in checks if check.unless is None)


def _with_sightings(report: Report, seen: ClusterObjects) -> Report:
    failed = [each for each in report.findings if each.verdict is Verdict.FAIL and not each.suppressed]
    named = [name for each in failed for name in (each.where.object, *each.victims) if name]
    return replace(report, sightings=tuple(seen.sighted.of(named, seen.pods)))


def _look(options: Options, rules: Sequence[Rule]) -> ClusterObjects:
    from nodeworthy.errors import InputError

    if options.folder is None:
        from nodeworthy.collect.cluster import live

        asked = options.context, options.namespace, options.max_workers, options.record
        return live.look(*asked, with_logs=_need_logs(rules), measured_by=options.prometheus)
    given_too = {"--context": options.context, "--record": options.record, "--prometheus": options.prometheus}
    for name, given in given_too.items():
        if given is not None:
            raise InputError(f"{name} is for a cluster; --from looks at none")
    from nodeworthy.collect.cluster import dump

    return dump.look(options.folder, options.namespace)
