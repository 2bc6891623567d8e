"""A fix is tried on the text first: what it does not mend, or what it breaks, is not taken."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import pytest

from nodeworthy.edit import Edit, EditKind
from nodeworthy.engine import Judgement, Nothing
from nodeworthy.fixes import plan as planning
from nodeworthy.fixes import proposals
from nodeworthy.fixes.text import Change, Fix, Text, apart, apply_changes
from nodeworthy.rules import rule
from nodeworthy.verdict import Finding, Place, Verdict, fail

RULE = rule("toolkit-env-wellformed")
NOTHING_TO_JUDGE = "the file is none of ours any more"


def finding(says: str) -> Finding:
    place = Place("f", 1, 1)
    return Finding.of(fail(place, says, edit=Edit(EditKind.WORD, place, says, "", "out with it")), RULE.id)


def judged(*says: str) -> list[Judgement]:
    found = tuple(finding(each) for each in says)
    if says == (NOTHING_TO_JUDGE,):
        return []
    return [Judgement(RULE, Nothing(Place("f")), Verdict.FAIL if found else Verdict.PASS, found)]


def planned(
    monkeypatch: pytest.MonkeyPatch, text: str, first: Sequence[str], judge: Mapping[str, Sequence[str]]
) -> planning.FixPlan:
    """Each finding is mended by taking its own word out of the text; what is found in a text, `judge` says."""

    def out_with_it(text: Text, edit: Edit) -> list[Change]:
        at = text.text.find(edit.was)
        return [Change(at, at + len(edit.was), "")]

    monkeypatch.setitem(proposals._ONE_BY_ONE, EditKind.WORD, out_with_it)
    return planning.plan(judged(*first), {"f": Text("f", text)}, lambda data: judged(*judge[data["f"].decode()]))


def test_what_mends_is_taken(monkeypatch: pytest.MonkeyPatch) -> None:
    plan = planned(monkeypatch, "a b", ["a", "b"], {" ": []})
    assert (plan.after["f"].text, plan.mended, plan.left) == (" ", 2, [])


def test_what_mends_nothing_is_not_taken(monkeypatch: pytest.MonkeyPatch) -> None:
    plan = planned(monkeypatch, "a b", ["a", "b"], {" ": ["a"], " b": ["a", "b"], "a ": ["a"]})
    assert plan.after["f"].text == "a "
    assert [each.why for each in plan.left] == [planning.STILL_THERE]


def test_what_breaks_something_is_not_taken(monkeypatch: pytest.MonkeyPatch) -> None:
    plan = planned(monkeypatch, "a", ["a"], {"": ["c"]})
    assert plan.changed == []
    assert [each.why for each in plan.left] == ["with the edit toolkit-env-wellformed would say: c"]


def test_what_is_no_longer_looked_at_is_not_mended(monkeypatch: pytest.MonkeyPatch) -> None:
    plan = planned(monkeypatch, "a", ["a"], {"": [NOTHING_TO_JUDGE]})
    assert plan.changed == []
    assert [each.why for each in plan.left] == [planning.NOT_LOOKED_AT]


def test_what_one_fix_uncovers_is_mended_in_the_same_run(monkeypatch: pytest.MonkeyPatch) -> None:
    plan = planned(monkeypatch, "a b", ["b"], {"a ": [], "": []})
    assert plan.after["f"].text == "a "


def test_two_fixes_that_only_fail_together_are_not_both_taken(monkeypatch: pytest.MonkeyPatch) -> None:
    found = {" ": ["c"], " b": ["b"], "a ": ["a"]}
    plan = planned(monkeypatch, "a b", ["a", "b"], found)
    assert plan.after["f"].text == " b"
    assert [each.why for each in plan.left] == ["with the edit toolkit-env-wellformed would say: c"]


def test_changes_are_made_from_the_text_as_it_was() -> None:
    assert apply_changes("abcdef", [Change(4, 5, ""), Change(0, 1, "xyz"), Change(2, 2, "-")]) == "xyzb-cdf"


@pytest.mark.parametrize(
    ("one", "other", "meet"),
    [
        (Change(0, 3, ""), Change(3, 5, ""), False),
        (Change(0, 3, ""), Change(2, 5, ""), True),
        (Change(3, 3, "x"), Change(3, 3, "y"), False),
        (Change(3, 3, "x"), Change(0, 3, ""), False),
        (Change(2, 2, "x"), Change(0, 3, ""), True),
    ],
)
def test_what_meets(one: Change, other: Change, meet: bool) -> None:
    assert one.meets(other) is meet
    assert other.meets(one) is meet


def test_one_change_that_two_findings_ask_for_is_made_once() -> None:
    changes = (Change(0, 1, "x"),)
    kept, against = apart([Fix((finding("a"),), changes, "t"), Fix((finding("b"),), changes, "t")])
    assert against == []
    assert [[each.message for each in fix.findings] for fix in kept] == [["a", "b"]]


def test_positions_of_a_text() -> None:
    text = Text.of("f", "\ufeffä\r\nb\n\nd".encode())
    assert (text.mark, text.lines) == (b"\xef\xbb\xbf", 4)
    assert [text.line(number) for number in range(6)] == ["", "ä", "b", "", "d", ""]
    assert [text.line_end(number) for number in (1, 2, 3, 4)] == ["\r\n", "\n", "\n", "\n"]
    assert [text.offset(*at) for at in ((1, 1), (1, 2), (1, 3), (4, 2), (4, 3), (5, 1), (0, 1))] == [
        *(0, 1, None, 7, None, None, None)
    ]
    assert text.position(3) == (2, 1)
    assert text.data == "\ufeffä\r\nb\n\nd".encode()
