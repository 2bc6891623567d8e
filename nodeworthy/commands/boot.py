"""Prints the timeline of a boot script: when, where, what, under which condition, and what a rule objects to.

Any user data: shell, MIME multipart, cloud-config, NodeConfig, Bottlerocket's TOML, gzip and base64 around them,
Terraform templates. - is standard input. Exit codes: 0 read whole, 3 something was not understood.
"""

from __future__ import annotations

import argparse
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from nodeworthy.facts.boot.script import BootScript
    from nodeworthy.verdict import Finding


class Options:
    file: str
    format: str
    output: str | None
    fleet: str | None
    stack: str | None
    no_color: bool


def configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("file", metavar="FILE", help="the user data; - is standard input")
    parser.add_argument("--format", choices=("text", "json"), default="text", help="how it is written")
    parser.add_argument("--output", metavar="FILE", help="where it is written (standard output)")
    parser.add_argument("--fleet", metavar="FILE", help="the fleet to judge by: a Pulumi.<stack>.yaml")
    parser.add_argument("--stack", metavar="NAME", help="the stack whose fleet it is")
    parser.add_argument("--no-color", action="store_true", help="no colours (also NO_COLOR)")


def run(options: Options) -> int:
    from nodeworthy.backstop import TookTooLong, watch_time
    from nodeworthy.errors import CouldNotLook

    try:
        with watch_time():
            return _run(options)
    except TookTooLong as problem:
        raise CouldNotLook(f"{options.file}: {problem.why}") from None


def _run(options: Options) -> int:
    from nodeworthy.backstop import call_bounded
    from nodeworthy.boot.effects import NotUnderstood
    from nodeworthy.commands.judging import hand_over

    script = call_bounded(_script, options)
    call_bounded(_refuse_unread, script)
    _refuse_what_is_for_check(script)
    findings = _findings(script)
    shown = call_bounded(_timeline_report, options, script, findings)
    hand_over(shown, options.output)
    gaps = any(isinstance(each, NotUnderstood) for each in script.timeline.effects)
    return 3 if gaps or not script.userdata.parts or any(each.is_doubt for each in script.userdata.faults) else 0


def _timeline_report(options: Options, script: BootScript, findings: Sequence[Finding]) -> str:
    from nodeworthy.commands.judging import wants_colour
    from nodeworthy.redaction import hide_secrets
    from nodeworthy.report.timeline import timeline_as_json, timeline_text

    # One condition stands above many steps.
    hide = cache(hide_secrets)

    if options.format == "json":
        return timeline_as_json(script, findings, hide)
    colour = wants_colour(no_color=options.no_color) and not options.output
    return timeline_text(script, findings, hide, colour=colour)


def _script(options: Options) -> BootScript:
    from nodeworthy.boot.unpack import unpack
    from nodeworthy.collect.source.files import STDIN, Source, Unreadable, read_bytes, shown_path
    from nodeworthy.collect.source.fleets import Fleets
    from nodeworthy.collect.source.script_files import variables_of
    from nodeworthy.errors import InputError
    from nodeworthy.facts.boot.pools import in_fleet
    from nodeworthy.facts.boot.script import BootScript
    from nodeworthy.verdict import Place

    path = Path(options.file)
    name = STDIN if options.file == STDIN else shown_path(path)
    if path.is_dir():
        raise InputError(f"{name} is a folder; boot reads one file")
    try:
        source = Source(path, name, named=True)
        data = read_bytes(source)
    except Unreadable as problem:
        raise InputError(f"{name} {problem.why}") from None
    _refuse_what_holds_one(data, name)
    place = Place(path=name)
    choice = Fleets(options.fleet, options.stack).of(source)
    read = unpack(data, place, name=path.name, variables=variables_of(source, data))
    script = BootScript(place, read, surroundings=source.scope)
    return in_fleet(script, choice.fleet, choice.why)


def _refuse_what_holds_one(data: bytes, name: str) -> None:
    """What hands user data over is none itself, and would be read as a shell would read it."""
    from nodeworthy.collect.source.boot_scripts import holder_of_user_data
    from nodeworthy.errors import InputError

    holder = holder_of_user_data(data, name)
    if holder is not None:
        raise InputError(f"{name} {holder}")


def _refuse_unread(script: BootScript) -> None:
    """There is no timeline of what can't be unpacked."""
    from nodeworthy.errors import CouldNotLook

    userdata = script.userdata
    if userdata.unread:
        told = [each.message for each in userdata.faults if userdata.unread in each.message] or [userdata.unread]
        raise CouldNotLook(f"{script.place}: {told[0]}")


def _refuse_what_is_for_check(script: BootScript) -> None:
    """A values file or a manifest: nothing in it boots, and cloud-init would pass over it."""
    from nodeworthy.boot.userdata import PartKind
    from nodeworthy.errors import InputError

    name = script.place.file
    is_other = [part.kind for part in script.userdata.parts] == [PartKind.OTHER]
    if is_other and Path(name).suffix in (".yaml", ".yml", ".json"):
        raise InputError(
            f"{name} is no user data, for it begins with none of its first lines (#!, #cloud-config); "
            f"`nodeworthy check {name}` reads what it is"
        )


def _findings(script: BootScript) -> Sequence[Finding]:
    """What the rules object to, and what they can't be sure of."""
    from nodeworthy.engine import judge
    from nodeworthy.rules import catalogue, rule
    from nodeworthy.scene import make_scene

    judgements = judge([make_scene([script])], catalogue(), rule("rule-crashed"))
    return [found for each in judgements for found in each.findings]
