"""When a repair has helped, and how long it is waited for."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from nodeworthy.engine import Judgement, Nothing
from nodeworthy.errors import CouldNotLook
from nodeworthy.repair.change import Change, Target
from nodeworthy.repair.run import complaints, wait
from nodeworthy.rules import rule
from nodeworthy.verdict import Finding, Place, Verdict

CAUSE = Finding(Verdict.FAIL, "wrong folders", Place(object="DaemonSet/a/b"), rule="containerd-paths", remedy="set it")
CHANGE = Change(Target("ClusterPolicy", "c"), (), (CAUSE,), {}, watched=("toolkit-reaches-containerd",))


def found(message: str, of: str = "containerd-paths", at: str = "DaemonSet/a/b", **more: object) -> Finding:
    verdict = more.pop("verdict", Verdict.FAIL)
    assert isinstance(verdict, Verdict)
    return Finding(verdict, message, Place(object=at), rule=of, remedy="another", suppressed=bool(more))


def judged(*findings: Finding) -> list[Judgement]:
    return [Judgement(rule("containerd-paths"), Nothing(Place()), Verdict.FAIL, findings)]


@pytest.mark.parametrize(
    ("now", "is_well"),
    [
        ((), True),
        ((CAUSE,), False),
        ((found("wrong folders"),), False),
        # A rule that watches finds what was not there before, or can't tell any more.
        ((found("does not run", "toolkit-reaches-containerd"),), False),
        ((found("not known", "toolkit-reaches-containerd", verdict=Verdict.UNKNOWN),), False),
        ((found("does not run", "toolkit-reaches-containerd", suppressed=True),), True),
        ((found("was there before", "toolkit-reaches-containerd", "Node/x"),), True),
        # Whatever else goes wrong meanwhile is not of our making.
        ((found("a disk is full", "disk-has-room", "Node/x"),), True),
    ],
)
def test_what_is_still_complained_of(now: tuple[Finding, ...], is_well: bool) -> None:
    before = judged(CAUSE, found("was there before", "toolkit-reaches-containerd", "Node/x"))
    assert (complaints(before, judged(*now), [CHANGE]) == []) is is_well


def test_a_message_may_count_differently() -> None:
    cause = Finding(Verdict.FAIL, "2 pods were refused", Place(object="Node/n"), rule="r", remedy="unlock it")
    now = Finding(Verdict.FAIL, "3 pods were refused", Place(object="Node/n"), rule="r", remedy="unlock it")
    change = Change(Target("Node", "n"), (), (cause,), {})
    assert complaints(judged(cause), judged(now), [change]) == [now]


@pytest.fixture(autouse=True)
def _no_pauses(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("nodeworthy.repair.run._FIRST_PAUSE", 0.01)


def saying(*words: str) -> Iterator[str]:
    yield from words


def test_it_is_waited_until_all_is_well() -> None:
    words = saying("no", "no", "")
    assert wait(lambda: next(words), 100).still == ""


def test_it_is_waited_no_longer_than_that() -> None:
    assert wait(lambda: "no", 0.05).still == "no"


def test_a_server_that_is_away_for_a_moment_is_asked_again() -> None:
    answers = iter([CouldNotLook("away"), None])

    def look() -> str:
        answer = next(answers)
        if answer is not None:
            raise answer
        return ""

    assert wait(look, 100).still == ""
