"""Reads files and folders and judges them. No cloud, no cluster, no Pulumi, no network.

What a file is, is seen from what stands in it and not from its name. The fleet to judge by is --fleet, or
the Pulumi.<stack>.yaml beside the files, upwards to the repository's root.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING

from nodeworthy.backstop import Watch, watch_time
from nodeworthy.commands import baselined, judging, settled
from nodeworthy.errors import InputError
from nodeworthy.records import replace
from nodeworthy.report.printable import on_one_line
from nodeworthy.report.report import Report
from nodeworthy.rule import Moment

if TYPE_CHECKING:
    from nodeworthy.collect.source.cache import Memory
    from nodeworthy.collect.source.files import Source
    from nodeworthy.commands.settled import FilesToLookAt, Run
    from nodeworthy.scene import Scene


class Options(judging.Options, baselined.Options):
    paths: list[str]
    changed: list[str] | None
    var_file: list[str]
    fix: bool
    dry_run: bool
    yes: bool

    @property
    def named(self) -> list[str]:
        return [*self.paths, *(self.changed or ())]


def configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("paths", nargs="*", metavar="PATH", help="files and folders; - is standard input")
    parser.add_argument("--changed", nargs="*", metavar="FILE", help="for hooks: passes over files of no known kind")
    parser.add_argument(
        "--var-file", action="append", default=[], metavar="FILE", help="variables of Terraform, as its own -var-file"
    )
    parser.add_argument("--fix", action="store_true", help="mend what leaves no choice: shows a diff, asks, proves it")
    parser.add_argument("--dry-run", action="store_true", help="with --fix: show the diff, change nothing")
    parser.add_argument("--yes", action="store_true", help="with --fix: do not ask")
    judging.configure(parser)
    baselined.configure(parser)


def run(options: Options) -> int:
    with watch_time() as watch:
        return _run(options, judging.begin(options), watch)


def _run(options: Options, run: Run, watch: Watch) -> int:
    from nodeworthy.collect.source.files import sources

    hook = options.changed is not None
    if not options.named and not hook:
        raise InputError("name what to check: files, folders (`nodeworthy check .`), or - for standard input")
    mends = _mends(options)
    named = list(sources(options.named, named=not hook, var_files=_var_files(options), stack=options.stack))
    every = _less_left_behind(named, finishes=mends and not options.dry_run)
    found = settled.not_excluded(run, every)
    tell_of_links(found.sources)
    if mends:
        from nodeworthy.commands import check_fix

        return check_fix.run(options, run, found)
    memory = _memory(options, run, found.sources)
    known = memory.answer() if memory is not None else None
    if known is not None:
        report = Report(Moment.SOURCE, known.judgements, known.counts, not_read=known.nothing)
        code = _deliver(options, run, found.counted(report))
        _tell_of_inference(known.inferred)
        return code
    return _look(options, run, found, memory, watch)


def _mends(options: Options) -> bool:
    """Whether anything is to be mended. Raises InputError where options do not go together."""
    for name, given in (("--yes", options.yes), ("--dry-run", options.dry_run)):
        if given and not options.fix:
            raise InputError(f"{name} is for --fix")
    if not options.fix:
        return False
    of_reports = {"--format": options.format != "text", "--output": options.output, "--also": options.also}
    for name, is_given in of_reports.items():
        if is_given:
            raise InputError(f"{name} is for a report; --fix tells people what it does")
    if "-" in options.named:
        raise InputError("--fix mends files, and standard input is none")
    if not (options.dry_run or options.yes or sys.stdin.isatty()):
        raise InputError(
            "--fix asks before it changes anything, and there is no terminal: look at --fix --dry-run, then --yes"
        )
    return True


def _less_left_behind(named: Sequence[Source], *, finishes: bool) -> Sequence[Source]:
    """The files to look at. Where an earlier `--fix` was broken off, it is finished or told before."""
    from nodeworthy.fixes.left_behind import is_staged, journals

    if not journals() and not any(is_staged(each.path.name) for each in named):
        return named
    from nodeworthy.commands.check_fix import finish_broken_runs

    return finish_broken_runs(named, finishes=finishes)


def _var_files(options: Options) -> list[str]:
    """The files of variables that can be read: what a root is given is no guess."""
    if options.var_file:
        from nodeworthy.collect.source.terraform_variables import refuse_unread

        refuse_unread(options.var_file)
    return options.var_file


def _memory(options: Options, run: Run, found: Sequence[Source]) -> Memory | None:
    """What an earlier call with the same words has left behind. How a report is written is no part of it."""
    if options.no_cache:
        return None
    from nodeworthy.collect.source.cache import memory

    asked: dict[str, object] = {
        "changed": options.changed,
        "var_file": options.var_file,
        "fleet": options.fleet,
        "stack": options.stack,
        "rule": options.rule,
        "skip_rule": options.skip_rule,
        "ignore_suppressions": options.ignore_suppressions,
    }
    return memory(options.named, found, {**asked, **settled.stamps(run)})


def _look(options: Options, run: Run, found: FilesToLookAt, memory: Memory | None, watch: Watch) -> int:
    from nodeworthy.collect.source.collector import look_at
    from nodeworthy.collect.source.fleets import Fleets

    fleets = Fleets(options.fleet, options.stack, by_settings=not options.no_settings)
    nothing = memory.nothing if memory is not None else frozenset()
    looked = look_at(found.sources, fleets, settled.ids_of(run), nothing)
    if options.changed is not None and not looked.scenes and not looked.refused:
        print(
            f"nodeworthy check: none of {len(options.named)} changed files is of a kind that it knows", file=sys.stderr
        )
        return 0
    report = judging.judge_scenes(run, Moment.SOURCE, looked.scenes, looked.counts)
    code = _deliver(options, run, found.counted(replace(report, not_read=looked.nothing)))
    for why in looked.scopes.incomplete:
        print(f"nodeworthy check: evidence was looked for in a part of the files: {on_one_line(why)}", file=sys.stderr)
    tell_of_named(looked.out_of_the_tree)
    inferred = _inferred_pools(looked.scenes)
    _tell_of_inference(inferred)
    for refused in looked.refusals():
        print(f"nodeworthy check: {on_one_line(refused)}", file=sys.stderr)
    # What was given up may come to its end another time.
    if memory is not None and not looked.refused and not looked.out_of_the_tree and not watch.stops:
        memory.keep(report.judgements, looked, inferred, [*fleets.files, *looked.asked_for])
    return 2 if looked.refused else code


def _inferred_pools(scenes: Iterable[Scene]) -> dict[str, str]:
    """The pools that follow from evidence; where a fleet is declared, it says what they are."""
    without_fleet = [each for each in scenes if not any(type(fact).__name__ == "Fleet" for fact in each.facts)]
    if not without_fleet:
        return {}
    from nodeworthy.commands.told_inference import inferred_pools

    return inferred_pools(without_fleet)


def _tell_of_inference(pools: Mapping[str, str]) -> None:
    if not pools:
        return
    from nodeworthy.commands.told_inference import command_for_files, tell

    tell("check", pools, command_for_files(pools))


def _deliver(options: Options, run: Run, report: Report) -> int:
    whole = baselined.apply_baseline(options, run, report, options.named, is_part=options.changed is not None)
    return judging.deliver(options, run, replace(whole, mends=_mending(options)))


def _mending(options: Options) -> str:
    """The command that writes the fixes of this run."""
    from shlex import join

    given = (("--fleet", options.fleet), ("--stack", options.stack))
    words = [word for name, said in given if said for word in (name, said)]
    named = options.named if len(options.named) <= _FIRST else ["."]
    return join(["nodeworthy", "check", "--fix", *words, *named])


# As many are named; how many there are is said of all.
_FIRST = 3


def tell_of_links(found: Iterable[Source]) -> None:
    _tell("links that lead out of the tree, and were not followed", [each.shown for each in found if each.leads_out])


def tell_of_named(paths: Iterable[str]) -> None:
    _tell("files that lie out of the tree of those that name them, and were not read", list(dict.fromkeys(paths)))


def _tell(what: str, paths: list[str]) -> None:
    if paths:
        more = f" and {len(paths) - _FIRST:,} more" if len(paths) > _FIRST else ""
        said = f"{what} ({len(paths):,}): {', '.join(paths[:_FIRST])}{more}; name one to have it read"
        print(f"nodeworthy check: {on_one_line(said)}", file=sys.stderr)
