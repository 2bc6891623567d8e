"""What every command that judges has in common: its options, and how a report leaves the house."""

from __future__ import annotations

import argparse
import importlib
import os
import sys
from collections.abc import Iterable, Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from nodeworthy.commands import settled
from nodeworthy.commands.settled import Run, Typed
from nodeworthy.engine import Judgement, judge_scene, nothing_to_judge, once_of_all
from nodeworthy.errors import InputError
from nodeworthy.records import dataclass
from nodeworthy.report.report import Report, ReportOptions
from nodeworthy.rule import Moment, Rule
from nodeworthy.scene import Scene

if TYPE_CHECKING:
    from nodeworthy.report.frame import Excerpts
    from nodeworthy.report.markdown import BesideFindings
    from nodeworthy.verdict import Finding

FORMATS = ("text", "json", "sarif", "junit", "github", "markdown", "html", "prometheus")


class Options(settled.Options):
    format: str
    output: str | None
    also: list[tuple[str, str]]
    rule: list[str]
    skip_rule: list[str]
    fleet: str | None
    stack: str | None
    strict: bool | None
    show_passed: bool
    show_skipped: bool
    show_unknown: bool
    allow_unknown: bool | None
    ignore_suppressions: bool
    quiet: bool
    no_cache: bool


def configure(parser: argparse.ArgumentParser, formats: tuple[str, ...] = FORMATS) -> None:
    parser.add_argument("--format", choices=formats, default="text", help="how the report is written")
    parser.add_argument("--output", metavar="FILE", help="where it is written (standard output)")
    parser.add_argument(
        "--also",
        action="append",
        metavar="FORMAT=FILE",
        default=[],
        type=partial(_also, formats),
        help="write it in this format, too (repeatable)",
    )
    parser.add_argument(
        "--rule", action="append", metavar="ID", default=[], help="judge by this rule only (repeatable)"
    )
    parser.add_argument(
        "--skip-rule", action="append", metavar="ID", default=[], help="leave this rule out (repeatable)"
    )
    parser.add_argument("--fleet", metavar="FILE", help="the fleet to judge by: a Pulumi.<stack>.yaml")
    parser.add_argument(
        "--stack", metavar="NAME", help="the stack whose fleet it is, or whose config a program in YAML is given"
    )
    parser.add_argument("--strict", action=argparse.BooleanOptionalAction, help="warnings change the exit code")
    parser.add_argument("--show-passed", action="store_true", help="list what passed and what was skipped, too")
    parser.add_argument("--show-skipped", action="store_true", help="list what had nothing to judge, and why")
    parser.add_argument(
        "--show-unknown", action="store_true", help="list what is unknown of warnings, too, which is only counted"
    )
    parser.add_argument(
        "--allow-unknown",
        action=argparse.BooleanOptionalAction,
        help="what is unknown does not change the exit code",
    )
    parser.add_argument("--ignore-suppressions", action="store_true", help="judge as if nothing were suppressed")
    parser.add_argument("--quiet", action="store_true", help="findings only")
    parser.add_argument("--no-cache", action="store_true", help="look at everything again")
    settled.configure(parser)


def begin(options: Options) -> Run:
    """Raises InputError for settings that are malformed."""
    if options.output in FORMATS:
        raise InputError(
            f"--output names a file: did you mean `--format {options.output}`? (./{options.output} is a file)"
        )
    typed = Typed(options.rule, options.skip_rule, options.strict, options.allow_unknown, options.ignore_suppressions)
    return settled.settle(options, typed)


def chosen_rules(run: Run, scenes: Sequence[Scene]) -> tuple[Rule, ...]:
    """The catalogue, less what was left out, and less what has nothing to judge in these scenes. Rules about ourselves
    always run: they say what was not judged."""
    from nodeworthy.rules import judging

    return _chosen(run, judging([each.told for each in scenes], *_types_named(scenes)))


def every_chosen_rule(run: Run) -> tuple[Rule, ...]:
    """The rules that were chosen, whatever there is to judge."""
    from nodeworthy.rules import catalogue

    return _chosen(run, catalogue())


