"""`--taint`: what does not go with it, who is asked, and which node of the cluster each host is."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from functools import partial
from typing import TYPE_CHECKING

from nodeworthy.commands import judging
from nodeworthy.commands.asking import ask_yes
from nodeworthy.errors import InputError
from nodeworthy.report.printable import printable

if TYPE_CHECKING:
    from nodeworthy.collect.node.asked import AskedHost
    from nodeworthy.collect.node.specs import Spec
    from nodeworthy.commands.node.options import Options
    from nodeworthy.commands.settled import Run
    from nodeworthy.repair.server import Server
    from nodeworthy.repair.tainting import Host
    from nodeworthy.report.report import Report

REFUSED = 3


def prepare(options: Options, hosts: Sequence[Spec]) -> Server | None:
    """The cluster to write to, None where nobody asks for it. Raises before any host is asked."""
    if not options.taint:
        if options.dry_run and not options.in_cluster:
            raise InputError("--dry-run is for --taint and --in-cluster")
        return None
    _refuse_parts(options)
    for each in hosts:
        _refuse_others(each)
    if not (options.dry_run or options.yes or sys.stdin.isatty()):
        raise InputError(
            "--taint asks before it changes a node, and there is no terminal: look at --taint --dry-run, then --yes"
        )
    from nodeworthy.repair.server import Server

    return Server(options.context)


def _refuse_parts(options: Options) -> None:
    """A node that is verified was looked at as a whole: what schedules by the label asks for no footnotes."""
    for name, given in (("--rule", options.rule), ("--skip-rule", options.skip_rule), ("--recheck", options.recheck)):
        if given:
            raise InputError(f"{name} looks at a part, and --taint is about the whole node: one without the other")


def _refuse_others(spec: Spec) -> None:
    if spec.recording is not None:
        raise InputError(f"--taint is about nodes as they are, and replay:{spec.recording} is a recording")
    if "context=" in spec.text or "kubeconfig=" in spec.text:
        raise InputError(f"--taint is about one cluster: --context names it, not {spec.text}")


def deliver(options: Options, run: Run, server: Server | None, asked: Iterable[AskedHost], report: Report) -> int:
    """Writes the report, and marks the nodes where somebody asks for it: the exit code of both together."""
    code = _deliver_with_chains(options, run, report)
    if server is None:
        return code
    from nodeworthy.collect.source.fleets import Fleets
    from nodeworthy.repair.gate import gate_of
    from nodeworthy.repair.standing import mark_edits, standing
    from nodeworthy.repair.tainting import Looked, Tainting

    looked = [
        Looked(_host(each), standing(each.name, report.judgements, strict=run.strict))
        for each in {each.name: each for each in asked}.values()
    ]
    marks = partial(mark_edits, gate=gate_of(Fleets(options.fleet, options.stack).asked_for()))
    tainting = Tainting(server, lambda question: options.yes or ask_yes(question), say, datetime.now(UTC), marks)
    return code if tainting.mark(looked, dry=options.dry_run) else REFUSED


# Of so many hosts all links are drawn; of more only those whose chain broke are named.
_DRAWN = 3


def _deliver_with_chains(options: Options, run: Run, report: Report) -> int:
    """The report, with the chains from card to pod."""
    if not report.walks:
        return judging.deliver(options, run, report)
    from nodeworthy.report import chain
    from nodeworthy.report.markdown import BesideFindings

    chains = chain.chains_of_hosts(report.walks, report.judgements)
    if judging.wants(options, "json"):
        report = replace(report, extra={**report.extra, "chains": [chain.as_data(each) for each in chains]})
    colour = judging.wants_colour(no_color=options.no_color) and not options.output
    drawn = len(chains) <= _DRAWN
    heading = "\n".join(chain.picture(each, colour=colour) for each in chains) if drawn else chain.in_lines(chains)
    return judging.deliver(options, run, report, heading, BesideFindings(chains=chain.for_page(chains)))


def _host(asked: AskedHost) -> Host:
    from nodeworthy.repair.tainting import Host

    return Host(asked.name, _printed_part(asked, "name"), _printed_part(asked, "boot id"))


def _printed_part(asked: AskedHost, name: str) -> str:
    part = asked.recording.part(name) if asked.recording is not None else None
    return part.stdout.strip() if part is not None and part.code == 0 else ""


def say(text: str) -> None:
    print(printable(text), end="", file=sys.stderr, flush=True)
