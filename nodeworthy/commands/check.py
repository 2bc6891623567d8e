"""Reads files and folders and judges them. No cloud, no cluster, no Pulumi, no network.

What a file is, is seen from what stands in it and not from its name. The fleet to judge by is --fleet, or
the Pulumi.<stack>.yaml beside the files, upwards to the repository's root.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from nodeworthy.commands import baselined, check_fix, judging, settled
from nodeworthy.commands.out_of_the_tree import tell_of_links, tell_of_named
from nodeworthy.errors import InputError
from nodeworthy.report.kinds import kinds_of
from nodeworthy.report.printable import on_one_line
from nodeworthy.report.report import Report
from nodeworthy.rule import Moment

if TYPE_CHECKING:
    from nodeworthy.collect.source.cache import Memory
    from nodeworthy.collect.source.files import Source


def configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("paths", nargs="*", metavar="PATH", help="files and folders; - is standard input")
    parser.add_argument("--changed", nargs="*", metavar="FILE", help="for hooks: passes over files of no known kind")
    check_fix.configure(parser)
    judging.configure(parser)
    baselined.configure(parser)


def run(options: argparse.Namespace) -> int:
    from nodeworthy.collect.source.files import sources

    settled.settle(options)
    hook = options.changed is not None
    paths = [*options.paths, *(options.changed or ())]
    if not paths and not hook:
        raise InputError("name what to check: files, folders, or - for standard input")
    mends = check_fix.is_asked_for(options, paths)
    found = settled.not_excluded(options, sources(paths, named=not hook))
    tell_of_links(found)
    if mends:
        return check_fix.run(options, paths, found)
    memory = _memory(options, paths, found)
    known = memory.answer() if memory is not None else None
    if known is not None:
        not_read = kinds_of(known.nothing)
        return _deliver(options, Report(Moment.SOURCE, known.judgements, known.counts, not_read=not_read), paths)
    return _look(options, paths, found, memory)


def _memory(options: argparse.Namespace, paths: list[str], found: Sequence[Source]) -> Memory | None:
    """What an earlier call with the same words has left behind. How a report is written is no part of it."""
    if options.no_cache:
        return None
    from nodeworthy.collect.source.cache import memory

    asked = ("changed", "fleet", "stack", "rule", "skip_rule", "ignore_suppressions")
    return memory(paths, found, {**{name: getattr(options, name) for name in asked}, **settled.stamps(options)})


def _look(options: argparse.Namespace, paths: list[str], found: Sequence[Source], memory: Memory | None) -> int:
    from nodeworthy.collect.source.collector import look_at
    from nodeworthy.collect.source.fleets import Fleets

    fleets = Fleets(options.fleet, options.stack, by_settings=not options.no_settings)
    looked = look_at(found, fleets, settled.ids_of(options), memory.nothing if memory is not None else frozenset())
    if options.changed is not None and not looked.scenes and not looked.refused:
        changed = len([*options.paths, *options.changed])
        print(f"nodeworthy check: none of {changed} changed files is of a kind that it knows", file=sys.stderr)
        return 0
    report = judging.judged(options, Moment.SOURCE, looked.scenes, looked.counts)
    code = _deliver(options, replace(report, not_read=kinds_of(looked.nothing)), paths)
    for why in looked.scopes.incomplete:
        print(f"nodeworthy check: evidence was looked for in a part of the files: {on_one_line(why)}", file=sys.stderr)
    tell_of_named(looked.out_of_the_tree)
    for refused in looked.refusals():
        print(f"nodeworthy check: {on_one_line(refused)}", file=sys.stderr)
    if memory is not None and not looked.refused and not looked.out_of_the_tree:
        memory.keep(report.judgements, looked.counts, looked.nothing, [*fleets.files, *looked.asked_for])
    return 2 if looked.refused else code


def _deliver(options: argparse.Namespace, report: Report, paths: Sequence[str]) -> int:
    return judging.deliver(options, baselined.laid_over(options, report, paths))
