"""Loads the rules of a folder. A rule that can't be loaded is reported by its id, and the others still judge."""

from __future__ import annotations

import importlib
import re
import sys
import traceback
from collections.abc import Collection, Iterator
from contextlib import contextmanager, redirect_stdout
from dataclasses import replace
from functools import wraps
from hashlib import blake2b
from pathlib import Path
from types import ModuleType
from typing import Any

from nodeworthy.edit import Edit, EditKind
from nodeworthy.engine import Judgement, Nothing
from nodeworthy.errors import InputError
from nodeworthy.records import dataclass
from nodeworthy.rule import Check, Rule
from nodeworthy.telling import without_secrets
from nodeworthy.verdict import Draft, Finding, Place, Severity, Verdict, error

_ID = re.compile(r"[a-z0-9]+(-[a-z0-9]+)*")


@dataclass(frozen=True)
class Broken:
    """A file that should hold a rule, and why it does not."""

    id: str
    why: str
    place: Place


@dataclass(frozen=True)
class OwnRules:
    folder: Path
    rules: tuple[Rule, ...] = ()
    broken: tuple[Broken, ...] = ()

    @property
    def ids(self) -> tuple[str, ...]:
        return tuple(sorted([*(each.id for each in self.rules), *(each.id for each in self.broken)]))

    def rule(self, identifier: str) -> Rule | None:
        return next((each for each in self.rules if each.id == identifier), None)


class NotARule(Exception):
    """The file can be read, and holds no rule as we know them."""


def load(folder: Path, shown: str, ours: Collection[str]) -> OwnRules:
    """Runs what lies in the folder. Raises InputError where it is none, or where an id is one of `ours`."""
    if not folder.is_dir():
        raise InputError(f"{shown}: there is no such folder of rules")
    files = sorted(path for path in folder.glob("*.py") if not path.name.startswith("_"))
    for path in files:
        if _id(path) in ours:
            raise InputError(f"{shown}/{path.name}: there is a rule {_id(path)!r} already; give yours another name")
    package = _package(folder)
    rules: list[Rule] = []
    broken: list[Broken] = []
    for path in files:
        try:
            rules.append(_loaded(package, path))
        except (Exception, SystemExit) as problem:  # noqa: BLE001 - theirs: it is told, and the other rules are judged by
            place = Place(path=f"{shown}/{path.name}", line=_line(problem, path), subject=_id(path))
            broken.append(Broken(_id(path), _why(problem), place))
    return OwnRules(folder, tuple(rules), tuple(broken))


def _id(path: Path) -> str:
    return path.stem.replace("_", "-")


def _package(folder: Path) -> str:
    """A package of its own for each folder, made anew: its files import each other as `from . import _shared`."""
    name = f"nodeworthy_own_rules_{blake2b(str(folder.resolve()).encode(), digest_size=6).hexdigest()}"
    for module in [each for each in sys.modules if each == name or each.startswith(f"{name}.")]:
        del sys.modules[module]
    package = ModuleType(name)
    package.__path__ = [str(folder.resolve())]
    sys.modules[name] = package
    importlib.invalidate_caches()
    return name


def _loaded(package: str, path: Path) -> Rule:
    if _ID.fullmatch(_id(path)) is None:
        raise NotARule("a rule's file is named by its id: small letters and digits, and _ for -")
    with _no_bytecode(), redirect_stdout(sys.stderr):
        module = importlib.import_module(f"{package}.{path.stem}")
    rule = getattr(module, "RULE", None)
    if not isinstance(rule, Rule):
        raise NotARule("it has no RULE = Rule(…)")
    if rule.id != _id(path):
        raise NotARule(f"it holds the rule {rule.id!r}; file and id must agree")
    _refuse_unsound(rule)
    watched = _guarded(rule)
    if not watched.checks:
        raise NotARule("it has no check: decorate one with @RULE.check")
    return watched


def _refuse_unsound(rule: Any) -> None:
    if not isinstance(rule.severity, Severity):
        raise NotARule("its severity is not Severity.ERROR or Severity.WARNING")
    if not all(isinstance(text, str) and text.strip() for text in (rule.title, rule.remedy)):
        raise NotARule("its title and its remedy are not both texts")
    if rule.about_ourselves:
        raise NotARule("it says that it is about ourselves, which only ours can be")


@contextmanager
def _no_bytecode() -> Iterator[None]:
    """Leaves no __pycache__ in the repository that is looked at."""
    before, sys.dont_write_bytecode = sys.dont_write_bytecode, True
    try:
        yield
    finally:
        sys.dont_write_bytecode = before


def _why(problem: BaseException) -> str:
    if isinstance(problem, NotARule):
        return str(problem)
    return f"{type(problem).__name__}: {problem}"


def _line(problem: BaseException, path: Path) -> int | None:
    if isinstance(problem, SyntaxError):
        return problem.lineno
    within = [frame for frame in traceback.extract_tb(problem.__traceback__) if frame.filename == str(path.resolve())]
    return within[-1].lineno if within else None


_WORDS = ("is_", "should", "cause", "remedy")


def _guarded(rule: Rule) -> Rule:
    """The rule with each of its checks watched."""
    return rule.with_checks(replace(each, function=_watched(each.function)) for each in rule.checks)


def _watched(function: Check) -> Check:
    @wraps(function)
    def asked(*facts: Any) -> Iterator[Draft]:
        kept: list[Draft] = []
        crash: Exception | None = None
        try:
            with redirect_stdout(sys.stderr):  # a report may be on its way there
                found: Any = function(*facts)
                for each in () if found is None else found:
                    kept.append(_sound(each))  # noqa: PERF401 - what came before an exception is kept
        except SystemExit as end:
            crash = RuntimeError(f"it would have ended the program ({end})")
        except Exception as problem:  # noqa: BLE001 - the engine's to judge, behind what was found before it
            crash = problem
        yield from kept
        if crash is not None:
            raise crash

    return asked


def _sound(each: Any) -> Draft:
    """Reports take every word for granted."""
    if not isinstance(each, Draft):
        raise TypeError(f"a check yields findings, and this is {type(each).__name__}")
    edits = list(_edits(each.edit))
    words = [each.message, *(word for name in _WORDS if (word := getattr(each, name)) is not None)]
    words += [word for edit in edits for word in (edit.was, edit.new, edit.title)]
    named = [*words, *each.on, *each.victims, *(other.says for other in each.related)]
    if not all(isinstance(word, str) for word in named):
        raise TypeError("every word of a finding is a string")
    places: list[Any] = [each.where, *(one.place for one in each.related), *(one.place for one in edits)]
    if not all(isinstance(place, Place) for place in places):
        raise TypeError("a finding is at a Place, a fact or a value of one")
    return each


def _edits(edit: Any) -> Iterator[Edit]:
    if edit is None:
        return
    if not isinstance(edit, Edit) or type(edit.kind) is not EditKind:
        raise TypeError(f"the edit of a finding is an Edit, and this is {type(edit).__name__}")
    yield edit


REMEDY = "mend the rule's file: `nodeworthy rules test DIR` tries it"


def not_loaded(broken: Broken, crash: Rule) -> Judgement:
    why = f"the rule {broken.id} can't be loaded, so nothing is known of it: {broken.why}"
    found = Finding.of(error(broken.place, why, remedy=REMEDY), crash.id, severity=crash.severity)
    return Judgement(crash, Nothing(broken.place), Verdict.ERROR, (without_secrets(found),), crashed=broken.id)
