"""What is not known in many places for one reason is told once, with its count and its first places."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest

from nodeworthy.engine import Judgement
from nodeworthy.report import github, markdown
from nodeworthy.report import json as as_json
from nodeworthy.report.html import render as html
from nodeworthy.report.stories import stories_of
from nodeworthy.report.text import render
from nodeworthy.verdict import Finding, Place, Verdict
from tests.report.reports import DISKS, PATHS, finding, judged, report

SOURCED = "env.sh may set it, and was not read"


def unknown(line: int, what: str = "whether OMP_NUM_THREADS is set is", why: str = SOURCED) -> Finding:
    found = finding(Verdict.UNKNOWN, where=Place(path="job.sh", line=line), message=f"{what} not known: {why}")
    return replace(found, is_=None, should=None, cause=None, remedy=None, related=())


def many(count: int) -> list[Judgement]:
    return [judged(unknown(number, f"whether V{number} is set is")) for number in range(1, count + 1)]


def test_one_reason_is_one_story() -> None:
    assert render(report(*many(9))).split("\n\n")[0].splitlines() == [
        "job.sh:1: unknown containerd-paths",
        f"  9 times not known, for one reason: {SOURCED}",
        "    at      job.sh:1: whether V1 is set",
        "            job.sh:2: whether V2 is set",
        "            job.sh:3: whether V3 is set",
        "            job.sh:4: whether V4 is set",
        "            job.sh:5: whether V5 is set",
        "            and 4 more",
    ]
    assert "0 pass, 0 fail, 9 unknown" in render(report(*many(9)))


def test_what_is_the_same_in_many_places_is_said_once() -> None:
    told = render(report(judged(unknown(1)), judged(unknown(7)))).splitlines()
    assert told[1:4] == [
        f"  whether OMP_NUM_THREADS is set is not known: {SOURCED}",
        "    at      job.sh:1",
        "            job.sh:7",
    ]


def test_rules_that_do_not_know_the_same_are_named() -> None:
    other = replace(unknown(1), rule=DISKS.id)
    told = render(report(judged(unknown(1)), judged(other, rule=DISKS))).splitlines()
    assert told[0] == "job.sh:1: unknown to 2 rules"
    assert told[2] == f"    rules   {PATHS.id}, {DISKS.id}"


@pytest.mark.parametrize(
    "other",
    [
        unknown(2, why="another reason"),
        replace(unknown(2), verdict=Verdict.FAIL),
    ],
    ids=["another reason", "a failure"],
)
def test_what_differs_is_told_apart(other: Finding) -> None:
    assert len(stories_of([unknown(1), other])) == 2


def test_another_remedy_is_another_story_and_none_is_not() -> None:
    read, ask = (replace(unknown(line), remedy=remedy) for line, remedy in ((2, "read it"), (3, "ask")))
    assert [len(each.findings) for each in stories_of([unknown(1), read, ask])] == [2, 1]
    told = render(report(judged(unknown(1)), judged(read))).splitlines()
    assert "    fix     read it" in told


def test_failures_are_never_merged() -> None:
    assert len(stories_of([finding(), finding()])) == 2


def test_programs_get_each_of_them() -> None:
    assert len(json.loads(as_json.render(report(*many(9))))["findings"]) == 9


def test_every_report_for_people_says_it_once() -> None:
    for written in (github.render(report(*many(9))), markdown.render(report(*many(9))), html(report(*many(9)))):
        assert written.count(SOURCED) <= 2  # of HTML, in the sentence and in its title
        assert "9 times not known" in written
