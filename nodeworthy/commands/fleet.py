"""Prints the fleet as it was resolved: each pool with its GPUs, its containerd's paths, its boot script's kind.

The fleet is --fleet, or the Pulumi.<stack>.yaml of the folder that this runs in, upwards to the repository's root.
`fleet schema` prints the JSON Schema of such a file, for editors.
"""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from nodeworthy.fleet.model import Fleet


class Options:
    what: str | None
    fleet: str | None
    stack: str | None
    format: str
    picture: bool


def configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("what", nargs="?", choices=("schema",), help="schema: the JSON Schema of a fleet")
    parser.add_argument("--fleet", metavar="FILE", help="the fleet: a Pulumi.<stack>.yaml")
    parser.add_argument("--stack", metavar="NAME", help="the stack whose fleet it is")
    parser.add_argument(
        "--format", choices=("text", "json", "html"), default="text", help="how it is written; html draws it"
    )
    parser.add_argument(
        "--picture", action="store_true", help="the picture in plain text, as a pull request's comment has it"
    )


def run(options: Options) -> int:
    if options.what == "schema":
        from nodeworthy.fleet.declaration import FLEET, KEY
        from nodeworthy.fleet.schema import schema_of_stack

        print(json.dumps(schema_of_stack(FLEET, KEY), indent=2, ensure_ascii=False))
        return 0
    from nodeworthy.report import fleet as report
    from nodeworthy.report.printable import escaped, printable

    fleet = _chosen(options)
    if options.format == "html":
        from nodeworthy.report.fleet_html import html
        from nodeworthy.report.fleet_picture import picture_of

        sys.stdout.write(html(picture_of(fleet)))
    elif options.picture:
        from nodeworthy.report.fleet_picture import picture_of, text_picture

        sys.stdout.write(printable(text_picture(picture_of(fleet))))
    elif options.format == "json":
        print(escaped(json.dumps(report.as_data(fleet), indent=2, ensure_ascii=False)))
    else:
        sys.stdout.write(printable(report.text(fleet)))
    return 0


def _chosen(options: Options) -> Fleet:
    from nodeworthy.collect.source.fleets import Fleets
    from nodeworthy.errors import InputError

    choice = Fleets(options.fleet, options.stack).beside(Path.cwd())
    if choice.fleet is None:
        raise InputError(choice.why)
    return choice.fleet
