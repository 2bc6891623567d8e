"""Runs the Pulumi program in this directory with an engine of our own, and judges the plan. No CLI, no account.

On a new stack much is unknown (endpoints, ids, certificates). So the program is run a second time with made-up
outputs, by which boot scripts can be read whole; what needed that run is marked as simulated. What the program asks
of AWS is answered from nodeworthy.answers.yaml beside Pulumi.yaml, or by the account, once, with --ask-aws.
"""

from __future__ import annotations

import argparse
import sys
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from nodeworthy.commands import judging, settled, told_inference
from nodeworthy.patterns import pattern
from nodeworthy.rule import Moment

if TYPE_CHECKING:
    from nodeworthy.collect.plan.answers import Asks
    from nodeworthy.collect.plan.plan import PreviewedPlan
    from nodeworthy.collect.plan.preview import Preview, PreviewOutcome
    from nodeworthy.commands.settled import Run
    from nodeworthy.engine import Judgement
    from nodeworthy.report.markdown import BesideFindings
    from nodeworthy.report.report import Report

TIMEOUT = 120.0
# Of what a program prints, what is held back until it is whole.
_MOST_HELD = 64 * 1024
_PACKED = pattern(r"[A-Za-z0-9+/]{20,}={0,2}")


class Options(judging.Options):
    no_simulate: bool
    answers: str | None
    ask_aws: bool
    timeout: float
    pass_env: list[str]
    run: bool


def configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--no-simulate", action="store_true", help="one run only, with every unknown as it is")
    parser.add_argument("--answers", metavar="FILE", help="what the program's questions are answered from")
    parser.add_argument("--ask-aws", action="store_true", help="ask the account once, read-only, and keep the answers")
    parser.add_argument(
        "--run", action="store_true", help="in a root of Terraform: make its plan with tofu or terraform, and judge it"
    )
    parser.add_argument(
        "--timeout",
        type=_seconds,
        default=TIMEOUT,
        metavar="SECONDS",
        help=f"stop the program after this long ({TIMEOUT:g})",
    )
    parser.add_argument(
        "--pass-env",
        action="append",
        metavar="NAME",
        default=[],
        help="give the program this variable, too, which belongs to the CI job (repeatable)",
    )
    judging.configure(parser)


def _seconds(text: str) -> float:
    try:
        seconds = float(text)
    except ValueError:
        seconds = 0.0
    if not seconds > 0:
        raise argparse.ArgumentTypeError(f"{text!r} is no number of seconds above zero")
    return seconds


def run(options: Options) -> int:
    from nodeworthy.collect.plan.preview import PreviewRequest, prepare
    from nodeworthy.collect.plan.runs import ProgramFailed

    run = judging.begin(options)
    settled.chosen_ids(run)  # a rule that does not exist is said before anything runs
    if _is_terraform():
        from nodeworthy.commands import preview_terraform

        return preview_terraform.run(options, run)
    asked = PreviewRequest(
        Path(),
        options.stack,
        options.fleet,
        options.answers,
        simulate=not options.no_simulate,
        timeout=options.timeout,
        passed=frozenset(options.pass_env),
    )
    preview = prepare(asked, settled.ids_of(run))
    impossible = preview.of_fleet
    if impossible is not None:
        report = judging.judge_scenes(run, Moment.PLAN, [impossible], {"resources": 0})
        return judging.deliver(options, run, report, _impossible(preview), _beside_fleet(preview))
    try:
        with shown_program() as shown:
            seen = preview.run(_asks(options, preview), shown, _get_ready)
    except ProgramFailed:
        return 2  # the program's own words say all there is to say
    if not seen.plan.resources:
        print("nodeworthy preview: the program registers no resources, so nothing is proven", file=sys.stderr)
    if seen.newly_answered:
        print(f"nodeworthy preview: {seen.newly_answered} new answers written; review and commit them", file=sys.stderr)
    report = _judged(run, seen)
    code = judging.deliver(options, run, report, _heading(options, seen), _beside(options, seen))
    inferred = told_inference.inferred_pools(filter(None, seen.scenes))
    told_inference.tell("preview", inferred, f"nodeworthy fleet infer --stack {seen.plan.stack}")
    return code


def _is_terraform() -> bool:
    from nodeworthy.collect.plan.terraform import is_root

    return is_root(Path())


@contextmanager
def shown_program() -> Iterator[Shown]:
    """What the program prints while it runs, to the end."""
    shown = Shown()
    try:
        yield shown
    finally:
        shown.end()


class Shown:
    """What the program prints, line by line; lines that may hold one secret together, together."""

    def __init__(self) -> None:
        self._held = ""
        # Its two streams come by two threads.
        self._lock = threading.Lock()

    def __call__(self, text: str) -> None:
        with self._lock:
            self._held += text
            if not _goes_on(self._held):
                self._flush()

    def end(self) -> None:
        with self._lock:
            self._flush()

    def _flush(self) -> None:
        from nodeworthy.redaction import hide_secrets
        from nodeworthy.report.printable import escape_commands

        held, self._held = self._held, ""
        sys.stderr.write(escape_commands(hide_secrets(held)))
        sys.stderr.flush()


