"""Looks at fresh machines and judges them: the same as `pytest nodes --hosts=…`.

HOST is ssh://[user@]host[:port] (the system's ssh: its config, agent and known hosts), local://,
docker://container, kubectl://pod?namespace=…, nsenter://PID or nsenter:///file-that-holds-it, node://NAME (a privileged
pod on that node, which is shown, bound in time and removed), ssm://i-… (AWS Systems Manager), ansible://GROUP of an
inventory (?ansible_inventory=FILE; by ssh), or replay:PATH of a recording that --record made, a file or a folder of
them. Each host is asked once, over one connection; one that does not answer costs its deadline.
"""

from __future__ import annotations

import importlib.util
import math
import sys
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from nodeworthy.commands import judging, settled
from nodeworthy.commands.node import in_cluster, progress, said, taint
from nodeworthy.commands.node.options import Options, refuse_of_jobs
from nodeworthy.commands.node.options import configure as configure
from nodeworthy.errors import MissingExtra
from nodeworthy.rule import Moment

if TYPE_CHECKING:
    from nodeworthy.collect.node.asked import AskedHost
    from nodeworthy.collect.node.collector import Asking
    from nodeworthy.collect.node.pools import Declared
    from nodeworthy.collect.node.reach import Reach
    from nodeworthy.collect.node.waiting import Progress
    from nodeworthy.commands.node.hosts import Meant
    from nodeworthy.commands.settled import Run
    from nodeworthy.facts.chain import Walk
    from nodeworthy.report.report import Report

# Where --record keeps what hosts said before they were rebooted.
BEFORE = "before-reboot"


def run(options: Options) -> int:
    if importlib.util.find_spec("testinfra") is None:
        raise MissingExtra("nodeworthy node", "nodes")
    refuse_of_jobs(options)
    if options.in_cluster:
        return in_cluster.run(options)
    from nodeworthy.collect.node.pools import Declared
    from nodeworthy.collect.source.fleets import Fleets
    from nodeworthy.commands.node.hosts import meant_hosts
    from nodeworthy.report.printable import on_one_line

    reach = _reach(options)
    hosts = meant_hosts(options, reach)
    server = taint.prepare(options, hosts.specs)
    declared = Declared(Fleets(options.fleet, options.stack).asked_for(), options.pool)
    for told in () if options.quiet else hosts.told:
        print(on_one_line(told), file=sys.stderr)
    asking = _asking(options, hosts, reach)
    if options.record == said.STDOUT:
        return said.run(options, hosts.specs, asking)
    run = judging.begin(options)
    settled.chosen_ids(run)  # a rule that does not exist is said before a host is asked
    look = _twice if options.reboot else _once
    asked, report = look(options, run, hosts, asking, declared)
    return taint.deliver(options, run, server, asked, report)


def _once(
    options: Options, run: Run, hosts: Meant, asking: Asking, declared: Declared
) -> tuple[Sequence[AskedHost], Report]:
    from nodeworthy.collect.node import collector
    from nodeworthy.commands.node import recordings

    watched = _progress(options, run, hosts, declared)
    if hosts.specs and recordings.are_all(options, hosts.specs):
        found = recordings.judge_all(run, hosts.specs, asking, declared, watched)
        if found.asked:
            report = judging.report_of(run, Moment.NODE, found.judgements, {"hosts": len(found.asked)})
            return found.asked, _in_report(hosts, report, found.walks)
    asked = collector.ask_all(hosts.specs, asking, watched)
    progress.leave()
    _record(options, asked, "")
    return asked, _judged(run, hosts, asked, declared)


def _twice(
    options: Options, run: Run, hosts: Meant, asking: Asking, declared: Declared
) -> tuple[Sequence[AskedHost], Report]:
    from nodeworthy.collect.node.rebooting import look_twice
    from nodeworthy.commands.node import reboot
    from nodeworthy.report.printable import printable

    reboot.agree(hosts.specs, yes=options.yes)
    asked = look_twice(hosts.specs, asking, _progress(options, run, hosts, declared))
    progress.leave()
    _record(options, asked.before, BEFORE)
    _record(options, asked.after, "")
    before, after = (_judged(run, hosts, each, declared) for each in (asked.before, asked.after))
    if not options.quiet:
        print(printable(reboot.tell_changes(before, after)), file=sys.stderr)
    return asked.after, reboot.compare_reports(before, after)


def _progress(options: Options, run: Run, hosts: Meant, declared: Declared) -> Progress | None:
    return progress.start_progress(options, hosts.specs, lambda each: _judged(run, hosts, [each], declared))


def _record(options: Options, asked: Sequence[AskedHost], folder: str) -> None:
    from nodeworthy.collect.node import collector

    if options.record:
        collector.record(asked, Path(options.record, folder), judging.write_private)


def _asking(options: Options, hosts: Meant, reach: Reach) -> Asking:
    from nodeworthy.collect.node.collector import Asking
    from nodeworthy.collect.node.durations import count, seconds

    return Asking(
        seconds(options.deadline),
        count(options.max_workers),
        options.ssh_config,
        options.ssh_identity_file,
        wait=seconds(options.wait) if options.wait else None,
        reach=reach,
        only=hosts.only,
    )


def _reach(options: Options) -> Reach:
    from nodeworthy.collect.node.durations import seconds
    from nodeworthy.collect.node.reach import IMAGE, Reach

    longest = seconds(options.wait or "0.1") + 4 * seconds(options.deadline) + 60
    return Reach(
        context=options.context,
        namespace=options.namespace,
        image=options.image or IMAGE,
        pod_seconds=math.ceil(longest),
        region=options.region,
        profile=options.profile,
        endpoint_url=options.endpoint_url,
        tell=_nobody if options.quiet else progress.tell,
    )


def _nobody(_: str) -> None:
    """Hears what --quiet leaves out."""


def _judged(run: Run, hosts: Meant, asked: Sequence[AskedHost], declared: Declared) -> Report:
    from nodeworthy.collect.node import collector
    from nodeworthy.collect.node.chain_seen import walks

    scenes = [collector.scene(each, declared) for each in asked] or [collector.nothing_asked(hosts.why_none)]
    report = judging.judge_scenes(run, Moment.NODE, scenes, {"hosts": len(asked)})
    return _in_report(hosts, report, walks(scenes))


def _in_report(hosts: Meant, report: Report, walked: Sequence[Walk]) -> Report:
    report = replace(report, walks=walked)
    if hosts.not_well is None:
        return report
    return replace(report, judgements=[each for each in report.judgements if hosts.not_well.concerns(each)])