def _chosen(run: Run, rules: Iterable[Rule]) -> tuple[Rule, ...]:
    wanted = settled.chosen_ids(run)
    own = run.own.rules if run.own is not None else ()
    return tuple(each for each in (*rules, *own) if each.id in wanted or each.about_ourselves)


def _types_named(scenes: Iterable[Scene]) -> tuple[set[type[Any]], set[type[Any]]]:
    """The types of which a scene says why it has none, and those that it is about, or leaves to others."""
    missing = {kind for scene in scenes for kind in scene.missing}
    return missing, {kind for scene in scenes for kind in (*(scene.about or ()), *scene.elsewhere)}


def judge_scenes(run: Run, moment: Moment, scenes: Sequence[Scene], looked_at: dict[str, int]) -> Report:
    return report_of(run, moment, (each for made in judge_each(run, scenes) for each in made), looked_at)


def judge_each(run: Run, scenes: Sequence[Scene]) -> Iterator[list[Judgement]]:
    """What is said of each scene, whatever is said of the others."""
    from nodeworthy.rules import rule

    if run.typed.ignore_suppressions:
        scenes = [scene.without_suppressions() for scene in scenes]
    rules = chosen_rules(run, scenes)
    ran = frozenset(settled.chosen_ids(run))
    for scene in scenes:
        yield judge_scene(scene, rules, rule("rule-crashed"), rule("suppression-unused"), ran)


def report_of(run: Run, moment: Moment, made: Iterable[Judgement], looked_at: dict[str, int]) -> Report:
    judgements = once_of_all(made)
    return Report(moment, [*judgements, *_silent_ones(run, moment, judgements)], looked_at)


def _silent_ones(run: Run, moment: Moment, judgements: Iterable[Judgement]) -> Iterator[Judgement]:
    """Whoever wrote a rule of one's own is told, too, that it found nothing to judge at a moment at which it might."""
    own = frozenset(each.id for each in run.own.rules) if run.own is not None else frozenset()
    if not own:
        return
    from nodeworthy.collect.collected import moments_of

    heard = {each.crashed or each.rule.id for each in judgements}
    silent = (each for each in _chosen(run, ()) if each.id in own - heard)
    yield from (nothing_to_judge(each) for each in silent if moment in moments_of(each))


def _also(formats: tuple[str, ...], text: str) -> tuple[str, str]:
    form, equals, file = text.partition("=")
    if form not in formats or not equals or not file:
        raise argparse.ArgumentTypeError(f"{text!r} is not FORMAT=FILE with one of {', '.join(formats)}")
    return form, file


def deliver(options: Options, run: Run, report: Report, heading: str = "", beside: BesideFindings | None = None) -> int:
    """Writes the report where it was asked for; the exit code is what it says. A heading is for people only, `beside`
    for a comment."""
    report = settled.apply_settings(run, report)
    if report.moment is Moment.SOURCE and any(each.edit is not None for each in report.findings):
        from nodeworthy.commands.offers import with_offers

        report = with_offers(report, run.began)
    writing = _Writing(report, asked_report(options, run), run.began, heading, beside)
    colour = wants_colour(no_color=options.no_color) and not options.output
    text = writing.written(options.format, colour=colour)
    hand_over(text, options.output)
    for form, file in options.also:
        write_whole(Path(file), writing.written(form))
    return run.exit_code(report)


def asked_report(options: Options, run: Run) -> ReportOptions:
    shown = options.show_passed, options.show_skipped, options.show_unknown
    return ReportOptions(run.strict, run.allow_unknown, *shown, options.quiet)


