"""Matches rules to facts by type, and counts what came of it."""

from __future__ import annotations

import itertools
import traceback
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import field, replace
from typing import Any

from nodeworthy.one_cause import told_once_that_unread
from nodeworthy.records import dataclass
from nodeworthy.rule import BoundCheck, Many, Parameter, Rule
from nodeworthy.suppression import Suppressed, Suppression
from nodeworthy.telling import of_what, plainly, signed, told_once, without_secrets
from nodeworthy.verdict import (
    DoesNotApply,
    Finding,
    NotKnown,
    Place,
    Placed,
    Severity,
    ToGive,
    Verdict,
    finding,
    worst,
)

Fact = Placed


@dataclass(frozen=True, slots=True)
class Missing:
    """Why there is no fact of some type: `skip` where it may rightly be so, `unknown` where we could not look."""

    why: str
    verdict: Verdict = Verdict.SKIP
    place: Place = field(default_factory=Place)


@dataclass(frozen=True)
class Scene:
    """Facts that belong together: a fleet, and what is judged by it."""

    facts: Sequence[Fact]
    missing: Mapping[type[Any], Missing] = field(default_factory=dict)
    suppressions: Sequence[Suppression] = ()
    # Rules (their ids) that judge the same by better facts of another scene.
    judged_elsewhere: frozenset[str] = frozenset()
    # What rules are about here, where not everything in it is: the rest is what they judge by, and others judge it.
    subjects: frozenset[type[Any]] | None = None
    # Of files that nobody asked about, by their paths: they are looked at for what the others are, and nothing is told
    # of them. Empty where all was asked about; else `judged` are those that were.
    evidence: frozenset[str] = frozenset()
    judged: frozenset[str] = frozenset()


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
        """That of the findings that gave the verdict."""
        speaking = [each for each in self.findings if each.verdict is self.verdict and not each.suppressed]
        if not speaking or any(each.severity is Severity.ERROR for each in speaking):
            return self.rule.severity
        return Severity.WARNING


def judge(
    scenes: Iterable[Scene],
    rules: Sequence[Rule],
    crash: Rule,
    unused: Rule | None = None,
    ran: frozenset[str] | None = None,
) -> list[Judgement]:
    """Every rule on every fact that it asks for. `crash` and `unused` are the rules of the engine's own findings; `ran`
    are the ids of all that were to run, where those that have nothing to judge are left out of `rules`."""
    judgements: list[Judgement] = []
    for scene in scenes:
        suppressed = Suppressed(scene.suppressions)
        made = told_once_that_unread(list(_judge_scene(scene, rules, suppressed, crash)))
        judgements += [told for each in made if (told := _asked_about(each, scene)) is not None]
        if unused is not None:
            asked = _asked_here(scene, rules, ran or frozenset(rule.id for rule in rules))
            never_used = _unused_suppressions(made, suppressed, set(asked), unused)
            judgements += [each for each in never_used if each.subject.place.path not in scene.evidence]
    return judgements


def _asked_here(scene: Scene, rules: Sequence[Rule], ran: frozenset[str]) -> frozenset[str]:
    """The rules that a suppression of this scene may be of."""
    if scene.subjects is not None:
        ran = frozenset(rule.id for rule in rules if any(each.subject in scene.subjects for each in rule.checks))
    return ran - scene.judged_elsewhere


def _asked_about(judgement: Judgement, scene: Scene) -> Judgement | None:
    """What of it is told of files that were asked about; None where nothing is."""
    if judgement.subject.place.path not in scene.evidence:
        return judgement
    kept = tuple(each for each in judgement.findings if each.where.path in scene.judged)
    return _verdict(judgement.rule, judgement.subject, kept) if kept else None


def _judge_scene(scene: Scene, rules: Sequence[Rule], suppressed: Suppressed, crash: Rule) -> Iterator[Judgement]:
    by_type: dict[type[Any], list[Fact]] = defaultdict(list)
    for fact in scene.facts:
        by_type[type(fact)].append(fact)
    for rule in (each for each in rules if each.id not in scene.judged_elsewhere):
        yield from _judge_rule(rule, by_type, scene, suppressed, crash)


def _judge_rule(
    rule: Rule, by_type: Mapping[type[Any], list[Fact]], scene: Scene, suppressed: Suppressed, crash: Rule
) -> Iterator[Judgement]:
    checks: dict[type[Any], list[BoundCheck]] = defaultdict(list)
    for check in rule.checks:
        checks[check.subject].append(check)
    for subject_type, its_checks in checks.items():
        if scene.subjects is not None and subject_type not in scene.subjects:
            continue
        missing = scene.missing.get(subject_type)
        if missing is not None and not by_type.get(subject_type):
            yield _not_seen(rule, missing)
        for subject in by_type.get(subject_type, ()):
            outcomes = [o for check in its_checks for o in _outcomes(check, subject, by_type, scene)]
            yield from _judgements(rule, subject, outcomes, suppressed, crash)


@dataclass(frozen=True)
class Nothing:
    """The subject of a rule whose facts could not be had."""

    place: Place


