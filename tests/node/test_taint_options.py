"""`--taint` on the command line: what does not go with it, who is asked, and what a look says of a whole host."""

from __future__ import annotations

import io
from dataclasses import replace
from typing import Any

import pytest

from nodeworthy.collect.node.recording import Recording, load
from nodeworthy.engine import Judgement, Nothing
from nodeworthy.repair.change import Target
from nodeworthy.repair.standing import Fitness, standing
from nodeworthy.rules import rule
from nodeworthy.verdict import Finding, Place, Severity, Verdict
from tests.repair.stand_in_server import StandIn
from tests.run import run

from .recordings import INCIDENT, MENDED

NODE = Target("Node", "a")
FRESH = {"key": "nodeworthy/unverified", "effect": "NoSchedule"}


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> StandIn:
    there = StandIn({NODE: {"metadata": {"name": "a"}, "spec": {"taints": [FRESH]}}})
    monkeypatch.setattr("nodeworthy.repair.server.Server", lambda context: there)
    says(monkeypatch, load(MENDED))
    return there


def says(monkeypatch: pytest.MonkeyPatch, recording: Recording) -> None:
    def observe(host: Any) -> Recording:
        return replace(recording, host=host.backend.get_pytest_id())

    monkeypatch.setattr("nodeworthy.collect.node.asked.observe", observe)


@pytest.mark.parametrize(
    ("arguments", "why"),
    [
        (["node://a", "--taint"], "look at --taint --dry-run, then --yes"),
        (["node://a", "--dry-run"], "--dry-run is for --taint"),
        (["node://a", "--taint", "--yes", "--rule", "clock-right"], "--rule looks at a part"),
        (["node://a", "--taint", "--yes", "--skip-rule", "clock-right"], "--skip-rule looks at a part"),
        (["node://a", "--taint", "--dry-run", "--reboot"], "--dry-run changes nothing, and --reboot reboots"),
        (["replay:tests/cases", "--taint", "--yes"], "replay:tests/cases is a recording"),
        (["node://a?context=b", "--taint", "--yes"], "--context names it, not node://a?context=b"),
    ],
)
def test_what_does_not_go_with_it(
    server: StandIn, arguments: list[str], why: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sys.stdin", io.StringIO("y\n"))
    ran = run("node", *arguments)
    assert (ran.code, why in ran.err) == (2, True), ran.err
    assert taints(server) == [FRESH]


def test_the_report_comes_first_and_the_exit_code_is_its_own(server: StandIn, monkeypatch: pytest.MonkeyPatch) -> None:
    says(monkeypatch, load(INCIDENT))
    ran = run("node", "node://a", "--taint", "--yes")
    assert ran.code == 1
    assert "fail containerd-paths" in ran.out
    assert ran.err.endswith("changed node a\n")
    assert taints(server) == [{**FRESH, "value": "containerd-paths"}]


def test_unknown_is_no_pass_even_where_it_is_allowed(server: StandIn, monkeypatch: pytest.MonkeyPatch) -> None:
    says(monkeypatch, Recording("", unreached="no route to host"))
    ran = run("node", "node://a", "--taint", "--yes", "--allow-unknown")
    assert ran.code == 3
    assert taints(server) == [FRESH]


def test_nothing_is_marked_by_default(server: StandIn) -> None:
    assert run("node", "node://a").code == 0
    assert taints(server) == [FRESH]


def taints(server: StandIn) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = server.objects[NODE]["spec"]["taints"]
    return found


def judged(verdict: Verdict, host: str | None = "h", **finding: Any) -> Judgement:
    place = Place(host=host)
    found = Finding(verdict, "it is so", place, rule="clock-right", **finding)
    bad = verdict not in (Verdict.PASS, Verdict.SKIP)
    severity = finding.get("severity", Severity.ERROR)
    return Judgement(replace(rule("clock-right"), severity=severity), Nothing(place), verdict, (found,) if bad else ())


@pytest.mark.parametrize(
    ("judgements", "fitness"),
    [
        ([judged(Verdict.PASS)], Fitness.FIT),
        ([judged(Verdict.PASS), judged(Verdict.FAIL, severity=Severity.WARNING)], Fitness.FIT),
        ([judged(Verdict.PASS), judged(Verdict.FAIL, "other")], Fitness.FIT),
        ([judged(Verdict.PASS), judged(Verdict.FAIL)], Fitness.UNFIT),
        ([judged(Verdict.UNKNOWN), judged(Verdict.FAIL)], Fitness.UNFIT),
        ([judged(Verdict.PASS), judged(Verdict.UNKNOWN)], Fitness.UNSEEN),
        ([judged(Verdict.PASS), judged(Verdict.ERROR)], Fitness.UNSEEN),
        ([judged(Verdict.PASS), judged(Verdict.ERROR, None)], Fitness.UNSEEN),
        ([judged(Verdict.SKIP)], Fitness.UNSEEN),
        ([judged(Verdict.PASS, "other")], Fitness.UNSEEN),
        ([], Fitness.UNSEEN),
    ],
)
def test_what_a_look_says_of_a_host(judgements: list[Judgement], fitness: Fitness) -> None:
    assert standing("h", judgements, strict=False).fitness is fitness


def test_warnings_count_where_they_are_to() -> None:
    some = [judged(Verdict.PASS), judged(Verdict.FAIL, severity=Severity.WARNING)]
    found = standing("h", some, strict=True)
    assert (found.fitness, found.rule, found.why) == (Fitness.UNFIT, "clock-right", "clock-right: it is so")


def test_a_reason_is_short_and_on_one_line() -> None:
    long = [replace(each, message="a\n\x1b[31m" * 200) for each in judged(Verdict.FAIL).findings]
    some = [replace(judged(Verdict.FAIL), findings=tuple(long))] * 2
    why = standing("h", some, strict=False).why
    assert len(why) == 400
    assert why.endswith("... (and 1 more)")
    assert "\n" not in why
    assert "\x1b" not in why
