"""Prints the fleet as it was resolved: each pool with its GPUs, its containerd's paths, its boot script's kind.

The fleet is --fleet, or the Pulumi.<stack>.yaml of the folder that this runs in, upwards to the repository's root.
Where none is declared, it is what follows from the files there, or with --stack from what its program makes.
`fleet schema` prints the JSON Schema of such a file, for editors.

`fleet infer PATH…` prints the fleet that follows from what asks for nodes in files, or makes some: Terraform,
CloudFormation, eksctl, Karpenter, Cluster API, Talos, boot scripts, and many more; with --stack from what the Pulumi
program of this folder makes; with --from or --context from what a cluster's nodes say of themselves. Each line has
its evidence as a comment, and what nothing says is a question: the file is there to be completed and committed.
`--format json` says the same to programs, and `--format html` draws it as it would be kept.
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
    paths: list[str]
    dump: str | None
    context: str | None
    fleet: str | None
    stack: str | None
    format: str
    picture: bool


def configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "what",
        nargs="?",
        choices=("schema", "infer"),
        help="a fleet's JSON Schema, or what follows from evidence",
    )
    parser.add_argument("paths", nargs="*", metavar="PATH", help="of infer: the files and folders to look at (.)")
    parser.add_argument("--fleet", metavar="FILE", help="the fleet: a Pulumi.<stack>.yaml")
    parser.add_argument("--stack", metavar="NAME", help="the stack whose fleet it is")
    parser.add_argument("--from", metavar="PATH", dest="dump", help="of infer: a dump, a file of one, or -")
    parser.add_argument("--context", metavar="NAME", help="of infer: the kubeconfig's context to look at")
    parser.add_argument(
        "--format", choices=("text", "json", "html"), default="text", help="how it is written; html draws it"
    )
    parser.add_argument(
        "--picture", action="store_true", help="the picture in plain text, as a pull request's comment has it"
    )


def run(options: Options) -> int:
    if options.what == "schema":
        from nodeworthy.fleet.declaration import FLEET
        from nodeworthy.fleet.model import KEY
        from nodeworthy.fleet.schema import schema_of_stack

        print(json.dumps(schema_of_stack(FLEET, KEY), indent=2, ensure_ascii=False))
        return 0
    if options.what == "infer":
        return _infer(options)
    if options.stack and not options.fleet:
        from nodeworthy.collect.cloud.stacks import stack_without_fleet

        if stack_without_fleet(options.stack) is not None:
            return _of_its_program(options, options.stack)
    fleet = _chosen(options)
    return _show(options, fleet) if fleet is not None else _not_declared(options)


def _form(options: Options) -> str:
    return "picture" if options.picture and options.format == "text" else options.format


def _not_declared(options: Options) -> int:
    from nodeworthy.collect.source.fleets import NO_FLEET
    from nodeworthy.commands import inferring
    from nodeworthy.errors import InputError

    found = inferring.fleets_of_files(["."])
    if not found:
        raise InputError(NO_FLEET)
    print("nodeworthy fleet: no fleet is declared here; this is what follows from the files", file=sys.stderr)
    return inferring.print_fleets(found, _form(options))


def _of_its_program(options: Options, stack: str) -> int:
    from nodeworthy.commands import inferring

    print(f"nodeworthy fleet: stack {stack} declares no fleet; this is what follows from its program", file=sys.stderr)
    found = inferring.fleets_of_plan(stack)
    return inferring.print_fleets(found, _form(options)) if found is not None else 2


def _infer(options: Options) -> int:
    """Infers fleets from one thing at a time."""
    from nodeworthy.commands import inferring
    from nodeworthy.errors import InputError

    asked = {"PATH": options.paths, "--stack": options.stack, "--from": options.dump, "--context": options.context}
    given = [name for name, value in asked.items() if value]
    if len(given) > 1:
        raise InputError(f"a fleet is inferred from one of them: {' or '.join(given)}")
    if options.stack:
        found = inferring.fleets_of_plan(options.stack)
        return inferring.print_fleets(found, _form(options)) if found is not None else 2
    if options.dump or options.context:
        return inferring.print_fleets(inferring.fleets_of_cluster(options.context, options.dump), _form(options))
    return inferring.print_fleets(inferring.fleets_of_files(options.paths or ["."]), _form(options), of_files=True)


def _show(options: Options, fleet: Fleet) -> int:
    from nodeworthy.report import fleet as report
    from nodeworthy.report.printable import escape_json, printable

    if options.format == "html":
        from nodeworthy.report.fleet_html import html
        from nodeworthy.report.fleet_picture import picture_of

        sys.stdout.write(html(picture_of(fleet)))
    elif options.picture:
        from nodeworthy.report.fleet_picture import picture_of, text_picture

        sys.stdout.write(printable(text_picture(picture_of(fleet))))
    elif options.format == "json":
        print(escape_json(json.dumps(report.as_data(fleet), indent=2, ensure_ascii=False)))
    else:
        sys.stdout.write(printable(report.text(fleet)))
    return 0


def _chosen(options: Options) -> Fleet | None:
    """None where nobody declares any; of several somebody must choose."""
    from nodeworthy.collect.source.fleets import NO_FLEET, Fleets
    from nodeworthy.errors import InputError

    choice = Fleets(options.fleet, options.stack).beside(Path.cwd())
    if choice.fleet is None and choice.why != NO_FLEET:
        raise InputError(choice.why)
    return choice.fleet
