"""Matches rules to facts by type, and counts what came of it."""

from __future__ import annotations

import itertools
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any

from nodeworthy.backstop import TookTooLong, call_bounded
from nodeworthy.derive import Facts
from nodeworthy.limits import GIVEN_UP_OF_A_SUBJECT, SECONDS_TOGETHER
from nodeworthy.one_cause import told_by_one_rule, told_by_others, told_first
from nodeworthy.records import dataclass, field, replace
from nodeworthy.rule import BoundCheck, Many, Parameter, Rule
from nodeworthy.scene import Fact, Missing, Scene
from nodeworthy.suppression import Suppressed
from nodeworthy.telling import merge_equal, name_the_unknown, reason, sign, without_secrets
from nodeworthy.verdict import (
    DoesNotApply,
    Draft,
    Finding,
    NotKnown,
    Place,
    Severity,
    ToGive,
    Verdict,
    draft,
    error,
    fail,
    unknown,
    worst,
)

_NOT_ASKED = "was not asked here, so nothing is known of it: rules before it took too long on the same"


@dataclass(frozen=True)
class Judgement:
    """One rule, one subject, one verdict."""

    rule: Rule
    subject: Fact
    verdict: Verdict
    findings: tuple[Finding, ...]
    suppressed: bool = False
    why: str | None = None  # of a skip
    crashed: str | None = None  # the rule that crashed, where this is the finding of it
    simulated: bool = False  # decided only by a run with made-up outputs
    also_skipped: tuple[str, ...] = ()  # why other checks of the rule did not apply, where one gave the verdict

    @property
    def reasons(self) -> tuple[str, ...]:
        """Why something was skipped here."""
        return (self.why or "",) if self.verdict is Verdict.SKIP else self.also_skipped

    @property
    def severity(self) -> Severity:
        """The severity of the findings that gave the verdict."""
        speaking = [each for each in self.findings if each.verdict is self.verdict and not each.suppressed]
        if not speaking:
            return self.rule.severity
        return Severity.ERROR if any(each.severity is Severity.ERROR for each in speaking) else Severity.WARNING


def judge(
    scenes: Iterable[Scene],
    rules: Sequence[Rule],
    crash: Rule,
    unused: Rule | None = None,
    ran: frozenset[str] | None = None,
) -> list[Judgement]:
    """Asks every rule about every fact that it judges.

    `crash` and `unused` are the rules that sign the engine's own findings. `ran` holds the ids of all rules that were
    to run; `rules` may lack those that have nothing to judge here.
    """
    return once_of_all(each for scene in scenes for each in judge_scene(scene, rules, crash, unused, ran))


def judge_scene(
    scene: Scene, rules: Sequence[Rule], crash: Rule, unused: Rule | None = None, ran: frozenset[str] | None = None
) -> list[Judgement]:
    """The same of one scene, whatever others say."""
    suppressed = Suppressed(scene.suppressions)
    made = told_by_one_rule(list(_Judging(scene, suppressed, crash).by(rules)), scene)
    judgements = [told for each in made if (told := _asked_about(each, scene)) is not None]
    if unused is not None:
        asked = _asked_here(scene, rules, ran or frozenset(rule.id for rule in rules))
        never_used = _unused_suppressions(made, suppressed, set(asked), unused)
        judgements += [each for each in never_used if each.subject.place.path not in scene.evidence]
    return judgements


def once_of_all(judgements: Iterable[Judgement]) -> list[Judgement]:
    """All judgements of a run, less what several scenes, or several rules, say of the same."""
    return told_first(told_by_others([*judgements]))


def _asked_here(scene: Scene, rules: Sequence[Rule], ran: frozenset[str]) -> frozenset[str]:
    """The rules that a suppression of this scene may be of."""
    if scene.about is not None:
        return frozenset(rule.id for rule in rules if any(scene.is_about(each.subject) for each in rule.checks))
    return ran - {rule.id for rule in rules if _is_judged_elsewhere(rule, scene)}


def _is_judged_elsewhere(rule: Rule, scene: Scene) -> bool:
    checks = rule.checks
    if any(scene.is_better_told_of(each) for each in checks):
        return True
    return bool(checks) and all(each.subject in scene.elsewhere for each in checks)


def _asked_about(judgement: Judgement, scene: Scene) -> Judgement | None:
    """The part of a judgement that concerns the files somebody asked about. None where no part does."""
    if judgement.subject.place.path not in scene.evidence:
        return judgement
    kept = tuple(each for each in judgement.findings if each.where.path in scene.judged)
    if kept:
        return _verdict(judgement.rule, judgement.subject, kept)
    is_asked = not scene.judged.isdisjoint(getattr(judgement.subject, "stands_in", ()))
    if not is_asked or not judgement.findings:
        return judgement if is_asked else None
    return _verdict(judgement.rule, judgement.subject, ())


