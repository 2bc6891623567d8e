"""`check --fix`: its options, who is asked, and what does not go with them."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterable, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import replace
from typing import TYPE_CHECKING

from nodeworthy.commands import baselined, judging, settled
from nodeworthy.errors import InputError
from nodeworthy.report.printable import on_one_line, printable
from nodeworthy.rule import Moment

if TYPE_CHECKING:
    from nodeworthy.collect.source.collector import Looked
    from nodeworthy.collect.source.files import Source
    from nodeworthy.engine import Judgement
    from nodeworthy.fixes.change import Left
    from nodeworthy.fixes.plan import Plan
    from nodeworthy.fixes.text import Text
    from nodeworthy.report.report import Report


def configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--fix", action="store_true", help="mend what leaves no choice: shows a diff, asks, proves it")
    parser.add_argument("--dry-run", action="store_true", help="with --fix: show the diff, change nothing")
    parser.add_argument("--yes", action="store_true", help="with --fix: do not ask")


def is_asked_for(options: argparse.Namespace, paths: Sequence[str]) -> bool:
    """Whether anything is to be mended. Raises InputError where options do not go together."""
    for name, given in (("--yes", options.yes), ("--dry-run", options.dry_run)):
        if given and not options.fix:
            raise InputError(f"{name} is for --fix")
    if not options.fix:
        return False
    for name, given in (("--format", options.format != "text"), ("--output", options.output), ("--also", options.also)):
        if given:
            raise InputError(f"{name} is for a report; --fix tells people what it does")
    if "-" in paths:
        raise InputError("--fix mends files, and standard input is none")
    if not (options.dry_run or options.yes or sys.stdin.isatty()):
        raise InputError(
            "--fix asks before it changes anything, and there is no terminal: look at --fix --dry-run, then --yes"
        )
    return True


def run(options: argparse.Namespace, paths: Sequence[str], found: Sequence[Source]) -> int:
    from nodeworthy.fixes.diff import diff
    from nodeworthy.fixes.plan import plan

    checking = _Checking(options, paths, found)
    looked, report = checking.judged({})
    if options.changed is not None and not looked.scenes and not looked.refused:
        _say(f"none of {len(paths)} changed files is of a kind that it knows")
        return 0
    mended = plan(report.judgements, checking.texts(report.judgements), checking.again)
    sys.stdout.write(_shown(diff(mended)))
    sys.stdout.flush()
    _tell(mended, [*checking.refused, *mended.left], report)
    for refused in looked.refusals():
        _say(on_one_line(refused))
    code = _code(options, looked, report)
    if options.dry_run:
        return 1 if mended.changed and code != 2 else code
    if mended.changed:
        if not options.yes and not _agreed(f"Write {_files(mended.changed)}?"):
            _say("nothing was written")
            return code
        _write(mended, found)
        looked, report = checking.judged({})
    code = judging.deliver(options, report)
    return 2 if looked.refused else code


class _Checking:
    """The same look again and again, each time with other texts in place of those on the disk."""

    def __init__(self, options: argparse.Namespace, paths: Sequence[str], found: Sequence[Source]) -> None:
        self._options = options
        self._paths = paths
        self._found = found
        self._rules = settled.ids_of(options)
        self.refused: list[Left] = []

    def judged(self, instead: Mapping[str, bytes]) -> tuple[Looked, Report]:
        from nodeworthy.collect.source.collector import look_at
        from nodeworthy.collect.source.fleets import Fleets

        by_settings = not self._options.no_settings
        fleets = Fleets(self._options.fleet, self._options.stack, by_settings=by_settings)
        sources = [replace(each, data=instead.get(each.shown), others=instead) for each in self._found]
        looked = look_at(sources, fleets, self._rules)
        report = judging.judged(self._options, Moment.SOURCE, looked.scenes, looked.counts)
        return looked, baselined.laid_over(self._options, report, self._paths)

    def again(self, instead: Mapping[str, bytes]) -> Sequence[Judgement]:
        return self.judged(instead)[1].judgements

    def texts(self, judgements: Iterable[Judgement]) -> dict[str, Text]:
        """Of the files in which something stands that a fixer may mend, and that may be written."""
        from nodeworthy.collect.source.files import Unreadable, read_bytes
        from nodeworthy.fixes.change import Left
        from nodeworthy.fixes.proposals import is_open
        from nodeworthy.fixes.text import Text
        from nodeworthy.fixes.write import why_not

        open_findings = (each for judgement in judgements for each in judgement.findings if is_open(each))
        asked = {each.where.path: each for each in open_findings if each.edit is not None}
        texts: dict[str, Text] = {}
        for source in self._found:
            if source.shown not in asked:
                continue
            why = why_not(source.path)
            try:
                if not why:
                    texts[source.shown] = Text.of(source.shown, read_bytes(source))
            except (Unreadable, UnicodeDecodeError) as problem:
                why = f"it {problem.why}" if isinstance(problem, Unreadable) else "it is not UTF-8"
            if why:
                self.refused.append(Left(asked[source.shown], why))
        return texts


def _code(options: argparse.Namespace, looked: Looked, report: Report) -> int:
    code = settled.told(options, report).exit_code(strict=options.strict, allow_unknown=options.allow_unknown)
    return 2 if looked.refused else code


def _tell(mended: Plan, left: Sequence[Left], report: Report) -> None:
    for each in left:
        _say(on_one_line(f"not mended: {each.finding.where} {each.finding.rule}: {each.why}"))
    count = sum(each.verdict == "fail" and not each.suppressed for each in report.findings)
    if not mended.changed:
        certain = f": of {count} finding{'s' * (count != 1)} none leaves no choice" if count else ""
        _say(f"nothing to mend{certain}")
        return
    _say(f"{mended.mended} of {count} finding{'s' * (count != 1)} can be mended, in {_files(mended.changed)}")


def _shown(diff: str) -> str:
    """As a terminal may have it, and a carriage return as git shows it."""
    return printable(diff.replace("\r\n", "^M\n"))


def _files(paths: Sequence[str]) -> str:
    return f"{len(paths)} file{'s' * (len(paths) != 1)}"


def _write(mended: Plan, found: Sequence[Source]) -> None:
    """What takes time and room is done for all files before the first is exchanged: a run that is killed, or a disk
    that is full, leaves a set that is half done only within these last moments, and each file whole."""
    from nodeworthy.fixes.write import Beside, NotWritten

    paths = {each.shown: each.path for each in found}
    written = 0
    with ExitStack() as stack:
        ready: dict[str, Beside] = {}
        for each in mended.changed:
            try:
                beside = Beside(paths[each], mended.before[each].data, mended.after[each].data)
                ready[each] = stack.enter_context(beside)
            except NotWritten as problem:
                _say(on_one_line(f"not written: {each}: {problem.why}"))
        for each, beside in ready.items():
            try:
                beside.take_its_place()
                written += 1
            except NotWritten as problem:
                _say(on_one_line(f"not written: {each}: {problem.why}"))
    _say(f"{written} of {_files(mended.changed)} written")


def _agreed(question: str) -> bool:
    sys.stderr.write(f"{on_one_line(question)} [y/N] ")
    sys.stderr.flush()
    return sys.stdin.readline().strip().lower() in ("y", "yes")


def _say(text: str) -> None:
    print(f"nodeworthy check: {printable(text)}", file=sys.stderr)