def _not_seen(rule: Rule, missing: Missing) -> Judgement:
    subject = Nothing(missing.place)
    if missing.verdict is Verdict.SKIP:
        return Judgement(rule, subject, Verdict.SKIP, (), why=missing.why)
    found = signed(finding(missing.verdict, missing.place, missing.why), rule)
    return Judgement(rule, subject, missing.verdict, (found,))


# One call of a check: what it found, or why it was skipped, or how it crashed.
@dataclass(frozen=True)
class _Outcome:
    findings: tuple[Finding, ...] = ()
    skipped: str | None = None
    crashed: str | None = None


def _outcomes(
    check: BoundCheck, subject: Fact, by_type: Mapping[type[Any], list[Fact]], scene: Scene
) -> Iterator[_Outcome]:
    choices: list[Sequence[Any]] = []
    for parameter in check.context:
        chosen = _own(subject, parameter)
        if isinstance(chosen, str):
            yield _Outcome(skipped=chosen)
            return
        if chosen is None:
            chosen = _choose(parameter, by_type)
        if not chosen:
            missing = scene.missing.get(parameter.type)
            if missing is not None and missing.verdict is not Verdict.SKIP:
                yield _Outcome((finding(missing.verdict, subject, missing.why),))
            else:
                yield _Outcome(skipped=missing.why if missing else f"nothing here is {_named(parameter.type)}")
            return
        choices.append(chosen)
    for context in itertools.product(*choices):
        yield _call(check.function, subject, context)


def _own(subject: Fact, parameter: Parameter) -> Sequence[Any] | str | None:
    """What only this subject is judged by (a script's own pools, of all that there are), or why it has none."""
    judged_by = getattr(subject, "judged_by", None)
    own: Sequence[Any] | str | None = judged_by(parameter.type) if judged_by is not None else None
    if own is None or isinstance(own, str):
        return [None] if own is not None and parameter.many is Many.OPTIONAL else own
    return [tuple(own)] if parameter.many is Many.ALL else own


def _choose(parameter: Parameter, by_type: Mapping[type[Any], list[Fact]]) -> Sequence[Any]:
    facts = by_type.get(parameter.type, [])
    if parameter.many is Many.ALL:
        return [tuple(facts)] if facts else []
    if parameter.many is Many.OPTIONAL:
        return facts or [None]
    return facts


def _named(kind: type[Any]) -> str:
    return str(getattr(kind, "called", kind.__name__))


def _call(function: Callable[..., Any], subject: Fact, context: Sequence[Any]) -> _Outcome:
    found: list[Finding] = []
    try:
        for each in function(subject, *context) or ():
            found.append(each)
    except NotKnown as unknown:
        found.append(finding(Verdict.UNKNOWN, unknown.place or subject, of_what(unknown)))
    except DoesNotApply as reason:
        return _Outcome(tuple(found), skipped=None if found else _plain(reason.why))
    except Exception as problem:  # noqa: BLE001 - a rule's fault must not end the run: it becomes a finding of its own
        return _Outcome(tuple(found), crashed=_crash(function, problem))
    return _Outcome(tuple(found))


def _plain(why: str) -> str:
    from nodeworthy.redaction import hidden

    return why if isinstance(why, ToGive) else hidden(plainly(why))


def _crash(function: Callable[..., Any], problem: Exception) -> str:
    last = traceback.extract_tb(problem.__traceback__)[-1]
    return f"{function.__name__}: {type(problem).__name__}: {problem} ({last.name}, line {last.lineno})"


def _judgements(
    rule: Rule, subject: Fact, outcomes: Sequence[_Outcome], suppressed: Suppressed, crash: Rule
) -> Iterator[Judgement]:
    for outcome in outcomes:
        if outcome.crashed:
            yield _crashed(rule, subject, outcome.crashed, crash)
    calls = [outcome for outcome in outcomes if not outcome.crashed]
    if not calls:
        return
    skips = [outcome.skipped for outcome in calls if outcome.skipped is not None]
    if len(skips) == len(calls):
        to_give = (why for why in skips if isinstance(why, ToGive))
        yield Judgement(rule, subject, Verdict.SKIP, (), why=next(to_give, skips[0]))
        return
    found = [signed(each, rule) for outcome in calls for each in outcome.findings]
    made = _verdict(rule, subject, [suppressed.applied(each) for each in told_once(found)])
    yield replace(made, also_skipped=tuple(dict.fromkeys(skips))) if skips else made


def _verdict(rule: Rule, subject: Fact, findings: Sequence[Finding]) -> Judgement:
    open_findings = [each for each in findings if not each.suppressed]
    verdict = worst(each.verdict for each in open_findings) if open_findings else Verdict.PASS
    return Judgement(rule, subject, verdict, tuple(findings), suppressed=bool(findings) and not open_findings)


def _crashed(rule: Rule, subject: Fact, how: str, crash: Rule) -> Judgement:
    why = f"the rule {rule.id} crashed here, so nothing is known of it: {how}"
    found = replace(finding(Verdict.ERROR, subject, why), rule=crash.id, severity=Severity.ERROR, remedy=crash.remedy)
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
        found = finding(Verdict.FAIL, each, f"this suppression has no effect: {why}", remedy=unused.remedy)
        told = without_secrets(replace(found, rule=unused.id, severity=unused.severity))
        yield Judgement(unused, each, Verdict.FAIL, (told,))
