"""Facts in, findings out: what the engine promises whatever the rules are."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import pytest

from nodeworthy.engine import Judgement, judge
from nodeworthy.report.report import Report
from nodeworthy.rule import Moment, Rule
from nodeworthy.scene import Missing, make_scene
from nodeworthy.suppression import Suppression
from nodeworthy.verdict import (
    Draft,
    Located,
    Place,
    Severity,
    ToGive,
    Verdict,
    fail,
    need,
    skip,
)


@dataclass(frozen=True)
class Door:
    place: Place
    colour: Located[str]


@dataclass(frozen=True)
class House:
    place: Place
    colour: Located[str]

    @property
    def title(self) -> str:
        return f"house '{self.place.subject}'"


CRASH = Rule("rule-crashed", Severity.ERROR, "no rule crashes", "report it", about_ourselves=True)
UNUSED = Rule("suppression-unused", Severity.WARNING, "suppressions suppress", "remove it", about_ourselves=True)


def rule(*functions: Callable[..., Iterator[Draft] | None], severity: Severity = Severity.ERROR) -> Rule:
    made = Rule("doors-match", severity, "doors match their houses", "paint it")
    for function in functions:
        made.check(function)
    return made


def doors_match(door: Door, house: House) -> Iterator[Draft]:
    if need(door.colour) != need(house.colour):
        yield fail(door.colour, "the door does not match", should=need(house.colour), on=house.title)


def door(colour: str | None, line: int = 1) -> Door:
    place = Place(path="doors.yaml", line=line)
    located = Located.unknown("painted tomorrow", place) if colour is None else Located.known(colour, place)
    return Door(place, located)


def house(colour: str | None, name: str = "a") -> House:
    place = Place(path="houses.yaml", subject=name)
    located = Located.unknown("not painted yet", place) if colour is None else Located.known(colour, place)
    return House(place, located)


def judged(
    facts: Sequence[Door | House],
    made: Rule | None = None,
    suppressions: Sequence[Suppression] = (),
    **missing: Missing,
) -> list[Judgement]:
    scene = make_scene(facts, {House: missing["house"]} if missing else {}, suppressions)
    return judge([scene], [made or rule(doors_match)], CRASH, UNUSED)


def test_all_that_there_are_may_be_none_of_them_and_never_none() -> None:
    """A check that says otherwise would look for None, and never find it."""

    def with_perhaps_all(door: Door, houses: Sequence[House] | None) -> Iterator[Draft]:
        yield from ()

    with pytest.raises(TypeError, match="an empty sequence, and never None"):
        _ = rule(with_perhaps_all).checks


def test_pass_fail_and_unknown() -> None:
    judgements = judged([door("red", 1), door("blue", 2), door(None, 3), house("red")])
    assert [each.verdict for each in judgements] == [Verdict.PASS, Verdict.FAIL, Verdict.UNKNOWN]
    [found] = judgements[1].findings
    assert (found.is_, found.should, found.where.line) == ("blue", "red", 2)
    assert found.sentence() == "the door does not match on house 'a'"
    assert found.remedy == "paint it"
    assert judgements[2].findings[0].message == "painted tomorrow"


def test_an_unknown_context_never_hides_a_failure_on_another() -> None:
    [judgement] = judged([door("blue"), house(None, "a"), house("red", "b")])
    assert judgement.verdict is Verdict.FAIL
    assert {found.verdict for found in judgement.findings} == {Verdict.FAIL, Verdict.UNKNOWN}


def test_equal_faults_of_several_are_told_once() -> None:
    [judgement] = judged([door("blue"), *(house("red", name) for name in "abcde")])
    [found] = judgement.findings
    assert found.sentence() == "the door does not match on house 'a', house 'b', house 'c' and 2 more"


def test_what_two_subjects_have_in_common_is_told_of_the_first() -> None:
    """One script of two groups is two subjects, and its line is wrong once."""
    first, second = judged([door("red"), door("red"), house("blue")])
    assert [each.verdict for each in (first, second)] == [Verdict.FAIL, Verdict.SKIP]
    assert not second.findings
    assert [each.verdict for each in judged([door("red"), door("red", 2), house("blue")])] == [Verdict.FAIL] * 2


def test_whom_it_harms_is_told_of_each() -> None:
    houses = [house("red", "a"), house("red", "b")]

    def harms_others(door: Door) -> Iterator[Draft]:
        yield fail(door.place, "the door is locked", victims=[houses.pop().title])

    told = judged([door("red"), door("red")], rule(harms_others))
    assert [found.victims for each in told for found in each.findings] == [("house 'b'",), ("house 'a'",)]


def test_without_its_context_a_rule_is_skipped_with_why() -> None:
    [judgement] = judged([door("blue")], house=Missing("there are no houses"))
    assert (judgement.verdict, judgement.why, judgement.findings) == (Verdict.SKIP, "there are no houses", ())


def test_a_context_that_could_not_be_seen_makes_unknown() -> None:
    [judgement] = judged([door("blue")], house=Missing("houses may not be read", Verdict.UNKNOWN))
    assert judgement.verdict is Verdict.UNKNOWN
    assert judgement.findings[0].message == "houses may not be read"


def test_a_subject_that_could_not_be_seen_makes_unknown() -> None:
    scene = make_scene([], {Door: Missing("doors may not be read", Verdict.UNKNOWN, Place(object="doors"))})
    [judgement] = judge([scene], [rule(doors_match)], CRASH, UNUSED)
    assert judgement.verdict is Verdict.UNKNOWN
    assert judgement.findings[0].where.object == "doors"


def test_a_check_that_does_not_apply_is_told_beside_one_that_passes() -> None:
    def never(door: Door) -> None:
        skip("it has no lock")

    [judgement] = judged([door("red"), house("red")], rule(doors_match, never))
    assert (judgement.verdict, judgement.also_skipped) == (Verdict.PASS, ("it has no lock",))


def test_what_the_reader_could_give_is_told_before_what_nobody_could() -> None:
    def never(door: Door) -> None:
        skip("it has no lock")

    def without_a_key(door: Door) -> None:
        skip(ToGive("nobody says which key", "give --key"))

    [judgement] = judged([door("red")], rule(never, without_a_key))
    assert isinstance(judgement.why, ToGive)
    assert judgement.why == "nobody says which key: give --key"


def test_a_finding_may_weigh_less_than_its_rule() -> None:
    def scratched(door: Door) -> Iterator[Draft]:
        yield fail(door, "it is scratched", severity=Severity.WARNING)

    made = judged([door("red")], rule(scratched))
    report = Report(Moment.SOURCE, made)
    assert (report.summary["fail"], report.summary["warnings"]) == (1, 1)
    assert (report.exit_code(), report.exit_code(strict=True)) == (0, 1)


def test_a_crash_is_a_finding_and_the_rest_goes_on() -> None:
    def crashes(door: Door) -> Iterator[Draft]:
        if door.place.line == 1:
            raise ZeroDivisionError("by nought")
        yield fail(door, "seen")

    crashed, judgement = judged([door("red", 1), door("red", 2)], rule(crashes))
    assert (crashed.rule.id, crashed.verdict, crashed.crashed) == ("rule-crashed", Verdict.ERROR, "doors-match")
    assert "doors-match" in crashed.findings[0].message
    assert "ZeroDivisionError: by nought" in crashed.findings[0].message
    assert judgement.verdict is Verdict.FAIL


def test_several_functions_of_a_rule_make_one_verdict() -> None:
    def never(door: Door) -> Iterator[Draft]:
        if door.place.line != 0:
            skip("not today")
        yield fail(door, "never")

    def always(door: Door) -> Iterator[Draft]:
        yield fail(door, "always")

    [judgement] = judged([door("red")], rule(never, always))
    assert judgement.verdict is Verdict.FAIL
    [skipped] = judged([door("red")], rule(never))
    assert (skipped.verdict, skipped.why) == (Verdict.SKIP, "not today")


def test_an_optional_context_may_be_none_and_all_comes_at_once() -> None:
    seen: list[tuple[House | None, Sequence[House]]] = []

    def looks(door: Door, one: House | None, every: Sequence[House] = ()) -> Iterator[Draft]:
        seen.append((one, every))
        yield from ()

    judged([door("red"), house("red", "a"), house("red", "b")], rule(looks))
    assert len(seen) == 2
    assert all(len(every) == 2 for _, every in seen)


def suppression(line: int, rule: str = "doors-match", fault: str | None = None) -> Suppression:
    return Suppression(rule, "old house", Place(path="doors.yaml", line=line), range(line, line + 1), fault)


def test_a_suppressed_failure_counts_as_suppressed_only() -> None:
    judgements = judged([door("blue", 1), house("red")], suppressions=[suppression(1)])
    report = Report(Moment.SOURCE, judgements)
    assert report.summary == {
        "pass": 0, "fail": 0, "skip": 0, "unknown": 0, "error": 0, "warnings": 0, "suppressed": 1,
    }  # fmt: skip
    assert [found.suppressed for found in report.findings] == [True]
    assert report.evaluated["verdicts"] == 1
    assert report.exit_code() == 0


@pytest.mark.parametrize(
    ("colour", "given", "says"),
    [
        ("red", suppression(1), "doors-match finds nothing here"),
        ("blue", suppression(9), "doors-match finds nothing here, but in line 1"),
        ("blue", suppression(1, fault="it gives no reason"), "it gives no reason"),
    ],
)
def test_a_suppression_without_effect_is_a_warning(colour: str, given: Suppression, says: str) -> None:
    judgements = judged([door(colour), house("red")], suppressions=[given])
    [unused] = [each for each in judgements if each.rule is UNUSED]
    assert unused.findings[0].message == f"this suppression has no effect: {says}"
    assert unused.findings[0].severity is Severity.WARNING


@pytest.mark.parametrize("colour", [None, "skip"])
def test_a_suppression_is_not_unused_while_its_rule_could_not_decide(colour: str | None) -> None:
    facts: list[Door | House] = [door(colour)] if colour == "skip" else [door(colour), house("red")]
    judgements = judged(facts, suppressions=[suppression(1)], house=Missing("no houses"))
    assert [each for each in judgements if each.rule is UNUSED] == []


def test_an_unknown_can_not_be_suppressed() -> None:
    [judgement] = judged([door(None), house("red")], suppressions=[suppression(1)])
    assert (judgement.verdict, judgement.suppressed) == (Verdict.UNKNOWN, False)


@pytest.mark.parametrize(
    ("colours", "severity", "options", "code"),
    [
        (["red"], Severity.ERROR, {}, 0),
        (["blue"], Severity.ERROR, {}, 1),
        ([None], Severity.ERROR, {}, 3),
        ([None], Severity.ERROR, {"allow_unknown": True}, 0),
        (["blue", None], Severity.ERROR, {}, 1),
        ([], Severity.ERROR, {}, 3),
        ([], Severity.ERROR, {"allow_unknown": True}, 3),
        (["blue"], Severity.WARNING, {}, 0),
        (["blue"], Severity.WARNING, {"strict": True}, 1),
        (["red", None], Severity.WARNING, {}, 0),
        (["red", None], Severity.WARNING, {"strict": True}, 3),
        ([None], Severity.WARNING, {}, 3),
        ([None], Severity.WARNING, {"allow_unknown": True}, 0),
        ([None], Severity.WARNING, {"strict": True}, 3),
        ([None], Severity.WARNING, {"strict": True, "allow_unknown": True}, 0),
    ],
)
def test_exit_codes(colours: list[str | None], severity: Severity, options: dict[str, bool], code: int) -> None:
    facts = [door(colour, line) for line, colour in enumerate(colours)]
    judgements = judged([*facts, house("red")], rule(doors_match, severity=severity))
    assert Report(Moment.SOURCE, judgements).exit_code(**options) == code


def test_a_crash_is_never_allowed() -> None:
    def crashes(door: Door) -> Iterator[Draft]:
        raise KeyError("x")

    judgements = judged([door("red")], rule(crashes, severity=Severity.WARNING))
    assert Report(Moment.SOURCE, judgements).exit_code(allow_unknown=True) == 3


def any_colour(door: Door) -> Iterator[Draft]:
    yield fail(door.colour, "no paint of this colour is sold")


def hung(door: Door) -> Iterator[Draft]:
    yield fail(door.place, "the door hangs on nothing")


def yielding(*functions: Callable[..., Iterator[Draft]]) -> Rule:
    made = Rule("paint-exists", Severity.ERROR, "paint exists", "buy it", gives_way=True)
    for function in functions:
        made.check(function)
    return made


def test_a_value_that_two_rules_fail_is_told_by_the_one_that_knows_what_it_is_for() -> None:
    facts: list[Door | House] = [door("red"), house("blue")]
    for rules in ([yielding(any_colour), rule(doors_match)], [rule(doors_match), yielding(any_colour)]):
        verdicts = {each.rule.id: each for each in judge([make_scene(facts)], rules, CRASH)}
        assert verdicts["doors-match"].verdict is Verdict.FAIL
        assert verdicts["paint-exists"].verdict is Verdict.SKIP
        assert verdicts["paint-exists"].why == "doors-match says what is wrong"


def test_what_no_other_rule_fails_is_still_told() -> None:
    facts: list[Door | House] = [door("red"), house("blue")]
    *_, left = judge([make_scene(facts)], [rule(doors_match), yielding(any_colour, hung)], CRASH)
    assert [each.message for each in left.findings] == ["the door hangs on nothing"]
    assert left.verdict is Verdict.FAIL
    [alone] = judge([make_scene(facts)], [yielding(any_colour)], CRASH)
    assert alone.verdict is Verdict.FAIL
    matching: list[Door | House] = [door("blue"), house("blue")]
    assert judge([make_scene(matching)], [rule(doors_match), yielding(any_colour)], CRASH)[1].verdict is Verdict.FAIL


def test_what_is_suppressed_tells_for_nobody() -> None:
    both: list[Door | House] = [door("red"), house("blue")]
    scene = make_scene(both, suppressions=[suppression(1)])
    verdicts = {each.rule.id: each.verdict for each in judge([scene], [rule(doors_match), yielding(any_colour)], CRASH)}
    assert verdicts["paint-exists"] is Verdict.FAIL
