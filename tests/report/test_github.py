"""Findings as GitHub's workflow commands, by the rules by which its runner reads them back."""

from __future__ import annotations

import re
from dataclasses import replace

from nodeworthy.report import github
from nodeworthy.report.report import ReportOptions
from nodeworthy.verdict import Place, Verdict
from tests.work import calls

from .reports import DISKS, HOSTILE, PLACE, finding, hostile, judged, many, one_of_each, report

COMMAND = re.compile(r"::(?P<name>[a-z]+) (?P<properties>[^:]*)::(?P<message>.*)")


def read(text: str) -> list[tuple[str, dict[str, str], str]]:
    """As the runner does: one command a line, properties by comma, then what is escaped."""
    commands = []
    for line in text.splitlines():
        found = COMMAND.fullmatch(line)
        assert found is not None, line
        pairs = (each.partition("=") for each in found["properties"].split(","))
        commands.append((found["name"], {key: plain(value) for key, _, value in pairs}, plain(found["message"])))
    return commands


def plain(text: str) -> str:
    for escaped, char in (("%3A", ":"), ("%2C", ","), ("%0A", "\n"), ("%0D", "\r"), ("%25", "%")):
        text = text.replace(escaped, char)
    return text


def test_every_verdict_has_its_level() -> None:
    told = [(name, properties["title"]) for name, properties, _ in read(github.render(one_of_each()))]
    assert told == [
        ("warning", "disks-encrypted"),
        ("error", "containerd-paths"),
        ("error", "containerd-paths"),
        ("warning", "containerd-paths (unknown)"),
        ("error", "rule-crashed (error)"),
        ("notice", "nodeworthy"),
    ]


def test_a_failure_stands_at_its_line_and_says_what_mends_it() -> None:
    (name, properties, message), _ = read(github.render(report(judged(finding()))))
    assert (name, properties) == (
        "error",
        {"file": "values.yaml", "line": "6", "col": "14", "title": "containerd-paths"},
    )
    assert message.splitlines() == [
        "the socket is another",
        "is: /run/a.sock",
        "should: /run/b.sock",
        "see: Pulumi.prod.yaml:9:5: the pool runs k8s-snap",
        "why: kubelet talks to another one",
        "fix: set it to /run/b.sock",
    ]


def test_paths_are_those_of_the_repository_wherever_the_command_ran() -> None:
    for path, seen in (("values.yaml", "deploy/values.yaml"), ("../a.yaml", "a.yaml"), ("/etc/a", "/etc/a")):
        written = github.render(report(judged(finding(where=Place(path=path)))), below="deploy")
        assert read(written)[0][1] == {"file": seen, "title": "containerd-paths"}


def test_what_is_in_no_file_has_none_and_says_where_it_is() -> None:
    for place in (Place(host="gpu-7"), Place(path="-", line=4), Place(object="Node gpu-7")):
        (_, properties, message), _ = read(github.render(report(judged(finding(where=place)))))
        assert set(properties) == {"title"}
        assert f"\nat: {place}\n" in message


def test_nothing_hostile_gets_out_of_its_line() -> None:
    made = report(judged(hostile()), judged(hostile(Verdict.UNKNOWN, DISKS), rule=DISKS))
    written = github.render(made, ReportOptions(show_unknown=True))
    commands = read(written)
    assert [name for name, _, _ in commands] == ["error", "warning", "notice"]
    assert set(commands[0][1]) == {"file", "line", "col", "title"}
    assert commands[0][1]["file"].startswith("a/100%")
    assert not re.search("[\x00-\x09\x0b-\x1f\x7f-\x9f\u2028\u202e\ud800]", written)
    assert ":\\:error file=a,line=1::owned" in commands[0][2]  # as words, within a message
    assert "a:b,c" in HOSTILE
    assert "a:b,c" in commands[0][1]["file"]


def test_an_empty_run_is_an_error() -> None:
    assert [name for name, _, _ in read(github.render(report()))] == ["error", "notice"]


def test_ten_thousand_findings() -> None:
    assert github.render(many()).count("\n") == 10_001


def test_ten_times_the_findings_are_ten_times_the_work() -> None:
    few, very_many = many(200), many(2_000)
    assert calls(lambda: github.render(very_many)) < 11 * calls(lambda: github.render(few))


def test_what_is_not_annotated_is_said() -> None:
    places = [replace(PLACE, line=number) for number in range(1, 12)]
    few, many = (report(*(judged(finding(where=each)) for each in some)) for some in (places[:10], places))
    assert "GitHub shows" not in github.render(few)
    notice = github.render(many).splitlines()[-1]
    assert notice.startswith("::notice title=nodeworthy::")
    shown = "%0AGitHub shows 10 errors and 10 warnings of a step: all of them are in its log"
    assert notice.endswith(f"{shown}%0A11 findings")
