"""Which baseline a run is judged by, and how it is laid over the report."""

from __future__ import annotations

import argparse
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from nodeworthy.collect.source.files import shown
from nodeworthy.collect.source.stack_files import up_to_repository
from nodeworthy.commands import settled
from nodeworthy.errors import InputError

if TYPE_CHECKING:
    from nodeworthy.baseline.entry import Entry
    from nodeworthy.baseline.file import Baseline
    from nodeworthy.engine import Judgement
    from nodeworthy.report.report import Report

NAME = ".nodeworthy-baseline.json"


def configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--baseline", metavar="FILE", help=f"what may fail because it did before ({NAME}, upwards)")


def laid_over(options: argparse.Namespace, report: Report, looked_at: Sequence[str]) -> Report:
    """The report with what stands in the baseline suppressed. Where all of it was looked at, what no longer applies is
    told, too."""
    baseline = None if options.ignore_suppressions else of(options)
    if baseline is None:
        return report
    from nodeworthy.baseline.apply import laid_over as over

    judgements, left = over(report.judgements, baseline)
    unused = [] if options.changed is not None else list(_unused(options, baseline, judgements, left, looked_at))
    return replace(report, judgements=[*judgements, *unused], baseline=baseline.shown)


def _unused(
    options: argparse.Namespace,
    baseline: Baseline,
    judgements: Sequence[Judgement],
    left: Counter[Entry],
    looked_at: Sequence[str],
) -> Iterator[Judgement]:
    from nodeworthy.baseline.stale import told
    from nodeworthy.rules import rule

    for each in stale(options, baseline, judgements, left, looked_at):
        yield told(each, baseline, rule("suppression-unused"))


def stale(
    options: argparse.Namespace,
    baseline: Baseline,
    judgements: Sequence[Judgement],
    left: Counter[Entry],
    looked_at: Sequence[str],
) -> list[Entry]:
    from nodeworthy.baseline.stale import Decided, is_whole
    from nodeworthy.baseline.stale import stale as told_stale
    from nodeworthy.commands.judging import chosen_ids

    if not left or not is_whole(baseline, looked_at):
        return []
    # Of a rule that can't be loaded, nothing is known.
    broken = {each.id for each in options.own.broken} if options.own is not None else set()
    decided = Decided(judgements, frozenset(chosen_ids(options) - broken), baseline.folder)
    return told_stale(left, decided, settled.ids_of(options))


def of(options: argparse.Namespace) -> Baseline | None:
    """Raises InputError for one that was named and is not there, and for one that can't be read."""
    path, named = path_of(options)
    if not path.is_file() and not named:
        return None
    from nodeworthy.baseline.file import read

    if not path.exists():
        raise InputError(f"there is no baseline {shown(path)}: `nodeworthy baseline` writes one")
    return read(Path(path).absolute(), shown(path))


def path_of(options: argparse.Namespace) -> tuple[Path, bool]:
    """Where the baseline lies, or would lie; and whether somebody said so."""
    if options.baseline:
        return Path(options.baseline), True
    settings = options.settings
    if settings is not None and settings.baseline:
        return settings.folder / settings.baseline, True
    beside = [folder / NAME for folder in up_to_repository(Path.cwd())]
    return next((path for path in beside if path.is_file()), Path.cwd() / NAME), False
