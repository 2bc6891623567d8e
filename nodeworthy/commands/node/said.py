"""`--record -`: what hosts say, on the standard output, and nothing is judged. What a Job on a node runs."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING

from nodeworthy.commands.node import progress
from nodeworthy.errors import InputError
from nodeworthy.report.printable import escape_json

if TYPE_CHECKING:
    from nodeworthy.collect.node.asked import AskedHost
    from nodeworthy.collect.node.collector import Asking
    from nodeworthy.collect.node.specs import Spec
    from nodeworthy.commands.node.options import Options

STDOUT = "-"
NOT_REACHED = 3


def refuse_others(options: Options) -> None:
    """Options that are about a report, or about what comes of one."""
    given = {
        "--format": options.format != "text",
        "--output": options.output,
        "--also": options.also,
        "--rule": options.rule,
        "--skip-rule": options.skip_rule,
        "--recheck": options.recheck,
        "--reboot": options.reboot,
        "--taint": options.taint,
    }
    for name, is_given in given.items():
        if is_given:
            raise InputError(f"--record {STDOUT} prints what hosts say and judges nothing: {name} does not go with it")


def run(options: Options, specs: Sequence[Spec], asking: Asking) -> int:
    from nodeworthy.collect.node import collector

    refuse_others(options)
    return print_answers(collector.ask_all(specs, asking, progress.start_progress(options, specs)))


def print_answers(asked: Sequence[AskedHost]) -> int:
    """0 where every host has said what it has to say."""
    from nodeworthy.collect.node.recording import as_text

    kept = [each.recording for each in asked if each.recording is not None]
    for each in kept:
        sys.stdout.write(escape_json(as_text(each)))
    sys.stdout.flush()
    reached = [each for each in kept if each.unreached is None]
    return 0 if asked and len(reached) == len(asked) else NOT_REACHED
