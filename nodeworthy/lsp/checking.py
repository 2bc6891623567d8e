"""Judges what an editor holds of a file as `check` would judge the file: by the fleet beside it.

Whoever types leaves a text that no reader understands for a while: a quote is open, a line has half a key. What was
wrong elsewhere is wrong all the same, and stays underlined until it is judged again.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import field, replace
from functools import cached_property, lru_cache
from pathlib import Path
from time import monotonic

from nodeworthy.baseline.apply import lay_over
from nodeworthy.baseline.file import NAME, Baseline, read
from nodeworthy.boot.shell.parse import remember_scripts
from nodeworthy.boot.shell.rewalk import remember_walks
from nodeworthy.collect.source.collector import look_at
from nodeworthy.collect.source.files import Source, shown_path
from nodeworthy.collect.source.fleets import Fleets
from nodeworthy.collect.source.scope import Scopes
from nodeworthy.collect.source.stack_files import up_to_repository
from nodeworthy.engine import Judgement, judge
from nodeworthy.errors import InputError
from nodeworthy.facts.boot.script import BootScript
from nodeworthy.fixes.plan import FixPlan, plan, why_not
from nodeworthy.fixes.proposals import proposals
from nodeworthy.fixes.text import Fix, Text
from nodeworthy.records import dataclass
from nodeworthy.rules import ids, judging, rule
from nodeworthy.scene import Scene
from nodeworthy.settings.find import settings_in
from nodeworthy.settings.model import Settings, exclusion_of
from nodeworthy.verdict import Finding, Verdict

# Files that another program changes are seen by then, where the editor does not tell of them.
KEPT_S = 300.0


@dataclass
class Around:
    """What lies around the files: a repository of thousands is not looked through at every keystroke."""

    _scopes: Scopes = field(default_factory=lambda: Scopes(evidence={}))
    _since: float = 0.0

    def scopes(self) -> Scopes:
        if monotonic() - self._since > KEPT_S:
            self._scopes, self._since = Scopes(evidence={}), monotonic()
        return self._scopes.anew()

    def forget(self) -> None:
        """Some file on the disk has changed."""
        self._since = -KEPT_S


@dataclass(frozen=True)
class Workspace:
    """Which fleet was named when the server was started."""

    fleet: str | None = None
    stack: str | None = None
    around: Around = field(default_factory=Around, compare=False)


@dataclass(frozen=True)
class Checked:
    """What was found in one text."""

    text: Text
    judgements: Sequence[Judgement] = ()
    # Why something that it is judged by can't be used: a malformed fleet, malformed settings.
    refused: Sequence[str] = ()
    # Whether anything in it is of a kind that is judged.
    is_known: bool = False
    # The boot scripts that stand in it.
    scripts: Sequence[BootScript] = field(default=(), repr=False)
    _again: Again | None = field(default=None, repr=False)
    # A cursor that moves asks the same again and again.
    _tried: dict[Fix, bool] = field(default_factory=dict, repr=False, compare=False)

    @cached_property
    def findings(self) -> list[Finding]:
        return [each for judgement in self.judgements for each in judgement.findings if not each.suppressed]

    @cached_property
    def here(self) -> list[Finding]:
        """The findings that stand in this file, and those that stand nowhere."""
        return [each for each in self.findings if each.where.path in (self.text.path, None)]

    @cached_property
    def proposed(self) -> list[Fix]:
        """What might mend something; whether it does, nobody has tried."""
        texts = {self.text.path: self.text}
        return [each for each in proposals(self.judgements, texts) if isinstance(each, Fix)]

    def holds(self, fix: Fix) -> bool:
        """Proved as `check --fix` proves it: with the edit the finding is gone, and none is new."""
        if fix not in self._tried:
            texts = {self.text.path: self.text}
            self._tried[fix] = self._again is not None and not why_not([fix], self.judgements, texts, self._again)
        return self._tried[fix]

    def mended(self) -> FixPlan | None:
        """Everything in it that can be mended."""
        if self._again is None:
            return None
        return plan(self.judgements, {self.text.path: self.text}, self._again)


@dataclass(frozen=True)
class Again:
    """Judges the file anew with another text in it."""

    path: Path
    workspace: Workspace
    name: str

    def __call__(self, instead: Mapping[str, bytes]) -> Sequence[Judgement]:
        return _judged(self.path, instead[self.name], self.workspace).judgements if self.name in instead else ()


def check_text(path: Path, text: str, workspace: Workspace) -> Checked:
    """Raises nothing for whatever stands in the text."""
    remember_scripts()
    remember_walks()
    data = text.encode("utf-8", "replace")
    try:
        found = _judged(path, data, workspace)
    except InputError as problem:
        return Checked(Text(shown_path(path), text), refused=[str(problem)])
    return Checked(
        Text(shown_path(path), data.decode("utf-8")),
        found.judgements,
        found.refused,
        found.is_known,
        found.scripts,
        Again(path, workspace, shown_path(path)),
    )


def _judged(path: Path, data: bytes, workspace: Workspace) -> Checked:
    text = Text(shown_path(path), "")
    settings = _settings(path.parent)
    real = os.path.realpath(path)
    if settings is not None and settings.exclude and exclusion_of(settings.folder, settings.exclude).holds(real):
        return Checked(text)
    every = frozenset(ids())
    source = Source(path, text.path, named=False, real=real, data=data, scopes=workspace.around.scopes())
    looked = look_at([source], Fleets(workspace.fleet, workspace.stack), every)
    left_out = {each.rule for each in settings.left_out} if settings is not None else set()
    missing = {kind for scene in looked.scenes for kind in scene.missing}
    rules = [each for each in judging([each.told for each in looked.scenes], missing) if each.id not in left_out]
    judgements = judge(looked.scenes, rules, rule("rule-crashed"), rule("suppression-unused"), every - left_out)
    baseline = _baseline(path.parent, settings)
    if baseline is not None:
        judgements, _ = lay_over(judgements, baseline)
    return Checked(text, judgements, looked.refused, bool(looked.recognised), _scripts(looked.scenes, text.path))


def _scripts(scenes: Sequence[Scene], path: str) -> list[BootScript]:
    facts = (fact for each in scenes for fact in each.facts)
    return [each for each in facts if isinstance(each, BootScript) and each.place.path == path]


def _settings(folder: Path) -> Settings | None:
    """The nearest. Its own rules are not run: to open a file is no word that its code may run."""
    return next((found for each in up_to_repository(folder) if (found := settings_in(each)) is not None), None)


def _baseline(folder: Path, settings: Settings | None) -> Baseline | None:
    if settings is not None and settings.baseline:
        path = settings.folder / settings.baseline
    else:
        path = next((each / NAME for each in up_to_repository(folder) if (each / NAME).is_file()), folder / NAME)
        if not path.is_file():
            return None
    try:
        found = path.stat()
    except OSError as problem:
        raise InputError(f"can't read the baseline {shown_path(path)}: {problem.strerror}") from None
    return _read_baseline(path, found.st_mtime_ns, found.st_size)


@lru_cache(maxsize=4)
def _read_baseline(path: Path, _changed: int, _size: int) -> Baseline:
    """At every keystroke the same one."""
    return read(path, shown_path(path))


UNREADABLE = "input-readable"


@dataclass(frozen=True)
class Shift:
    """Which lines of one text are those of another: all but those between the first and the last that differ."""

    above: int
    # How many lines from the end on are the same, and how many there were.
    below: int
    before: int
    now: int

    @staticmethod
    def between(before: Text, now: Text) -> Shift:
        old, new = before.text.split("\n"), now.text.split("\n")
        least = min(len(old), len(new))
        above = next((at for at in range(least) if old[at] != new[at]), least)
        rest = least - above
        below = next((at for at in range(rest) if old[-1 - at] != new[-1 - at]), rest)
        return Shift(above, below, len(old), len(new))

    def line(self, number: int) -> int | None:
        """The line that was this one; None where it was changed."""
        if number <= self.above:
            return number
        return number - self.before + self.now if number > self.before - self.below else None


def with_what_holds(checked: Checked, last: Checked | None, kept: list[Finding], *, known: bool) -> list[Finding]:
    """The findings of this text, and those of the last one (`kept` are all that were shown) that nobody has judged.
    `known` says whether the file was one of ours before."""
    found = list(checked.here)
    if last is None or not checked.text.text.strip():
        return found
    undecided = {each.rule for each in found if each.verdict is not Verdict.FAIL}
    failed = {each.rule for each in found if each.verdict is Verdict.FAIL}
    unread = UNREADABLE in undecided or bool(checked.refused) or (known and not checked.is_known)
    shift = Shift.between(last.text, checked.text)
    return [*found, *(each for each in _moved(kept, shift) if unread or each.rule in undecided - failed)]


def _moved(kept: list[Finding], shift: Shift) -> Iterator[Finding]:
    for each in kept:
        line = shift.line(each.where.line) if each.where.line is not None else None
        if each.verdict is Verdict.FAIL and line is not None:
            yield replace(each, where=replace(each.where, line=line))
