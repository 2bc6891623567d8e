"""The report as a page: all of it is there, nothing of others is markup, and nothing is fetched."""

from __future__ import annotations

import re
from dataclasses import replace

import pytest

from nodeworthy.documents.yaml import read
from nodeworthy.fleet.read import read_fleet
from nodeworthy.report.fleet_picture import picture_of
from nodeworthy.report.frame import Excerpt, Excerpts
from nodeworthy.report.html import render
from nodeworthy.report.markdown import BesideFindings
from nodeworthy.report.report import Report, ReportOptions
from nodeworthy.rule import Rule
from nodeworthy.verdict import Place, Related, Severity, Verdict
from tests.work import calls

from .html_pages import ATTRIBUTES, KNOWN, Page
from .reports import CRASH, DISKS, HOSTILE, PATHS, finding, hostile, judged, many, one_of_each, report
from .test_fleet_picture import PROD

WHOLE = ReportOptions(show_passed=True)
LINES = {("values.yaml", 6): Excerpt(5, ("  env:", "  - CONTAINERD_SOCKET", "driver: {}"))}


def bad() -> Report:
    rule = Rule(HOSTILE, severity=Severity.ERROR, title=HOSTILE, remedy=HOSTILE)
    place = hostile().where
    return report(
        judged(hostile(), rule=rule, place=place),
        judged(hostile(Verdict.UNKNOWN), rule=rule, place=place),
        judged(replace(hostile(), suppressed=True)),
        judged(place=place),
        judged(why=HOSTILE),
    )


def page_of(made: Report, excerpts: Excerpts | None = None) -> Page:
    return Page(render(made, excerpts=excerpts))


REPORTS = {
    "one of each": render(one_of_each(), excerpts=LINES, asked=WHOLE),
    "hostile": render(
        bad(),
        BesideFindings(HOSTILE, {HOSTILE: HOSTILE}),
        {(hostile().where.path or "", 1): Excerpt(1, (HOSTILE,), HOSTILE)},
        WHOLE,
    ),
    "empty": render(report()),
    "many": render(many(300)),
}


@pytest.mark.parametrize("markup", REPORTS.values(), ids=REPORTS)
class TestEveryPage:
    def test_holds_only_what_it_is_made_of(self, markup: str) -> None:
        page = Page(markup)
        assert page.tags <= KNOWN
        assert page.attributes <= ATTRIBUTES
        assert page.comments == []

    def test_leads_nowhere_but_into_itself(self, markup: str) -> None:
        page = Page(markup)
        assert [link for link in page.links if not link.startswith("#")] == []
        assert {link[1:] for link in page.links} <= set(page.ids)
        assert len(page.ids) == len(set(page.ids))
        assert not re.search(r"url\((?!#)|@import", markup.partition("</style>")[0])

    def test_holds_no_control_character(self, markup: str) -> None:
        assert not re.search("[\x00-\x08\x0b-\x1f\x7f-\x9f\u2028-\u202e\u2066-\u2069\ud800-\udfff\ufffe\uffff]", markup)
        assert markup.encode("utf-8")

    def test_forbids_what_it_does_not_need(self, markup: str) -> None:
        assert "default-src 'none'" in markup.partition("<title>")[0]


def test_every_finding_is_there_with_all_that_is_known_of_it() -> None:
    made = one_of_each()
    page = page_of(made, excerpts=LINES)
    for each in made.findings:
        told = (each.message, each.is_, each.should, each.cause, each.remedy, each.related[0].says)
        assert [words for words in told if not words or words not in page.text] == []
    assert sum(each.startswith("f-") for each in page.ids) == len(made.findings)
    assert page.text.count("- CONTAINERD_SOCKET") == sum(each.where.line == 6 for each in made.findings)
    for rule in (PATHS, DISKS, CRASH):
        assert rule.id in page.text
        assert rule.title in page.text


def test_the_headline_says_what_came_of_it() -> None:
    def headline(made: Report, **asked: bool) -> str:
        return re.sub(
            "<[^>]+>", "", render(made, asked=ReportOptions(**asked)).partition("<h1>")[2].partition("</h1>")[0]
        )

    open_question = report(judged(finding(Verdict.UNKNOWN)))
    warning = report(judged(finding(rule=DISKS), rule=DISKS))
    assert headline(one_of_each()) == "✕Failed: 2 failures, 1 error, 1 unknown, 1 warning"
    assert headline(report(judged())) == "✓Clean"
    assert headline(open_question) == "?Not proven: 1 unknown"
    assert headline(open_question, allow_unknown=True) == "✓Passed: 1 unknown"
    assert headline(warning) == "✓Passed: 1 warning"
    assert headline(warning, strict=True) == "✕Failed: 1 warning"


