"""A fix is tried on the text first: what it does not mend, or what it breaks, is not taken."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

import pytest

from nodeworthy.engine import Judgement, Nothing
from nodeworthy.fixes import plan as planning
from nodeworthy.fixes.edit import Edit, Fix, Left, apart, applied
from nodeworthy.fixes.fault import Fault
from nodeworthy.fixes.text import Text
from nodeworthy.rules import rule
from nodeworthy.verdict import Finding, Place, Verdict, fail

RULE = rule("toolkit-env-wellformed")
NOTHING_TO_JUDGE = "the file is none of ours any more"


def finding(says: str) -> Finding:
    return replace(fail(Place("f", 1, 1), says), rule=RULE.id)


def judged(*says: str) -> list[Judgement]:
    found = tuple(finding(each) for each in says)
    if says == (NOTHING_TO_JUDGE,):
        return []
    return [Judgement(RULE, Nothing(Place("f")), Verdict.FAIL if found else Verdict.PASS, found)]


def planned(
    monkeypatch: pytest.MonkeyPatch, text: str, first: Sequence[str], judge: Mapping[str, Sequence[str]]
) -> planning.Plan:
    """Each finding is mended by taking its own word out of the text; what is found in a text, `judge` says."""

    def fixer(fault: Fault) -> list[Fix | Left]:
        found: list[Fix | Left] = []
        for each in fault.findings:
            at = fault.text.text.find(each.message)
            found.append(Fix((each,), (Edit(at, at + len(each.message), ""),), "out with it"))
        return found

    monkeypatch.setattr("nodeworthy.fixes.proposals.fixer", lambda _: fixer)
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


def test_edits_are_made_from_the_text_as_it_was() -> None:
    assert applied("abcdef", [Edit(4, 5, ""), Edit(0, 1, "xyz"), Edit(2, 2, "-")]) == "xyzb-cdf"


@pytest.mark.parametrize(
    ("one", "other", "meet"),
    [
        (Edit(0, 3, ""), Edit(3, 5, ""), False),
        (Edit(0, 3, ""), Edit(2, 5, ""), True),
        (Edit(3, 3, "x"), Edit(3, 3, "y"), False),
        (Edit(3, 3, "x"), Edit(0, 3, ""), False),
        (Edit(2, 2, "x"), Edit(0, 3, ""), True),
    ],
)
def test_what_meets(one: Edit, other: Edit, meet: bool) -> None:
    assert one.meets(other) is meet
    assert other.meets(one) is meet


def test_one_edit_that_two_findings_ask_for_is_made_once() -> None:
    edits = (Edit(0, 1, "x"),)
    kept, against = apart([Fix((finding("a"),), edits, "t"), Fix((finding("b"),), edits, "t")])
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
