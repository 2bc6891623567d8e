"""What holds for this run: what was typed, and where nothing was, what the settings say.

The settings are those of the folder that the command runs in, or of the nearest one above, up to the repository's root:
never those of what is looked at, for they may name code that is run.
"""

from __future__ import annotations

import argparse
import os
import sys
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from nodeworthy.collect.source.stack_files import up_to_repository
from nodeworthy.engine import Judgement, Nothing
from nodeworthy.errors import InputError
from nodeworthy.records import dataclass, replace
from nodeworthy.settings.find import OWN, PYPROJECT, settings_in
from nodeworthy.telling import reason
from nodeworthy.verdict import Verdict

if TYPE_CHECKING:
    from nodeworthy.collect.source.files import Source
    from nodeworthy.own_rules.load import OwnRules
    from nodeworthy.report.report import Report
    from nodeworthy.rule import Rule
    from nodeworthy.settings.model import LeftOut, Settings


class Options:
    no_color: bool
    rules_folder: str | None
    no_settings: bool
    no_own_rules: bool


def configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--no-color", action="store_true", help="no colours (also NO_COLOR)")
    parser.add_argument(
        "--rules", metavar="DIR", dest="rules_folder", help="judge by the rules of this folder, too; it is run"
    )
    parser.add_argument("--no-settings", action="store_true", help="as if there were no .nodeworthy.yaml")
    parser.add_argument(
        "--no-own-rules",
        action="store_true",
        help="run no rules that the settings name: where they name some, the run ends with 2",
    )


@dataclass(frozen=True)
class Typed:
    """What was typed of how to judge; None where the settings decide."""

    only: Sequence[str] = ()
    without: Sequence[str] = ()
    strict: bool | None = None
    allow_unknown: bool | None = None
    ignore_suppressions: bool = False


NOTHING_TYPED = Typed()


@dataclass(frozen=True)
class Run:
    """What was decided once for the whole run: options, settings, own rules."""

    began: float
    typed: Typed
    settings: Settings | None
    # None are wanted, and none of those below are told of.
    no_settings: bool
    own: OwnRules | None
    # By the settings: less those of which something else was typed.
    left_out: Mapping[str, LeftOut]
    strict: bool
    allow_unknown: bool

    def exit_code(self, report: Report) -> int:
        return report.exit_code(strict=self.strict, allow_unknown=self.allow_unknown)


def settle(options: Options, typed: Typed = NOTHING_TYPED) -> Run:
    """Raises InputError for settings that are malformed."""
    began = time.time()
    settings = None if options.no_settings else settings_here()
    own = _own_rules(options, settings, options.rules_folder)
    return Run(
        began=began,
        typed=typed,
        settings=settings,
        no_settings=options.no_settings,
        own=own,
        left_out=_left_out(settings, own, typed),
        strict=_holds(typed.strict, settings is not None and settings.strict),
        allow_unknown=_holds(typed.allow_unknown, settings is not None and settings.allow_unknown),
    )


def _holds(typed: bool | None, by_settings: bool) -> bool:
    return by_settings if typed is None else typed


def own_here(options: Options, folder: str | None = None) -> OwnRules | None:
    """The rules of one's own, for a command that judges nothing; `folder` may be named in other words, too."""
    settings = None if options.no_settings else settings_here()
    return _own_rules(options, settings, folder or options.rules_folder)


def settings_here() -> Settings | None:
    for folder in up_to_repository(Path.cwd()):
        found = settings_in(folder)
        if found is not None:
            return found
    return None


def _own_rules(options: Options, settings: Settings | None, typed: str | None) -> OwnRules | None:
    """The rules of the folder that was typed, else of the one that the settings name."""
    named = typed or (settings.rules if settings is not None else None)
    if not named:
        return None
    from nodeworthy.collect.source.files import shown_path
    from nodeworthy.own_rules.load import load
    from nodeworthy.rules import ids

    if options.no_own_rules and not typed and settings is not None:
        raise InputError(
            f"{settings.shown} names rules of its own ({named}), which are code, and --no-own-rules runs none; "
            f"--rules {named} runs them, and so does settings: true of the action"
        )
    if typed or settings is None:
        return load(Path(named), named.rstrip("/"), ids())
    return load(settings.folder / named, shown_path(settings.folder / named), ids())


def ids_of(run: Run) -> frozenset[str]:
    """The id of every rule that there is for this run."""
    return _ids(run.own)


def _ids(own: OwnRules | None) -> frozenset[str]:
    from nodeworthy.rules import ids

    return frozenset((*ids(), *(own.ids if own is not None else ())))


def chosen_ids(run: Run) -> set[str]:
    """Raises InputError where a rule was typed that does not exist."""
    every = ids_of(run)
    for name in (*run.typed.only, *run.typed.without):
        if name not in every:
            raise InputError(no_such_rule(name, every))
    return (set(run.typed.only) or set(every)) - set(run.typed.without) - set(run.left_out)


