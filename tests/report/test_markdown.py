"""The comment on a pull request, as a reader of Markdown sees it."""

from __future__ import annotations

import re

import pytest
from markdown_it import MarkdownIt

from nodeworthy.report import markdown
from nodeworthy.report.markdown import characters, code, fence
from nodeworthy.report.report import Report
from nodeworthy.verdict import Verdict
from tests.work import calls

from .reports import HOSTILE, finding, hostile, judged, many, one_of_each, report

READER = MarkdownIt("gfm-like", {"linkify": False})


def beside(tree: str = "infra/pools.py\n└─ h100", picture: str = "h100 ■■■■") -> markdown.BesideFindings:
    return markdown.BesideFindings("stack prod of gpu", {"The fleet": picture, "The plan": tree})


def in_code(text: str) -> list[str]:
    blocks = READER.parse(text)
    spans = [inline for block in blocks for inline in block.children or [] if inline.type == "code_inline"]
    return [each.content for each in (*blocks, *spans) if each.type in ("fence", "code_inline")]


def outside_code(text: str) -> str:
    blocks = READER.parse(text)
    words = [inline.content for block in blocks for inline in block.children or [] if inline.type != "code_inline"]
    tags = [block.content for block in blocks if block.type == "html_block" and not block.content.startswith("<!--")]
    return "\n".join([*words, *tags])


def test_it_says_what_is_wrong_and_shows_the_plan_and_the_fleet() -> None:
    text = markdown.render(report(judged(finding()), judged()), beside())
    assert text.startswith("<!-- nodeworthy source stack-prod-of-gpu -->\n\n### nodeworthy: 1 failure in the source")
    assert "**fail** `containerd-paths` at `values.yaml:6`" in text
    assert "fix     set it to /run/b.sock" in text
    assert text.index("The fleet") < text.index("The plan")
    assert any("└─ h100" in each for each in in_code(text))


def test_the_worst_comes_first_and_what_is_suppressed_last() -> None:
    told = re.findall(r"^\*\*(\w+)\*\* (.*?) at", markdown.render(one_of_each()), re.MULTILINE)
    assert [word for word, _ in told] == ["fail", "fail", "error", "unknown", "warning", "fail"]
    assert told[-1][1].endswith("(suppressed)")


def test_clean_and_empty_are_not_the_same() -> None:
    assert "### nodeworthy: clean in the source" in markdown.render(report(judged()))
    empty = markdown.render(report())
    assert "### nodeworthy: nothing evaluated" in empty
    assert "nothing is proven" in empty


def test_a_marker_can_hold_nothing_but_words() -> None:
    assert markdown.marker(report(), "x--> <b>@all--") == "<!-- nodeworthy source x-b-all- -->"


def test_nothing_hostile_is_markup() -> None:
    made = report(judged(hostile()), judged(hostile(Verdict.UNKNOWN)))
    text = markdown.render(made, markdown.BesideFindings(HOSTILE, {"The fleet": HOSTILE, "The plan": HOSTILE}))
    assert "@everyone" in "".join(in_code(text))
    outside = outside_code(text)
    for forbidden in ("script", "@everyone", "evil", "##[", "alert"):
        assert forbidden not in outside
    assert "\x1b" not in text
    assert "\u202e" not in text
    assert re.fullmatch(r"<!-- [\w .-]+ -->", text.split("\n")[0])
    assert text.encode("utf-8")


@pytest.mark.parametrize("text", ["`", "a`b", "``a", "a\n\n```\nb", " ", "|", "````````", "<b>", "\\`"])
def test_code_holds_whatever_there_is(text: str) -> None:
    assert [each.strip("\n") for each in in_code(fence(text))] == [text.strip("\n")]
    spans = in_code(f"x {code(text)} y")
    assert spans == ([" ".join(text.split("\n")).strip()] if text.strip() else [])


def test_it_is_no_longer_than_a_comment_may_be_and_says_what_was_cut() -> None:
    tree = "\n".join(f"├─ resource-{number}" for number in range(5000))
    text = markdown.render(many(), beside(tree))
    assert 60_000 < characters(text) <= markdown.LIMIT
    left_out = re.findall(r"\*Cut here, for a comment takes only so much: (\d+) more (\w+)", text)
    assert [kind for _, kind in left_out] == ["findings", "lines"]
    shown = text.count("**fail** ")
    assert shown + int(left_out[0][0]) == 10_000
    assert "h100 ■■■■" in text
    assert len(re.findall("├─ resource-", text)) + int(left_out[1][0]) == 5000


@pytest.mark.parametrize("size", [70_000, 300_000])
@pytest.mark.parametrize("what", ["x", "`", "\U0001f600", "a b ", "`\n"])
def test_whatever_is_long_it_fits(what: str, size: int) -> None:
    long = what * (size // len(what))
    made: Report = report(judged(finding(message=long)), judged(finding(message="the second")))
    for each in (
        markdown.render(made, beside(long, long)),
        markdown.render(report(judged(finding())), markdown.BesideFindings(long, {"The plan": long})),
    ):
        assert characters(each) <= markdown.LIMIT
        assert "Cut here" in each


def test_a_smaller_limit_is_kept() -> None:
    text = markdown.render(many(100), beside(), limit=8000)
    assert characters(text) <= 8000
    assert "h100 ■■■■" in text


def test_ten_times_the_findings_are_ten_times_the_work() -> None:
    few, very_many = many(200), many(2_000)
    assert calls(lambda: markdown.render(very_many)) < 11 * calls(lambda: markdown.render(few))
