"""Which baseline a run is judged by, and how it is laid over the report."""

from __future__ import annotations

import argparse
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from nodeworthy.collect.source.files import shown_path
from nodeworthy.collect.source.stack_files import up_to_repository
from nodeworthy.commands import settled
from nodeworthy.errors import InputError
from nodeworthy.records import replace

if TYPE_CHECKING:
    from nodeworthy.baseline.file import Baseline, BaselineEntry
    from nodeworthy.commands.settled import Run
    from nodeworthy.engine import Judgement
    from nodeworthy.report.report import Report
    from nodeworthy.settings.model import Settings

NAME = ".nodeworthy-baseline.json"


class Options:
    baseline: str | None


def configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--baseline", metavar="FILE", help=f"what may fail because it did before ({NAME}, upwards)")


def apply_baseline(
    options: Options, run: Run, report: Report, looked_at: Sequence[str], *, is_part: bool = False
) -> Report:
    """The report with what stands in the baseline suppressed. Where all of it was looked at, and not a part, what no
    longer applies is told, too."""
    baseline = None if run.typed.ignore_suppressions else _read_baseline(options, run)
    if baseline is None:
        return report
    from nodeworthy.baseline.apply import lay_over as over

    judgements, left = over(report.judgements, baseline)
    unused = [] if is_part else list(_unused(run, baseline, judgements, left, looked_at))
    return replace(report, judgements=[*judgements, *unused], baseline=baseline.shown)


def _unused(
    run: Run,
    baseline: Baseline,
    judgements: Sequence[Judgement],
    left: Counter[BaselineEntry],
    looked_at: Sequence[str],
) -> Iterator[Judgement]:
    from nodeworthy.baseline.apply import stale_entry
    from nodeworthy.rules import rule

    for each in stale(run, baseline, judgements, left, looked_at):
        yield stale_entry(each, baseline, rule("suppression-unused"))


def stale(
    run: Run,
    baseline: Baseline,
    judgements: Sequence[Judgement],
    left: Counter[BaselineEntry],
    looked_at: Sequence[str],
) -> list[BaselineEntry]:
    from nodeworthy.baseline.apply import Decided, is_whole
    from nodeworthy.baseline.apply import stale as told_stale

    if not left or not is_whole(baseline, looked_at):
        return []
    # Of a rule that can't be loaded, nothing is known.
    broken = {each.id for each in run.own.broken} if run.own is not None else set()
    decided = Decided(judgements, frozenset(settled.chosen_ids(run) - broken), baseline.folder)
    return told_stale(left, decided, settled.ids_of(run))


def _read_baseline(options: Options, run: Run) -> Baseline | None:
    """Raises InputError for one that was named and is not there, and for one that can't be read."""
    path, named = path_of(options, run.settings)
    if not path.is_file() and not named:
        return None
    from nodeworthy.baseline.file import read

    if not path.exists():
        raise InputError(f"there is no baseline {shown_path(path)}: `nodeworthy baseline` writes one")
    return read(Path(path).absolute(), shown_path(path))


def path_of(options: Options, settings: Settings | None) -> tuple[Path, bool]:
    """Where the baseline lies, or would lie; and whether somebody said so."""
    if options.baseline:
        return Path(options.baseline), True
    if settings is not None and settings.baseline:
        return settings.folder / settings.baseline, True
    beside = [folder / NAME for folder in up_to_repository(Path.cwd())]
    return next((path for path in beside if path.is_file()), Path.cwd() / NAME), False