@dataclass
class _Judging:
    """The facts of one scene, and what has been given up of them."""

    scene: Scene
    suppressed: Suppressed
    crash: Rule
    given_up: Counter[int] = field(default_factory=Counter)

    def by(self, rules: Iterable[Rule]) -> Iterator[Judgement]:
        for rule in rules:
            yield from self._by_rule(rule)

    def _by_rule(self, rule: Rule) -> Iterator[Judgement]:
        checks: dict[type[Any], list[BoundCheck]] = defaultdict(list)
        for check in rule.checks:
            if self.scene.asks(check):
                checks[check.subject].append(check)
        for subject_type, its_checks in checks.items():
            try:
                subjects = call_bounded(self._together, subject_type, its_checks, seconds=SECONDS_TOGETHER)
            except TookTooLong as problem:
                why = f"what the rule {rule.id} asks for was not put together, so nothing is known of it: {problem.why}"
                yield _crashed(rule, Nothing(self._place), why, self.crash)
                continue
            missing = self.scene.missing.get(subject_type)
            if missing is not None and not subjects:
                yield _not_seen(rule, missing)
            for subject in subjects:
                yield from self._in_time(rule, its_checks, subject)

    def _together(self, kind: type[Any], checks: Iterable[BoundCheck]) -> Sequence[Fact]:
        """The subjects of this type. The facts that they are judged by are made first, because making them may take
        longer than judging."""
        found = self.scene.told.of(kind)
        for parameter in (each for check in checks for each in check.context) if found else ():
            self.scene.told.of(parameter.type)
        return found

    @property
    def _place(self) -> Place:
        return self.scene.facts[0].place if self.scene.facts else Place()

    def _in_time(self, rule: Rule, checks: Sequence[BoundCheck], subject: Fact) -> Sequence[Judgement]:
        if self.given_up[id(subject)] >= GIVEN_UP_OF_A_SUBJECT:
            return [_crashed(rule, subject, f"the rule {rule.id} {_NOT_ASKED}", self.crash)]
        try:
            return call_bounded(self._of_subject, rule, checks, subject)
        except TookTooLong as problem:
            self.given_up[id(subject)] += 1
            why = f"the rule {rule.id} was given up here, so nothing is known of it: {problem.why}"
            return [_crashed(rule, subject, why, self.crash)]

    def _of_subject(self, rule: Rule, checks: Sequence[BoundCheck], subject: Fact) -> list[Judgement]:
        outcomes = [each for check in checks for each in _outcomes(check, subject, self.scene)]
        if subject.place.path in self.scene.evidence:
            # Nobody hears what is said of it, and of a whole repository that is most of what would be put into words.
            outcomes = [replace(each, drafts=self._of_judged_files(each.drafts)) for each in outcomes]
        return list(_judgements(rule, subject, outcomes, self.suppressed, self.crash))

    def _of_judged_files(self, drafts: Iterable[Draft]) -> tuple[Draft, ...]:
        return tuple(each for each in drafts if each.where.path in self.scene.judged)


@dataclass(frozen=True)
class Nothing:
    """The subject of a rule whose facts could not be had."""

    place: Place


def _not_seen(rule: Rule, missing: Missing) -> Judgement:
    subject = Nothing(missing.place)
    if missing.verdict is Verdict.SKIP:
        return Judgement(rule, subject, Verdict.SKIP, (), why=reason(missing.why))
    found = sign(draft(missing.verdict, missing.place, missing.why), rule)
    return Judgement(rule, subject, missing.verdict, (found,))


def nothing_to_judge(rule: Rule) -> Judgement:
    """A skip with its reason, for a rule that would be silent otherwise."""
    subjects = dict.fromkeys(_name_of_type(check.subject) for check in rule.checks)
    return Judgement(rule, Nothing(Place()), Verdict.SKIP, (), why=f"nothing here is {' or '.join(subjects)}")


# One call of a check: what it found, or why it was skipped, or how it crashed.
@dataclass(frozen=True)
class _Outcome:
    drafts: tuple[Draft, ...] = ()
    skipped: str | None = None
    crashed: str | None = None


