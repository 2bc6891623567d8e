"""`diagnose --fix` and `--undo`: their options, who is asked, and what does not go with them."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from nodeworthy.commands.asking import ask_yes
from nodeworthy.commands.watching import seconds_to_wait
from nodeworthy.errors import InputError

if TYPE_CHECKING:
    from nodeworthy.collect.cluster.seen import ClusterObjects
    from nodeworthy.commands import diagnose
    from nodeworthy.commands.settled import Run
    from nodeworthy.repair.change import World
    from nodeworthy.repair.run import Looked, Repair
    from nodeworthy.report.report import Report

Look = Callable[[], "tuple[ClusterObjects, Report]"]


class Options:
    fix: bool
    dry_run: bool
    yes: bool
    wait: int | None
    chart: str | None
    undo: str | None


def configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--fix", action="store_true", help="mend what is understood: shows it, asks, waits, verifies")
    parser.add_argument("--dry-run", action="store_true", help="with --fix or --undo: show the change, make none")
    parser.add_argument("--yes", action="store_true", help="with --fix: do not ask")
    parser.add_argument(
        "--wait", metavar="SECONDS", type=seconds_to_wait, help="with --fix: how long it may take to help (300)"
    )
    parser.add_argument(
        "--chart", metavar="CHART", help="with --fix: the GPU operator's chart, as helm upgrade takes it"
    )
    parser.add_argument("--undo", metavar="FILE", help="put back what --fix has changed, from the file that it kept")


def is_asked_for(options: diagnose.Options) -> bool:
    """Whether anything is to be mended, or put back. Raises InputError where options do not go together."""
    for name, given in (("--yes", options.yes), ("--wait", options.wait), ("--chart", options.chart)):
        if given and not options.fix:
            raise InputError(f"{name} is for --fix")
    if options.dry_run and not (options.fix or options.undo):
        raise InputError("--dry-run is for --fix or --undo")
    if options.fix and options.undo:
        raise InputError("--fix and --undo are two things: one at a time")
    if options.fix or options.undo:
        _refuse_reports(options)
        return True
    return False


def _refuse_reports(options: diagnose.Options) -> None:
    what = "--undo" if options.undo else "--fix"
    given = {
        "--format": options.format != "text" and not (_is_json(options) and options.fix and options.dry_run),
        "--output": options.output,
        "--also": options.also,
        "--record": options.record,
        "--ledger": options.ledger,
        "--print-role": options.print_role,
    }
    for name, is_given in given.items():
        if is_given:
            raise InputError(f"{name} is for a diagnosis; {what} tells people what it does")
    if options.folder is not None and not (options.fix and options.dry_run):
        raise InputError(f"{what} changes a cluster, and --from looks at none (--fix --dry-run shows what it would do)")
    if options.fix and not (options.dry_run or options.yes or sys.stdin.isatty()):
        raise InputError(
            "--fix asks before it changes anything, and there is no terminal: look at --fix --dry-run, then --yes"
        )


def fix(options: diagnose.Options, run: Run, look: Look) -> int:
    from nodeworthy.collect.cluster.kinds import CLUSTER_POLICIES
    from nodeworthy.repair.helm import Helm
    from nodeworthy.repair.record import RecordedWorld
    from nodeworthy.repair.run import Looked, Repair
    from nodeworthy.repair.server import Server

    def looked(found: tuple[ClusterObjects, Report]) -> Looked:
        seen, report = found
        policies = [name for _, name in seen.documents[CLUSTER_POLICIES]]
        return Looked(report.judgements, policies, run.exit_code(report))

    def agreed(question: str) -> bool:
        return options.yes or ask_yes(question)

    first = look()
    server = Server(options.context) if options.folder is None else None
    helm = Helm.found(options.context, options.chart) if server else None
    repair = Repair(lambda: looked(look()), agreed, server, helm, options.wait or 300, _say)
    world = server or RecordedWorld(first[0])
    if options.dry_run and _is_json(options):
        return _tell_as_data(repair, looked(first), world)
    return repair.preview(looked(first), world) if options.dry_run else repair.fix(looked(first), world)


def _is_json(options: diagnose.Options) -> bool:
    return options.format == "json"


def _tell_as_data(repair: Repair, before: Looked, world: World) -> int:
    from nodeworthy.repair.run import preview_as_data
    from nodeworthy.report.printable import escape_json

    data, code = preview_as_data(repair, before, world)
    sys.stdout.write(escape_json(json.dumps(data, indent=2, ensure_ascii=False)) + "\n")
    return code


def undo(options: diagnose.Options, file: str) -> int:
    from nodeworthy.repair import undo as putting_back
    from nodeworthy.repair.helm import Helm
    from nodeworthy.repair.record import read_state
    from nodeworthy.repair.server import Server

    path = Path(file)
    read_state(path)  # a file that is none of ours is said before a cluster is asked
    server, helm = Server(options.context), Helm.found(options.context, None)
    return (
        putting_back.would_undo(path, server, _say) if options.dry_run else putting_back.undo(path, server, helm, _say)
    )


def _say(text: str) -> None:
    from nodeworthy.report.printable import printable

    sys.stdout.write(printable(text))
    sys.stdout.flush()
