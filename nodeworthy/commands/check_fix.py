"""`check --fix`: what would be mended, who is asked, what is written, and what a broken run has left behind."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

from nodeworthy.commands import baselined, judging, settled
from nodeworthy.commands.asking import ask_yes
from nodeworthy.records import replace
from nodeworthy.report.printable import on_one_line, printable
from nodeworthy.rule import Moment

if TYPE_CHECKING:
    from nodeworthy.collect.source.collector import Looked
    from nodeworthy.collect.source.files import Source
    from nodeworthy.collect.source.scope import Scopes
    from nodeworthy.commands import check
    from nodeworthy.commands.settled import FilesToLookAt, Run
    from nodeworthy.engine import Judgement
    from nodeworthy.fixes.journal import BrokenOff, Journal
    from nodeworthy.fixes.plan import FixPlan
    from nodeworthy.fixes.text import Left, Text
    from nodeworthy.fixes.write import StagedFile
    from nodeworthy.report.report import Report


def run(options: check.Options, run: Run, found: FilesToLookAt) -> int:
    from nodeworthy.fixes.plan import diff, plan

    checking = _Checking(options, run, found)
    looked, report = checking.judged({})
    if options.changed is not None and not looked.scenes and not looked.refused:
        _say(f"none of {len(options.named)} changed files is of a kind that it knows")
        return 0
    mended = plan(report.judgements, checking.texts(report.judgements), checking.again)
    sys.stdout.write(_printable_diff(diff(mended)))
    sys.stdout.flush()
    _tell(mended, [*checking.refused, *mended.left], report)
    for refused in looked.refusals():
        _say(on_one_line(refused))
    code = _code(run, looked, report)
    if options.dry_run:
        return 1 if mended.changed and code != 2 else code
    if mended.changed:
        if not options.yes and not ask_yes(on_one_line(f"Write {_files(mended.changed)}?")):
            _say("nothing was written")
            return code
        _write(mended, found.sources)
        looked, report = checking.judged({})
    code = judging.deliver(options, run, report)
    return 2 if looked.refused else code


class _Checking:
    """The same look again and again, each time with other texts in place of those on the disk."""

    def __init__(self, options: check.Options, run: Run, found: FilesToLookAt) -> None:
        self._options = options
        self._run = run
        self._found = found
        self._rules = settled.ids_of(run)
        self.refused: list[Left] = []

    def judged(self, instead: Mapping[str, bytes]) -> tuple[Looked, Report]:
        from nodeworthy.collect.source.collector import look_at
        from nodeworthy.collect.source.fleets import Fleets

        options = self._options
        fleets = Fleets(options.fleet, options.stack, by_settings=not options.no_settings)
        sources = list(self._sources(instead))
        looked = look_at(sources, fleets, self._rules)
        report = self._found.counted(judging.judge_scenes(self._run, Moment.SOURCE, looked.scenes, looked.counts))
        is_part = options.changed is not None
        return looked, baselined.apply_baseline(options, self._run, report, options.named, is_part=is_part)

    def _sources(self, instead: Mapping[str, bytes]) -> Iterator[Source]:
        """What was opened for the look before was read with the texts of that one."""
        anew: dict[int, Scopes] = {}
        for each in self._found.sources:
            scopes = anew.setdefault(id(each.scopes), each.scopes.anew())
            yield replace(each, data=instead.get(each.shown), others=instead, scopes=scopes)

    def again(self, instead: Mapping[str, bytes]) -> Sequence[Judgement]:
        return self.judged(instead)[1].judgements

    def texts(self, judgements: Iterable[Judgement]) -> dict[str, Text]:
        """The texts of files in which something stands that a fixer may mend, and that may be written."""
        from nodeworthy.collect.source.files import Unreadable, read_bytes
        from nodeworthy.fixes.proposals import is_open
        from nodeworthy.fixes.text import Left, Text
        from nodeworthy.fixes.write import why_not

        open_findings = (each for judgement in judgements for each in judgement.findings if is_open(each))
        asked = {each.where.path: each for each in open_findings if each.edit is not None}
        texts: dict[str, Text] = {}
        for source in self._found.sources:
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


def _code(run: Run, looked: Looked, report: Report) -> int:
    return 2 if looked.refused else run.exit_code(settled.apply_settings(run, report))


def _tell(mended: FixPlan, left: Sequence[Left], report: Report) -> None:
    for each in left:
        _say(on_one_line(f"not mended: {each.finding.where} {each.finding.rule}: {each.why}"))
    count = sum(each.verdict == "fail" and not each.suppressed for each in report.findings)
    if not mended.changed:
        certain = f": of {count} finding{'s' * (count != 1)} none leaves no choice" if count else ""
        _say(f"nothing to mend{certain}")
        return
    _say(f"{mended.mended} of {count} finding{'s' * (count != 1)} can be mended, in {_files(mended.changed)}")


def _printable_diff(diff: str) -> str:
    """The diff as a terminal may have it. A carriage return is shown as git shows it."""
    return printable(diff.replace("\r\n", "^M\n"))


def _files(paths: Sequence[str]) -> str:
    return f"{len(paths)} file{'s' * (len(paths) != 1)}"


def _write(mended: FixPlan, found: Sequence[Source]) -> None:
    """All of them or none: what takes time and room is done for all files before the first is exchanged, and whoever is
    stopped while they are has left word for the next run."""
    from nodeworthy.fixes.journal import Journal, JournalEntry, new_token
    from nodeworthy.fixes.write import NotWritten, StagedFile

    paths = {each.shown: each.path for each in found}
    token, written = new_token(), 0
    entries = [
        JournalEntry.of(paths[each], mended.before[each].data, mended.after[each].data) for each in mended.changed
    ]
    journal = Journal(token, entries)
    ready: dict[str, StagedFile] = {}
    try:
        for each in mended.changed:
            try:
                ready[each] = StagedFile(paths[each], mended.before[each].data, mended.after[each].data, token)
            except NotWritten as problem:
                _say(on_one_line(f"not written: {each}: {problem.why}"))
        journal.ready()
        for each, beside in ready.items():
            try:
                beside.take_its_place()
                written += 1
            except NotWritten as problem:
                _say(on_one_line(f"not written: {each}: {problem.why}"))
    except BaseException:
        if journal.is_ready:
            journal.leave()
            _say(f"{written} of {_files(mended.changed)} written: the next --fix writes the others")
        else:
            _give_up(ready.values(), journal)
        raise
    _give_up(ready.values(), journal)
    _say(f"{written} of {_files(mended.changed)} written")


def _give_up(ready: Iterable[StagedFile], journal: Journal) -> None:
    for each in ready:
        each.give_up()
    journal.end()


def finish_broken_runs(found: Sequence[Source], *, finishes: bool) -> list[Source]:
    """The files to look at, less what a run that was broken off has left beside them; that is finished, or told."""
    from nodeworthy.fixes.left_behind import is_staged, journals

    if journals():
        from nodeworthy.fixes.journal import broken_runs

        for each in broken_runs({source.real for source in found}):
            _finish(each, finishes=finishes)
    left = [each for each in found if is_staged(each.path.name)]
    if not left:
        return list(found)
    there = [each.shown for each in left if each.path.exists()]
    if there:
        what = "left behind by a --fix that was broken off or goes on, and not looked at"
        _say(on_one_line(f"{what}: {', '.join(there[:3])}{f' and {len(there) - 3} more' if len(there) > 3 else ''}"))
    return [each for each in found if each not in left]


def _finish(broken: BrokenOff, *, finishes: bool) -> None:
    written, every = broken.written, len(broken.entries)
    of = f"an earlier --fix was broken off with {written} of {every} file{'s' * (every != 1)} written"
    if not finishes:
        _say(f"{of}: --fix {'writes the others' if broken.is_ready else 'removes what it left beside them'}")
        return
    done = broken.finish()
    _say(f"{of}: {f'{done} more written now' if broken.is_ready else 'what it left beside them is removed'}")
    for path, why in broken.left.items():
        _say(on_one_line(f"not written: {path}: {why}"))


def _say(text: str) -> None:
    print(f"nodeworthy check: {printable(text)}", file=sys.stderr)
