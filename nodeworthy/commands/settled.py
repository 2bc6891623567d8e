"""What holds for this run: what was typed, and where nothing was, what the settings say.

The settings are those of the folder that the command runs in, or of the nearest one above, up to the repository's root:
never those of what is looked at, for they may name code that is run.
"""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Iterable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from nodeworthy.collect.source.stack_files import up_to_repository
from nodeworthy.engine import Judgement, Nothing
from nodeworthy.errors import InputError
from nodeworthy.settings.find import OWN, PYPROJECT, settings_in
from nodeworthy.verdict import Verdict

if TYPE_CHECKING:
    from nodeworthy.collect.source.files import Source
    from nodeworthy.own_rules.load import OwnRules
    from nodeworthy.report.report import Report
    from nodeworthy.rule import Rule
    from nodeworthy.settings.model import LeftOut, Settings


def configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--rules", metavar="DIR", dest="rules_folder", help="judge by the rules of this folder, too; it is run"
    )
    parser.add_argument("--no-settings", action="store_true", help="as if there were no .nodeworthy.yaml")
    parser.add_argument(
        "--no-own-rules",
        action="store_true",
        help="run no rules that the settings name: where they name some, the run ends with 2",
    )
    parser.set_defaults(left_out={}, settings=None, own=None, is_settled=False)


def settle(options: argparse.Namespace) -> None:
    """Lays the settings under the options, once. Raises InputError for settings that are malformed."""
    if options.is_settled:
        return
    options.is_settled = True
    settings = options.settings = None if options.no_settings else settings_here()
    options.own = own_rules(options)
    if settings is None:
        return
    for name in ("strict", "allow_unknown"):
        if getattr(options, name) is None:
            setattr(options, name, getattr(settings, name))
    options.left_out = dict(_left_out(options, set(options.rule) | set(options.skip_rule)))


def own_here(options: argparse.Namespace) -> OwnRules | None:
    """The rules of one's own, for a command that judges nothing."""
    options.settings = None if options.no_settings else settings_here()
    return own_rules(options)


def settings_here() -> Settings | None:
    for folder in up_to_repository(Path.cwd()):
        found = settings_in(folder)
        if found is not None:
            return found
    return None


def own_rules(options: argparse.Namespace) -> OwnRules | None:
    """The rules of the folder that was typed, else of the one that the settings name."""
    settings: Settings | None = options.settings
    named = options.rules_folder or (settings.rules if settings is not None else None)
    if not named:
        return None
    from nodeworthy.collect.source.files import shown
    from nodeworthy.own_rules.load import load
    from nodeworthy.rules import ids

    if options.no_own_rules and not options.rules_folder and settings is not None:
        raise InputError(
            f"{settings.shown} names rules of its own ({named}), which are code, and --no-own-rules runs none; "
            f"--rules {named} runs them, and so does settings: true of the action"
        )
    if options.rules_folder or settings is None:
        return load(Path(named), named.rstrip("/"), ids())
    return load(settings.folder / named, shown(settings.folder / named), ids())


def ids_of(options: argparse.Namespace) -> frozenset[str]:
    """The id of every rule that there is for this run."""
    from nodeworthy.rules import ids

    settle(options)
    own: OwnRules | None = options.own
    return frozenset((*ids(), *(own.ids if own is not None else ())))


def stamps(options: argparse.Namespace) -> dict[str, object]:
    """What an answer of an earlier run depends on, too: it holds only where all of this is the same."""
    own: OwnRules | None = options.own
    told: dict[str, object] = {"left_out": sorted(options.left_out), "no_settings": options.no_settings}
    for path in sorted(own.folder.rglob("*")) if own is not None else ():
        found = path.lstat()
        told[str(path)] = [found.st_size, found.st_mtime_ns, found.st_ctime_ns, found.st_ino]
    return told


