"""What a watcher is told: news, and nothing that only grew older; what can't be seen is not gone."""

from __future__ import annotations

from dataclasses import replace

from nodeworthy.report.watched import Changes, Standing, victims_between
from nodeworthy.verdict import Finding, Place, Verdict

NODE = Place(object="Node/gpu-1")
FAULT = Finding(Verdict.FAIL, "7 of 8 GPUs are there", NODE, cause="12 times in 3 minutes", rule="gpu-count-complete")
OTHER = Finding(Verdict.FAIL, "nobody serves it", Place(object="Pod/ml/a"), rule="pending-explained")
REFUSED = Finding(Verdict.UNKNOWN, "the server refused it", Place(subject="nodes"), rule="gpu-count-complete")
BLIND = Finding(Verdict.UNKNOWN, "no pods were seen", Place(subject="pods"), rule="looked-at")


def told(*looks: list[Finding]) -> list[Changes]:
    standing = Standing()
    return [standing.look(each) for each in looks]


def test_what_was_not_there_is_new_and_what_is_mended_is_gone() -> None:
    _, second, third = told([OTHER], [OTHER, FAULT], [OTHER])
    assert second == Changes(new=(FAULT,))
    assert third == Changes(gone=(FAULT,))


def test_counts_that_grow_are_no_news() -> None:
    _, second = told([FAULT], [replace(FAULT, cause="13 times in 4 minutes")])
    assert not second


def test_other_words_and_other_victims_are_news() -> None:
    worse = replace(FAULT, victims=("Pod/ml/a", "Pod/ml/b"))
    _, second, third = told([FAULT], [worse], [replace(worse, victims=("Pod/ml/b",), remedy="drain it")])
    assert [list(victims_between(each)) for each in second.changed] == [[("more", ["Pod/ml/a", "Pod/ml/b"])]]
    assert [list(victims_between(each)) for each in third.changed] == [[("no longer", ["Pod/ml/a"])]]


def test_two_faults_of_a_rule_in_one_place_are_told_apart() -> None:
    second_fault = replace(FAULT, message="a GPU is unhealthy")
    _, second = told([FAULT, second_fault], [second_fault])
    assert second == Changes(gone=(FAULT,))


def test_what_its_rule_can_no_longer_see_is_not_gone() -> None:
    _, second, third, fourth = told([FAULT, OTHER], [OTHER, REFUSED], [OTHER, REFUSED], [OTHER])
    assert (second.new, second.gone, second.unseen) == ((REFUSED,), (), (FAULT,))
    assert not third
    assert fourth == Changes(gone=(REFUSED, FAULT))


def test_what_is_seen_again_as_it_was_is_no_news() -> None:
    *_, last = told([FAULT], [REFUSED], [FAULT])
    assert last == Changes(gone=(REFUSED,))


def test_who_sees_no_pods_takes_nothing_for_mended() -> None:
    _, second, third = told([FAULT, OTHER], [BLIND], [])
    assert (second.gone, second.unseen) == ((), (FAULT, OTHER))
    assert set(third.gone) == {FAULT, OTHER, BLIND}


def test_what_was_unknown_before_hides_nothing() -> None:
    _, second = told([FAULT, REFUSED], [REFUSED])
    assert second == Changes(gone=(FAULT,))


def test_a_rule_that_can_tell_again_says_so() -> None:
    _, second = told([REFUSED], [FAULT])
    assert second == Changes(new=(FAULT,), gone=(REFUSED,))
