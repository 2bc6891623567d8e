"""Reads files and folders and judges them. No cloud, no cluster, no Pulumi, no network.

What a file is, is seen from what stands in it and not from its name. The fleet to judge by is --fleet, or
the Pulumi.<stack>.yaml beside the files, upwards to the repository's root.
"""

from __future__ import annotations

import argparse
import sys

from nodeworthy.commands import judging
from nodeworthy.rule import Moment


def configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("paths", nargs="*", metavar="PATH", help="files and folders; - is standard input")
    parser.add_argument("--changed", nargs="*", metavar="FILE", help="for hooks: passes over files of no known kind")
    judging.configure(parser)


def run(options: argparse.Namespace) -> int:
    from nodeworthy.collect.source.collector import look
    from nodeworthy.collect.source.fleets import Fleets
    from nodeworthy.errors import InputError
    from nodeworthy.rules import ids as rule_ids

    hook = options.changed is not None
    paths = [*options.paths, *(options.changed or ())]
    if not paths and not hook:
        raise InputError("name what to check: files, folders, or - for standard input")
    ids = frozenset(rule_ids())
    looked = look(paths, Fleets(options.fleet, options.stack), ids, named=not hook)
    if hook and not looked.scenes and not looked.refused:
        print(f"nodeworthy check: none of {len(paths)} changed files is of a kind that it knows", file=sys.stderr)
        return 0
    report = judging.judged(options, Moment.SOURCE, looked.scenes, looked.counts)
    code = judging.deliver(options, report)
    for refused in looked.refused:
        print(f"nodeworthy check: {refused}", file=sys.stderr)
    return 2 if looked.refused else code