def _left_out(options: argparse.Namespace, typed: set[str]) -> Iterator[tuple[str, LeftOut]]:
    """Less those of which somebody typed something else."""
    from nodeworthy.rules import ids, is_about_ourselves

    known = ids_of(options)
    for each in options.settings.left_out:
        if each.rule not in known:
            raise InputError(f"{_at(each)}: {no_such_rule(each.rule, known)}")
        if each.rule in ids() and is_about_ourselves(each.rule):
            raise InputError(f"{_at(each)}: {each.rule} says what could not be judged, and can't be left out")
        if each.rule not in typed:
            yield each.rule, each


def _at(each: LeftOut) -> str:
    place = each.place
    return ":".join(str(part) for part in (place.path, place.line, place.column) if part is not None)


def no_such_rule(name: str, known: Iterable[str]) -> str:
    import difflib

    near = difflib.get_close_matches(name, sorted(known), 1)
    return f"there is no rule {name!r}{f'; did you mean {near[0]}?' if near else ''}"


def not_excluded(options: argparse.Namespace, found: Iterable[Source]) -> list[Source]:
    """What is left to look at. How much was left out is told by the report."""
    kept = _kept(options, list(found))
    if not options.no_settings:
        _tell_of_others(options, kept)
    return kept


def _tell_of_others(options: argparse.Namespace, found: Iterable[Source]) -> None:
    """Settings below, whose writer may believe that they hold here."""
    own = os.path.realpath(options.settings.path) if options.settings is not None else None
    for each in found:
        if each.path.name not in (OWN, PYPROJECT) or each.real == own:
            continue
        settings = settings_in(each.path.parent)
        if settings is not None and settings.of_a_run:
            told = ", ".join(settings.of_a_run)
            from nodeworthy.report.printable import on_one_line

            said = f"{settings.shown}: {told}: holds only for what is run in that folder"
            print(on_one_line(said), file=sys.stderr)


def _kept(options: argparse.Namespace, every: list[Source]) -> list[Source]:
    settings: Settings | None = options.settings
    own: OwnRules | None = options.own
    if own is None and (settings is None or not settings.exclude):
        return every
    from nodeworthy.settings.excluded import excluded_by

    excluded = [excluded_by(settings.folder, settings.exclude)] if settings is not None and settings.exclude else []
    if own is not None:
        excluded.append(excluded_by(own.folder, ["**"]))  # the bad cases of a rule are bad
    kept = [each for each in every if each.named or not any(some.holds(each.real) for some in excluded)]
    options.excluded = len(every) - len(kept)
    return kept


def told(options: argparse.Namespace, report: Report) -> Report:
    """The report with what the settings have left out: what was not looked at is never left unsaid."""
    excluded = getattr(options, "excluded", 0)
    if excluded:
        report = replace(report, looked_at={**report.looked_at, "excluded": excluded})
    skipped = list(_skipped(options))
    left_out = frozenset(each.rule.id for each in skipped)
    return replace(report, judgements=[*report.judgements, *skipped, *_broken(options)], left_out=left_out)


def _skipped(options: argparse.Namespace) -> Iterator[Judgement]:
    for each in options.left_out.values() if not options.rule else ():
        rule = rule_of(options, each.rule)
        if rule is not None:
            why = f"{each.place.path} leaves it out: {each.why}"
            yield Judgement(rule, Nothing(each.place), Verdict.SKIP, (), why=why)


def _broken(options: argparse.Namespace) -> Iterator[Judgement]:
    own: OwnRules | None = options.own
    for each in own.broken if own is not None else ():
        wanted = each.id in options.rule if options.rule else each.id not in (*options.skip_rule, *options.left_out)
        if wanted:
            from nodeworthy.own_rules.judged import not_loaded
            from nodeworthy.rules import rule

            yield not_loaded(each, rule("rule-crashed"))


def rule_of(options: argparse.Namespace, identifier: str) -> Rule | None:
    from nodeworthy.rules import ids, rule

    own: OwnRules | None = options.own
    return rule(identifier) if identifier in ids() else own.rule(identifier) if own is not None else None
