"""Judgements as JUnit's XML. That it is valid by a schema is seen in tests/real, where xmllint is."""

from __future__ import annotations

from typing import Any
from xml.etree import ElementTree

from nodeworthy.report import junit
from nodeworthy.report.report import Report
from nodeworthy.verdict import Verdict
from tests.work import calls

from .reports import DISKS, finding, hostile, judged, many, one_of_each, report


def read(made: Report, **options: Any) -> ElementTree.Element:
    (suite,) = ElementTree.fromstring(junit.render(made, **options).encode("utf-8"))
    return suite


def outcomes(suite: ElementTree.Element) -> list[str]:
    """The element in each case; of one without any that it passed, with output or without."""
    return [case[0].tag if len(case) else "" for case in suite.findall("testcase")]


def counts(suite: ElementTree.Element) -> list[int]:
    return [int(suite.attrib[name]) for name in ("tests", "failures", "errors", "skipped")]


def test_every_verdict_is_the_element_that_it_should_be() -> None:
    suite = read(one_of_each())
    assert outcomes(suite) == ["failure", "system-out", "error", "error", "system-out", "failure", "", "skipped"]
    assert counts(suite) == [8, 2, 2, 1]


def test_strict_makes_failures_of_warnings() -> None:
    suite = read(one_of_each(), strict=True)
    assert outcomes(suite)[1] == "failure"
    assert counts(suite) == [8, 3, 2, 1]


def test_what_is_unknown_passes_where_that_is_allowed() -> None:
    assert outcomes(read(one_of_each(), allow_unknown=True))[2:4] == ["system-out", "error"]


def test_an_unknown_of_a_warning_is_output() -> None:
    unknown = judged(finding(Verdict.UNKNOWN, DISKS), rule=DISKS)
    assert outcomes(read(report(unknown, judged()))) == ["system-out", ""]
    assert outcomes(read(report(unknown, judged()), strict=True)) == ["error", ""]


def test_where_there_is_nothing_but_unknowns_of_warnings_they_are_errors_as_the_exit_code_is() -> None:
    unknown = report(judged(finding(Verdict.UNKNOWN, DISKS), rule=DISKS))
    assert outcomes(read(unknown)) == ["error"]
    assert outcomes(read(unknown, allow_unknown=True)) == ["system-out"]


def test_a_failure_says_what_the_text_says() -> None:
    (case,) = read(report(judged(finding()))).findall("testcase")
    assert case.attrib == {"classname": "containerd-paths", "name": "values.yaml:6:14 toolkit.env"}
    assert case[0].attrib == {"message": "the socket is another"}
    assert "fix     set it to /run/b.sock" in (case[0].text or "")


def test_no_two_cases_are_of_one_name() -> None:
    names = [case.attrib["name"] for case in read(report(judged(), judged(), judged())).findall("testcase")]
    assert len(set(names)) == 3


def test_an_empty_run_is_an_error() -> None:
    suite = read(report())
    assert outcomes(suite) == ["error"]
    assert counts(suite) == [1, 0, 1, 0]


def test_hostile_words_stay_words() -> None:
    suite = read(report(judged(hostile()), judged(hostile(), place=hostile().where), judged(why=hostile().message)))
    assert outcomes(suite) == ["failure", "failure", "skipped"]
    assert "<script>alert(1)</script>" in (suite[0][0].text or "")


def test_ten_times_the_findings_are_ten_times_the_work() -> None:
    few, very_many = many(200), many(2_000)
    assert calls(lambda: junit.render(very_many)) < 11 * calls(lambda: junit.render(few))
