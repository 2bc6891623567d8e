"""Writes down what fails today, so that `check` fails only for what is new.

PATH is what is looked at: all below this folder, or what an earlier baseline was written of. It holds what fails and
what is unknown; what could not be looked at is in no baseline. The file is `.nodeworthy-baseline.json`, or what the
settings name; commit it.
--prune takes out what no longer applies and adds nothing.

Exit codes: 0 written, 2 usage or input, 3 nothing was evaluated, so nothing is written.
"""

from __future__ import annotations

import argparse
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from nodeworthy.collect.source.files import shown_path
from nodeworthy.commands import baselined, judging, settled
from nodeworthy.errors import CouldNotLook, InputError
from nodeworthy.report.printable import printable
from nodeworthy.report.report import Report
from nodeworthy.rule import Moment

if TYPE_CHECKING:
    from nodeworthy.baseline.file import Baseline, BaselineEntry
    from nodeworthy.commands.settled import Run


class Options(settled.Options, baselined.Options):
    paths: list[str]
    prune: bool
    dry_run: bool
    fleet: str | None
    stack: str | None


def configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("paths", nargs="*", metavar="PATH", help="files and folders; all that is here")
    parser.add_argument("--baseline", metavar="FILE", help=f"where it is written ({baselined.NAME})")
    parser.add_argument("--prune", action="store_true", help="only take out what no longer applies")
    parser.add_argument("--dry-run", action="store_true", help="tell what it would hold, and write nothing")
    parser.add_argument("--fleet", metavar="FILE", help="the fleet to judge by: a Pulumi.<stack>.yaml")
    parser.add_argument("--stack", metavar="NAME", help="the stack whose fleet it is")
    settled.configure(parser)


def run(options: Options) -> int:
    from nodeworthy.baseline.apply import count_open
    from nodeworthy.baseline.file import baseline_text, path_from, read

    run = settled.settle(options)
    path, _ = baselined.path_of(options, run.settings)
    path = path.absolute()
    before = read(path, shown_path(path)) if path.exists() else None
    if before is None and options.prune:
        raise InputError(f"there is no baseline {shown_path(path)} to prune")
    paths = options.paths or _as_before(before)
    _refuse_less(before, paths)
    report = _judged(options, run, paths)
    pruned = before if options.prune else None
    entries = count_open(report.judgements, path.parent) if pruned is None else _still(run, pruned, report, paths)
    if not options.dry_run:
        checked = pruned.checked if pruned is not None else [path_from(path.parent, p) for p in paths]
        judging.write_whole(path, baseline_text(entries, checked))
    print(printable(_summary(options, before, entries, report, path)))
    return 0


def _as_before(before: Baseline | None) -> list[str]:
    return ["."] if before is None else [shown_path(before.folder / each) for each in before.checked]


def _refuse_less(before: Baseline | None, paths: Sequence[str]) -> None:
    """What it says of all the other files would be lost."""
    from nodeworthy.baseline.apply import is_whole

    if before is not None and not is_whole(before, paths):
        whole = " ".join(_as_before(before))
        raise InputError(f"{before.shown} is about {whole}, and that is more: name it, or another file by --baseline")


def _judged(options: Options, run: Run, paths: list[str]) -> Report:
    from nodeworthy.collect.source.collector import look_at
    from nodeworthy.collect.source.files import sources
    from nodeworthy.collect.source.fleets import Fleets

    found = settled.not_excluded(run, sources(paths))
    fleets = Fleets(options.fleet, options.stack, by_settings=not options.no_settings)
    looked = look_at(found.sources, fleets, settled.ids_of(run))
    if looked.refused:
        raise InputError("\n".join(looked.refused))
    report = judging.judge_scenes(run, Moment.SOURCE, looked.scenes, looked.counts)
    if not report.evaluated["verdicts"]:
        raise CouldNotLook("nothing was evaluated, so there is nothing to write down")
    return settled.apply_settings(run, report)


def _still(run: Run, before: Baseline, report: Report, paths: Sequence[str]) -> Mapping[BaselineEntry, int]:
    """Less what no longer applies."""
    from nodeworthy.baseline.apply import lay_over

    judgements, left = lay_over(report.judgements, before)
    gone = baselined.stale(run, before, judgements, left, paths)
    kept = Counter(dict(before.entries))
    for each in gone:
        kept[each] -= left[each]
    return +kept


def _summary(
    options: Options, before: Baseline | None, entries: Mapping[BaselineEntry, int], report: Report, path: Path
) -> str:
    lines = [f"{shown_path(path)} {'would hold' if options.dry_run else 'holds'} {_counted(entries)}"]
    if before is not None:
        was, now = Counter(dict(before.entries)), Counter(dict(entries))
        lines.append(f"{(now - was).total()} more than before, {(was - now).total()} less")
    if errors := report.summary["error"]:
        lines.append(
            f"in no baseline, for nothing was read there: {_many(errors, 'error')}; `nodeworthy check` tells them"
        )
    if not options.dry_run:
        lines.append("commit it: `nodeworthy check` fails only for what is new")
    return "\n".join(lines)


def _counted(entries: Mapping[BaselineEntry, int]) -> str:
    rules, files = {each.rule for each in entries}, {each.path for each in entries}
    unknown = sum(count for each, count in entries.items() if each.verdict)
    told = [_many(sum(entries.values()) - unknown, "failure"), *([_many(unknown, "unknown")] if unknown else [])]
    return f"{' and '.join(told)} of {_many(len(rules), 'rule')} in {_many(len(files), 'file')}"


def _many(count: int, what: str) -> str:
    return f"{count} {what}{'' if count == 1 else 's'}"