@dataclass(frozen=True)
class _Writing:
    """A report, in whatever format."""

    report: Report
    asked: ReportOptions
    began: float
    heading: str
    beside: BesideFindings | None

    def written(self, form: str, *, colour: bool = False) -> str:
        """A file's name may be of bytes that are no UTF-8: they are told as Python does, and as JSON may."""
        text = self._for_people(colour=colour) if form == "text" else self._for_machines(form)
        return text.encode("utf-8", "backslashreplace").decode("utf-8")

    def _for_people(self, *, colour: bool) -> str:
        from nodeworthy.report import text

        told = text.told_whole(self.report, self.asked)
        shown = text.render(self.report, self.asked, colour=colour, excerpts=self._excerpts(told))
        return f"{self.heading}\n{shown}" if self.heading and not self.asked.quiet else shown

    def _excerpts(self, told: Sequence[Finding]) -> Excerpts:
        if not any(each.where.line is not None for each in told):
            return {}
        from nodeworthy.commands.excerpts import excerpts_of_places

        return excerpts_of_places(self.report.findings, told, self.began)

    def _for_machines(self, form: str) -> str:
        if form == "html":
            return self._page()
        renderer = importlib.import_module(f"nodeworthy.report.{form}")
        told: dict[str, dict[str, Any]] = {
            "json": {"asked": self.asked},
            "sarif": {"asked": self.asked, "below": _below_checkout()},
            "junit": {"strict": self.asked.strict, "allow_unknown": self.asked.allow_unknown},
            "github": {"asked": self.asked, "below": _below_checkout()},
            "markdown": {"asked": self.asked, "below": _below_checkout(), "beside": self.beside},
        }
        written: str = renderer.render(self.report, **told.get(form, {}))
        return written

    def _page(self) -> str:
        from nodeworthy.commands.excerpts import excerpts
        from nodeworthy.report.html import render

        return render(self.report, self.beside, excerpts(self.report.findings, self.began), self.asked)


def _below_checkout() -> str:
    """Where in the repository we run, by the word of GitHub's or GitLab's runner; else this is its root."""
    root = os.environ.get("GITHUB_WORKSPACE") or os.environ.get("CI_PROJECT_DIR")
    if not root or not Path.cwd().is_relative_to(Path(root).resolve()):
        return ""
    return Path.cwd().relative_to(Path(root).resolve()).as_posix()


def wants(options: Options, form: str) -> bool:
    return form == options.format or any(form == each for each, _ in options.also)


def wants_colour(*, no_color: bool) -> bool:
    return sys.stdout.isatty() and not no_color and not os.environ.get("NO_COLOR")


def write_private(path: Path, text: str) -> None:
    """Writes a file that only its owner may read: it holds what a machine said of itself."""
    write_whole(path, text, mode=0o600)


def hand_over(written: str, output: str | None) -> None:
    """Writes to the file that was asked for, else to standard output."""
    if output:
        write_whole(Path(output), written)
    else:
        sys.stdout.write(written)
        sys.stdout.flush()


def write_whole(path: Path, text: str, *, mode: int | None = None) -> None:
    """All of it or nothing: whoever reads the file never sees half a report."""
    import tempfile  # half of what it imports (shutil, random) nobody else needs

    if path.exists() and not path.is_file():
        return _write_into(path, text)
    path = path.resolve()  # a link stays a link
    try:
        handle, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
    except OSError as problem:
        raise InputError(f"can't write {path}: {problem.strerror}") from None
    try:
        with os.fdopen(handle, "w", encoding="utf-8") as file:
            file.write(text)
        os.chmod(name, _mode(path) if mode is None else mode)
        os.replace(name, path)
    except OSError as problem:
        Path(name).unlink(missing_ok=True)
        raise InputError(f"can't write {path}: {problem.strerror}") from None


def _mode(path: Path) -> int:
    """The mode of the file whose place is taken, or the one that the user's umask gives a new file."""
    if path.exists():
        return path.stat().st_mode & 0o777
    mask = os.umask(0)
    os.umask(mask)
    return 0o666 & ~mask


def _write_into(path: Path, text: str) -> None:
    """A device or a pipe (/dev/null, /dev/stdout) is written to; a file in its place would be the machine's ruin."""
    try:
        with path.open("w", encoding="utf-8") as file:
            file.write(text)
    except OSError as problem:
        raise InputError(f"can't write {path}: {problem.strerror}") from None
