"""`--save-baseline`: what a run measured becomes what the next ones are judged by, if it was well."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from nodeworthy.commands import judging
from nodeworthy.commands.accept.options import Options
from nodeworthy.errors import CouldNotLook
from nodeworthy.facts.accept.baseline import LEAST_NODES, is_speed, learn
from nodeworthy.verdict import Verdict

if TYPE_CHECKING:
    from nodeworthy.collect.workload.collector import Outcome
    from nodeworthy.collect.workload.recording import RunRecording
    from nodeworthy.report.report import Report


def save(options: Options, recorded: RunRecording, found: Sequence[Outcome], report: Report) -> None:
    """Merged into what is there. Raises CouldNotLook where nothing can be learnt of this run."""
    from nodeworthy.collect.workload import baseline_file

    assert options.save_baseline is not None
    runs = [each.ran for each in found if each.ran is not None]
    _refuse(options, report, found)
    path = Path(options.save_baseline)
    before = dict(baseline_file.read(options.save_baseline).rows) if path.exists() else {}
    learnt = learn(runs, recorded.began[:10], recorded.image)
    judging.write_whole(path, baseline_file.as_text(before | learnt))
    if not options.quiet:
        print(f"{len(learnt)} measurements were written to {options.save_baseline}", file=sys.stderr)


def _refuse(options: Options, report: Report, found: Sequence[Outcome]) -> None:
    why = _why_not(options, report, found)
    if why is not None:
        raise CouldNotLook(f"no baseline was written: {why}")


def _why_not(options: Options, report: Report, found: Sequence[Outcome]) -> str | None:
    failed = next((each for each in report.findings if each.verdict in (Verdict.FAIL, Verdict.ERROR)), None)
    if failed is not None:
        return f"{failed.rule} says that not all is well ({failed.message})"
    measures = [one for each in found if each.ran is not None for one in each.ran.measures if is_speed(one)]
    if not measures:
        return "no speed was measured"
    throttled = next((each for each in measures if each.throttle), None)
    if throttled is not None:
        return f"{throttled.gpu} on {throttled.node} was held back: {', '.join(throttled.throttle)}"
    nodes = {each.node for each in measures}
    if len(nodes) < LEAST_NODES and not options.yes:
        return f"{len(nodes)} nodes tell more of themselves than of their kind: {LEAST_NODES}, or --yes"
    return None