@pytest.mark.parametrize("made", [report(), report(judged(why="no fleet was given"))], ids=["nothing", "skips"])
def test_an_empty_run_says_in_bold_that_it_proves_nothing(made: Report) -> None:
    assert "<strong>Nothing was evaluated, so nothing is proven.</strong>" in render(made)
    assert "<strong>" not in render(one_of_each())


def test_what_was_skipped_says_why() -> None:
    text = page_of(report(judged(), judged(why="no fleet was given"), judged(why="no fleet was given"))).text
    assert "no fleet was given (2 times)" in text


def test_what_many_rules_cannot_tell_for_one_reason_is_said_once() -> None:
    reason = finding(Verdict.UNKNOWN, message="the script is not known yet")
    other = replace(reason, rule=DISKS.id, severity=DISKS.severity)
    page = page_of(report(judged(reason), judged(other, rule=DISKS)))
    assert page.text.count("the script is not known yet") == 1
    assert "2 rules, for one reason" in page.text
    assert DISKS.title in page.text


def test_an_address_stays_the_same_when_others_come_and_go() -> None:
    one, other = judged(finding()), judged(finding(where=Place(path="b.yaml", line=1)))
    alone = [each for each in page_of(report(one)).ids if each.startswith("f-")]
    assert set(alone) < set(page_of(report(other, one)).ids)
    twice = [each for each in page_of(report(one, one)).ids if each.startswith("f-")]
    assert twice[:1] == alone


def test_long_words_are_cut_and_said_to_be() -> None:
    long = "x" * 1_000_000
    cause = replace(finding(message=long), is_=long, should=long, cause=long, remedy=long, victims=(long,) * 1_000)
    related = tuple(Related(Place(path=f"{number}.yaml"), long) for number in range(1_000))
    made = report(judged(replace(cause, related=related)), judged(why=long))
    markup = render(made, excerpts={("values.yaml", 6): Excerpt(6, (long,))})
    assert len(markup) < 1_000_000
    assert "(cut: 996,000 more characters)" in markup
    assert "and 800 more" in markup
    assert "and 950 places more" in markup


def test_of_a_long_line_the_place_is_seen() -> None:
    line = f"{'a' * 5_000}HERE{'b' * 5_000}"
    found = finding(where=Place(path="values.yaml", line=1, column=5_001))
    text = page_of(report(judged(found)), excerpts={("values.yaml", 1): Excerpt(1, (line,))}).text
    assert "HERE" in text
    assert "a" * 300 not in text


def test_why_there_are_no_lines() -> None:
    gone = {("values.yaml", 6): Excerpt(says="its lines are not shown: values.yaml can't be read")}
    assert (
        "its lines are not shown: values.yaml can't be read" in page_of(report(judged(finding())), excerpts=gone).text
    )


def test_a_file_of_another_machine_is_not_one_of_ours() -> None:
    found = finding(where=Place(path="values.yaml", line=6, host="ssh://h1"))
    assert "- CONTAINERD_SOCKET" not in page_of(report(judged(found)), excerpts=LINES).text


def test_a_plan_and_the_fleet_beside_it() -> None:
    document = read(PROD.replace("public <b>API</b>", "</svg><script>"), Place(path="Pulumi.prod.yaml"))
    assert document is not None
    picture = picture_of(read_fleet(document, "prod"))
    page = Page(
        render(one_of_each(), BesideFindings("stack prod of gpu", {"The plan": "infra/pools.py\n└─ h100"}, picture))
    )
    assert page.tags <= KNOWN
    assert page.attributes <= ATTRIBUTES
    for told in ("stack prod of gpu", "└─ h100", "h100: 8 × H100", "</svg><script>"):
        assert told in page.text


def test_ten_times_the_findings_are_ten_times_the_work() -> None:
    few, very_many = many(200), many(2_000)
    lines = {(each.where.path or "", each.where.line or 0): Excerpt(1, ("a",) * 5) for each in very_many.findings[:800]}
    assert calls(lambda: render(very_many, excerpts=lines)) < 11 * calls(lambda: render(few, excerpts=lines))