def _goes_on(held: str) -> bool:
    """A key, what is packed in lines, what stands deeper than the line above it."""
    *above, last = held.removesuffix("\n").split("\n")
    if len(held) > _MOST_HELD:
        return False
    is_key = held.rfind("-----BEGIN ") > held.rfind("-----END ")
    is_deeper = bool(above) and last[:1] in (" ", "\t", "-")
    return is_key or is_deeper or last.endswith((":", "|", ">", ">-", '"""')) or _PACKED.fullmatch(last) is not None


def _get_ready() -> None:
    """The program's own imports take longer than these, which would only begin when it has ended."""
    from nodeworthy.boot.shell import run as reader_of_boot_scripts  # noqa: F401
    from nodeworthy.rules import catalogue

    catalogue()


def _asks(options: Options, preview: Preview) -> Asks | None:
    if not options.ask_aws:
        return None
    from nodeworthy.collect.plan.ask_aws import AskAws

    return AskAws(preview.config.region, preview.config.values.get("aws:profile"))


def _judged(run: Run, seen: PreviewOutcome) -> Report:
    from nodeworthy.report.report import Report

    judgements = _both_runs(run, seen)
    if any(each.simulated for each in judgements):
        # Something was decided by made-up outputs: it holds only if other made-up outputs decide it the same.
        confirmed = seen.confirmed()
        judgements = judgements if confirmed is seen else _both_runs(run, confirmed)
    if not seen.plan.resources:
        # A fleet beside a program that does nothing proves nothing about the program.
        judgements = []
    return Report(Moment.PLAN, judgements, seen.counts, {"preview": _data(seen)})


def _both_runs(run: Run, seen: PreviewOutcome) -> Sequence[Judgement]:
    from nodeworthy.collect.plan.simulated import merge_runs

    plain, simulated = seen.scenes
    first = judging.judge_scenes(run, Moment.PLAN, [plain], seen.counts).judgements
    if simulated is None:
        return first
    return merge_runs(first, judging.judge_scenes(run, Moment.PLAN, [simulated], seen.counts).judgements)


def _data(seen: PreviewOutcome) -> dict[str, object]:
    from nodeworthy.collect.plan.protocol import redact_wire
    from nodeworthy.report.resources import as_data

    return {
        "project": seen.plan.project,
        "stack": seen.plan.stack,
        "simulated": seen.ran.simulated is not None,
        "notJudged": dict(sorted(seen.plan.not_judged.items())),
        "resources": as_data(seen.plan.resources),
        "outputs": redact_wire(seen.plan.outputs),
    }


def _heading(options: Options, seen: PreviewOutcome) -> str:
    from nodeworthy.report.resources import render
    from nodeworthy.report.text import Paint

    if not seen.plan.resources:
        return ""
    paint = Paint(judging.wants_colour(no_color=options.no_color) and not options.output)
    return f"{render(seen.plan.resources, paint)}\n{_how(seen)}\n"


def _beside(options: Options, seen: PreviewOutcome) -> BesideFindings | None:
    """What a comment or a page shows beside the findings: the plan's tree, and the picture of the fleet."""
    if not judging.wants(options, "markdown") and not judging.wants(options, "html"):
        return None
    from nodeworthy.report.fleet_picture import picture_of
    from nodeworthy.report.markdown import BesideFindings
    from nodeworthy.report.resources import render
    from nodeworthy.report.text import Paint

    fleet = seen.preview.fleet
    picture = picture_of(fleet) if fleet is not None else None
    tree = f"{render(seen.plan.resources, Paint(colour=False))}\n{_how(seen)}"
    return BesideFindings(_about(seen.preview), {"The plan": tree}, picture)


def _beside_fleet(preview: Preview) -> BesideFindings:
    from nodeworthy.report.markdown import BesideFindings

    return BesideFindings(_about(preview), {"The plan": _impossible(preview)})


def _about(preview: Preview) -> str:
    return f"stack {preview.stack} of {preview.project.name}"


def _how(seen: PreviewOutcome) -> str:
    counts = seen.counts
    unknown = f"{counts['unknowns']} of their values unknown before deployment"
    told = f"stack {seen.plan.stack}: {counts['resources']} resources, {unknown}{_not_judged(seen.plan)}"
    if seen.ran.simulated is not None:
        return f"{told};\nsimulated: a second run with made-up outputs read what depends on them"
    if seen.ran.no_simulation is not None:
        return (
            f"{told};\nnot simulated: the second run, with made-up outputs, could not be used: {seen.ran.no_simulation}"
        )
    return f"{told}; not simulated"


def _not_judged(plan: PreviewedPlan) -> str:
    if not plan.not_judged:
        return ""
    each = ", ".join(f"{count} of {provider}" for provider, count in sorted(plan.not_judged.items()))
    return f";\nnot judged, being of providers that no rule is about: {each}"


def _impossible(preview: Preview) -> str:
    return f"stack {preview.stack}: its fleet can't exist, so the program was not run\n"