def stamps(run: Run) -> dict[str, object]:
    """Everything else that a cached answer depends on. The answer holds only as long as all of it is the same."""
    told: dict[str, object] = {"left_out": sorted(run.left_out), "no_settings": run.no_settings}
    for path in sorted(run.own.folder.rglob("*")) if run.own is not None else ():
        found = path.lstat()
        told[str(path)] = [found.st_size, found.st_mtime_ns, found.st_ctime_ns, found.st_ino]
    return told


def _left_out(settings: Settings | None, own: OwnRules | None, typed: Typed) -> dict[str, LeftOut]:
    """Less those of which somebody typed something else."""
    if settings is None or not settings.left_out:
        return {}
    from nodeworthy.rules import ids, is_about_ourselves

    known = _ids(own)
    for each in settings.left_out:
        if each.rule not in known:
            raise InputError(f"{_at(each)}: {no_such_rule(each.rule, known)}")
        if each.rule in ids() and is_about_ourselves(each.rule):
            raise InputError(f"{_at(each)}: {each.rule} says what could not be judged, and can't be left out")
    return {each.rule: each for each in settings.left_out if each.rule not in (*typed.only, *typed.without)}


def _at(each: LeftOut) -> str:
    place = each.place
    return ":".join(str(part) for part in (place.path, place.line, place.column) if part is not None)


def no_such_rule(name: str, known: Iterable[str]) -> str:
    import difflib

    near = difflib.get_close_matches(name, sorted(known), 1)
    return f"there is no rule {name!r}{f'; did you mean {near[0]}?' if near else ''}"


@dataclass(frozen=True)
class FilesToLookAt:
    """What is left to look at, and of how many files the settings say that nobody shall."""

    sources: list[Source]
    excluded: int

    def counted(self, report: Report) -> Report:
        """The report with the number of files that the settings excluded."""
        if not self.excluded:
            return report
        return replace(report, looked_at={**report.looked_at, "excluded": self.excluded})


def not_excluded(run: Run, found: Iterable[Source]) -> FilesToLookAt:
    every = list(found)
    kept = _without_excluded(run, every)
    if not run.no_settings:
        _tell_of_others(run.settings, kept)
    return FilesToLookAt(kept, len(every) - len(kept))


def _tell_of_others(ours: Settings | None, found: Iterable[Source]) -> None:
    """Settings below, whose writer may believe that they hold here."""
    own = os.path.realpath(ours.path) if ours is not None else None
    for each in found:
        if each.path.name not in (OWN, PYPROJECT) or each.real == own:
            continue
        settings = settings_in(each.path.parent)
        # A pyproject.toml may lie beside them, and say nothing of this.
        if settings is not None and settings.of_a_run and settings.path.name == each.path.name:
            told = ", ".join(settings.of_a_run)
            from nodeworthy.report.printable import on_one_line

            said = f"{settings.shown}: {told}: holds only for what is run in that folder"
            print(on_one_line(said), file=sys.stderr)


def _without_excluded(run: Run, every: list[Source]) -> list[Source]:
    settings, own = run.settings, run.own
    if own is None and (settings is None or not settings.exclude):
        return every
    from nodeworthy.settings.model import exclusion_of

    excluded = [exclusion_of(settings.folder, settings.exclude)] if settings is not None and settings.exclude else []
    if own is not None:
        excluded.append(exclusion_of(own.folder, ["**"]))  # the bad cases of a rule are bad
    for scopes in {id(each.scopes): each.scopes for each in every}.values():
        scopes.excluded = excluded
    return [each for each in every if each.named or not any(some.holds(each.real) for some in excluded)]


def apply_settings(run: Run, report: Report) -> Report:
    """The report with what the settings leave out, and with the rules of one's own that can't be loaded."""
    skipped = list(_skipped(run))
    left_out = frozenset(each.rule.id for each in skipped)
    return replace(report, judgements=[*report.judgements, *skipped, *_broken(run)], left_out=left_out)


def _skipped(run: Run) -> Iterator[Judgement]:
    for each in run.left_out.values() if not run.typed.only else ():
        rule = _rule(run, each.rule)
        if rule is not None:
            why = f"{each.place.path} leaves it out: {each.why}"
            yield Judgement(rule, Nothing(each.place), Verdict.SKIP, (), why=reason(why))


def _broken(run: Run) -> Iterator[Judgement]:
    typed = run.typed
    for each in run.own.broken if run.own is not None else ():
        wanted = each.id in typed.only if typed.only else each.id not in (*typed.without, *run.left_out)
        if wanted:
            from nodeworthy.own_rules.load import not_loaded
            from nodeworthy.rules import rule

            yield not_loaded(each, rule("rule-crashed"))


def _rule(run: Run, identifier: str) -> Rule | None:
    from nodeworthy.rules import ids, rule

    return rule(identifier) if identifier in ids() else run.own.rule(identifier) if run.own is not None else None
