"""A preview in a root of Terraform: its own plan, made where somebody asks for it, and judged."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

from nodeworthy.commands import judging, settled, told_inference
from nodeworthy.errors import InputError
from nodeworthy.report.printable import on_one_line
from nodeworthy.rule import Moment

if TYPE_CHECKING:
    from nodeworthy.commands.preview import Options
    from nodeworthy.commands.settled import Run

# As which file it is judged: none of this name is there.
_SHOWN = "(the plan)"


def run(options: Options, run: Run) -> int:
    from nodeworthy.collect.plan import terraform

    folder = Path()
    name = terraform.program(folder)
    if not options.run:
        raise InputError(terraform.how_to_get_it(name))
    if name is None:
        raise InputError("neither `tofu` nor `terraform` is there to make a plan with")
    from nodeworthy.commands.preview import shown_program

    with shown_program() as shown:
        data = terraform.make_plan(folder, name, options.timeout, shown)
    return _judged(options, run, data)


def _judged(options: Options, run: Run, data: bytes) -> int:
    from nodeworthy.collect.source.collector import look_at
    from nodeworthy.collect.source.files import Source
    from nodeworthy.collect.source.fleets import Fleets

    source = Source(Path(_SHOWN), _SHOWN, named=True, data=data)
    fleets = Fleets(options.fleet, options.stack, by_settings=not options.no_settings)
    looked = look_at([source], fleets, settled.ids_of(run))
    report = judging.judge_scenes(run, Moment.PLAN, looked.scenes, looked.counts)
    code = judging.deliver(options, run, report)
    for refused in looked.refusals():
        print(f"nodeworthy preview: {on_one_line(refused)}", file=sys.stderr)
    inferred = told_inference.inferred_pools(looked.scenes)
    told_inference.tell("preview", inferred, "nodeworthy fleet infer .")
    return 2 if looked.refused else code
