"""What every command that judges has in common: its options, and how a report leaves the house."""

from __future__ import annotations

import argparse
import importlib
import os
import sys
import tempfile
import time
from collections.abc import Iterable, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from nodeworthy.commands import settled
from nodeworthy.engine import Scene, judge
from nodeworthy.errors import InputError
from nodeworthy.report.asked import Asked
from nodeworthy.report.report import Report
from nodeworthy.rule import Moment, Rule

if TYPE_CHECKING:
    from nodeworthy.report.markdown import Beside

FORMATS = ("text", "json", "sarif", "junit", "github", "markdown", "html")


def configure(parser: argparse.ArgumentParser, formats: tuple[str, ...] = FORMATS) -> None:
    parser.set_defaults(began=time.time())
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
    parser.add_argument("--stack", metavar="NAME", help="the stack whose fleet it is")
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
    parser.add_argument("--no-color", action="store_true", help="no colours (also NO_COLOR)")
    parser.add_argument("--no-cache", action="store_true", help="look at everything again")
    settled.configure(parser)


def chosen_rules(options: argparse.Namespace, scenes: Iterable[Scene] | None = None) -> tuple[Rule, ...]:
    """The catalogue, less what was left out, and less what has nothing to judge in these scenes. Rules about ourselves
    always run: they say what was not judged."""
    from nodeworthy.rules import catalogue, judging

    wanted = chosen_ids(options)
    rules = catalogue() if scenes is None else judging(_kinds(scenes))
    own = options.own.rules if options.own is not None else ()
    return tuple(each for each in (*rules, *own) if each.id in wanted or each.about_ourselves)


def chosen_ids(options: argparse.Namespace) -> set[str]:
    every = set(settled.ids_of(options))
    _known(every, [*options.rule, *options.skip_rule])
    return (set(options.rule) or every) - set(options.skip_rule) - set(options.left_out)


def _kinds(scenes: Iterable[Scene]) -> set[type[Any]]:
    return {kind for scene in scenes for kind in (*map(type, scene.facts), *scene.missing)}


def _known(ids: set[str], named: Iterable[str]) -> None:
    for name in named:
        if name not in ids:
            raise InputError(settled.no_such_rule(name, ids))


def judged(options: argparse.Namespace, moment: Moment, scenes: Sequence[Scene], looked_at: dict[str, int]) -> Report:
    from dataclasses import replace

    from nodeworthy.rules import rule

    if options.ignore_suppressions:
        scenes = [replace(scene, suppressions=()) for scene in scenes]
    rules = chosen_rules(options, scenes)
    ran = frozenset(chosen_ids(options))
    judgements = judge(scenes, rules, rule("rule-crashed"), rule("suppression-unused"), ran)
    return Report(moment, judgements, looked_at)


def _also(formats: tuple[str, ...], text: str) -> tuple[str, str]:
    form, equals, file = text.partition("=")
    if form not in formats or not equals or not file:
        raise argparse.ArgumentTypeError(f"{text!r} is not FORMAT=FILE with one of {', '.join(formats)}")
    return form, file


def deliver(options: argparse.Namespace, report: Report, heading: str = "", beside: Beside | None = None) -> int:
    """Writes the report where it was asked for; the exit code is what it says. A heading is for people only, `beside`
    for a comment."""
    report = settled.told(options, report)
    if report.moment is Moment.SOURCE and any(each.edit is not None for each in report.findings):
        from nodeworthy.commands.offers import with_offers

        report = with_offers(report, options.began)
    colour = wants_colour(options) and not options.output
    text = _rendered(options, options.format, report, heading, beside, colour=colour)
    if options.output:
        write_whole(Path(options.output), text)
    else:
        sys.stdout.write(text)
        sys.stdout.flush()
    for form, file in options.also:
        write_whole(Path(file), _rendered(options, form, report, heading, beside))
    return report.exit_code(strict=options.strict, allow_unknown=options.allow_unknown)


def _rendered(
    options: argparse.Namespace, form: str, report: Report, heading: str, beside: Beside | None, *, colour: bool = False
) -> str:
    if form != "text":
        return _writable(_machine(options, form, report, beside))
    from nodeworthy.report import text

    written = text.render(report, asked(options), colour=colour)
    return _writable(f"{heading}\n{written}" if heading and not options.quiet else written)


def asked(options: argparse.Namespace) -> Asked:
    return Asked(
        bool(options.strict),
        bool(options.allow_unknown),
        options.show_passed,
        options.show_skipped,
        options.show_unknown,
        options.quiet,
    )


def _writable(text: str) -> str:
    """A file's name may be of bytes that are no UTF-8: they are told as Python does, and as JSON may."""
    return text.encode("utf-8", "backslashreplace").decode("utf-8")


def _machine(options: argparse.Namespace, form: str, report: Report, beside: Beside | None) -> str:
    if form == "html":
        return _page(options, report, beside)
    renderer = importlib.import_module(f"nodeworthy.report.{form}")
    told: dict[str, dict[str, Any]] = {
        "json": {"asked": asked(options)},
        "sarif": {"asked": asked(options), "below": _below_checkout()},
        "junit": {"strict": options.strict, "allow_unknown": options.allow_unknown},
        "github": {"asked": asked(options), "below": _below_checkout()},
        "markdown": {"asked": asked(options), "below": _below_checkout(), "beside": beside},
    }
    written: str = renderer.render(report, **told.get(form, {}))
    return written


def _page(options: argparse.Namespace, report: Report, beside: Beside | None) -> str:
    from nodeworthy.commands.excerpts import excerpts
    from nodeworthy.report.html import render

    return render(report, beside, excerpts(report.findings, options.began), asked(options))


def _below_checkout() -> str:
    """Where in the repository we run, by the word of GitHub's or GitLab's runner; else this is its root."""
    root = os.environ.get("GITHUB_WORKSPACE") or os.environ.get("CI_PROJECT_DIR")
    if not root or not Path.cwd().is_relative_to(Path(root).resolve()):
        return ""
    return Path.cwd().relative_to(Path(root).resolve()).as_posix()


def wants(options: argparse.Namespace, form: str) -> bool:
    return form == options.format or any(form == each for each, _ in options.also)


def wants_colour(options: argparse.Namespace) -> bool:
    return sys.stdout.isatty() and not options.no_color and not os.environ.get("NO_COLOR")


def write_private(path: Path, text: str) -> None:
    """What a machine said of itself is for whoever asked it."""
    write_whole(path, text, mode=0o600)


def write_whole(path: Path, text: str, *, mode: int | None = None) -> None:
    """All of it or nothing: whoever reads the file never sees half a report."""
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
    """That of the file whose place is taken, or what the user's umask gives a new one."""
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