def _outcomes(check: BoundCheck, subject: Fact, scene: Scene) -> Iterator[_Outcome]:
    choices: list[Sequence[Any]] = []
    for parameter in check.context:
        chosen = _own(subject, parameter)
        if isinstance(chosen, str):
            yield _Outcome(skipped=reason(chosen))
            return
        if chosen is None:
            chosen = _choose(parameter, scene.told)
        if not chosen:
            missing = scene.missing.get(parameter.type)
            if missing is not None and missing.verdict is not Verdict.SKIP:
                yield _Outcome((draft(missing.verdict, subject, missing.why),))
            else:
                yield _Outcome(
                    skipped=reason(missing.why) if missing else f"nothing here is {_name_of_type(parameter.type)}"
                )
            return
        choices.append(chosen)
    for context in itertools.product(*choices):
        yield _call(check.function, subject, context)


def _own(subject: Fact, parameter: Parameter) -> Sequence[Any] | str | None:
    """The facts that belong to this subject alone, such as a script's own pools. A string says why it has none."""
    judged_by = getattr(subject, "judged_by", None)
    own: Sequence[Any] | str | None = judged_by(parameter.type) if judged_by is not None else None
    if own is None or isinstance(own, str):
        return [None] if own is not None and parameter.many is Many.OPTIONAL else own
    return [tuple(own)] if parameter.many is Many.ALL else own


def _choose(parameter: Parameter, told: Facts) -> Sequence[Any]:
    facts = told.of(parameter.type)
    if parameter.many is Many.ALL:
        return [tuple(facts)] if facts else []
    if parameter.many is Many.OPTIONAL:
        return facts or [None]
    return facts


def _name_of_type(kind: type[Any]) -> str:
    return str(getattr(kind, "called", kind.__name__))


def _call(function: Callable[..., Any], subject: Fact, context: Sequence[Any]) -> _Outcome:
    found: list[Draft] = []
    try:
        for each in function(subject, *context) or ():
            found.append(each)
    except NotKnown as not_known:
        found.append(unknown(not_known.place or subject, name_the_unknown(not_known)))
    except DoesNotApply as skipped:
        return _Outcome(tuple(found), skipped=None if found else reason(skipped.why))
    except Exception as problem:  # noqa: BLE001 - a rule's fault must not end the run: it becomes a finding of its own
        return _Outcome(tuple(found), crashed=_crash(function, problem))
    return _Outcome(tuple(found))


def _crash(function: Callable[..., Any], problem: Exception) -> str:
    import traceback

    last = traceback.extract_tb(problem.__traceback__)[-1]
    return f"{function.__name__}: {type(problem).__name__}: {problem} ({last.name}, line {last.lineno})"


def _judgements(
    rule: Rule, subject: Fact, outcomes: Sequence[_Outcome], suppressed: Suppressed, crash: Rule
) -> Iterator[Judgement]:
    for outcome in outcomes:
        if outcome.crashed:
            why = f"the rule {rule.id} crashed here, so nothing is known of it: {outcome.crashed}"
            yield _crashed(rule, subject, why, crash)
    calls = [outcome for outcome in outcomes if not outcome.crashed]
    if not calls:
        return
    skips = [outcome.skipped for outcome in calls if outcome.skipped is not None]
    if len(skips) == len(calls):
        to_give = (why for why in skips if isinstance(why, ToGive))
        yield Judgement(rule, subject, Verdict.SKIP, (), why=next(to_give, skips[0]))
        return
    found = [sign(each, rule) for outcome in calls for each in outcome.drafts]
    made = _verdict(rule, subject, [suppressed.applied(each) for each in merge_equal(found)])
    yield replace(made, also_skipped=tuple(dict.fromkeys(skips))) if skips else made


def _verdict(rule: Rule, subject: Fact, findings: Sequence[Finding]) -> Judgement:
    open_findings = [each for each in findings if not each.suppressed]
    verdict = worst(each.verdict for each in open_findings) if open_findings else Verdict.PASS
    return Judgement(rule, subject, verdict, tuple(findings), suppressed=bool(findings) and not open_findings)


def _crashed(rule: Rule, subject: Fact, why: str, crash: Rule) -> Judgement:
    found = Finding.of(error(subject, why), crash.id, remedy=crash.remedy)
    return Judgement(crash, subject, Verdict.ERROR, (without_secrets(found),), crashed=rule.id)


def _unused_suppressions(
    made: Sequence[Judgement], suppressed: Suppressed, ran: set[str], unused: Rule
) -> Iterator[Judgement]:
    undecided = {
        (judgement.subject.place.path, judgement.subject.place.object, judgement.crashed or judgement.rule.id)
        for judgement in made
        if judgement.verdict in (Verdict.SKIP, Verdict.UNKNOWN, Verdict.ERROR)
    }
    for each, why in suppressed.without_effect(ran, undecided):
        found = fail(each, f"this suppression has no effect: {why}", remedy=unused.remedy)
        told = without_secrets(Finding.of(found, unused.id, severity=unused.severity))
        yield Judgement(unused, each, Verdict.FAIL, (told,))
