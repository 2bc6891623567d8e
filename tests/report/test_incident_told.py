"""The messages of `diagnose --watch --format brief`, each when it is due."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta

from nodeworthy.report.incident_told import Incident
from nodeworthy.report.report import Report
from nodeworthy.rule import Moment
from nodeworthy.verdict import Finding, Place, Verdict
from tests.report.reports import DISKS, PATHS, finding, judged

NOON = datetime(2026, 11, 20, 12, tzinfo=UTC)
POD = Place(object="Pod/ml/train-0")
BROKEN = replace(finding(where=POD), victims=("Pod/ml/train-0",))
OTHER = replace(finding(where=Place(object="Node/gpu-2")), on=("pool 'h100'",))
BLIND = replace(finding(where=POD), verdict=Verdict.UNKNOWN)


def of(*findings: Finding) -> Report:
    return Report(Moment.CLUSTER, [judged(*findings, rule=PATHS), judged(rule=DISKS)], {"objects": 2})


def told(*looks: tuple[int, Report]) -> list[str]:
    """At each look, by its seconds after noon, the title of what is told."""
    incident = Incident()
    found = [incident.look(report, NOON + timedelta(seconds=seconds)) for seconds, report in looks]
    return [each.partition("\n")[0] for each in found]


def test_the_first_message_comes_at_once_and_once() -> None:
    assert told((0, of()), (15, of(BROKEN)), (30, of(BROKEN))) == [
        "",
        "FIRST MESSAGE, to everybody who runs jobs here (2026-11-20 12:00 UTC)",
        "",
    ]


def test_an_update_every_quarter_of_an_hour() -> None:
    looks = [(seconds, of(BROKEN)) for seconds in (0, 899, 900, 1799, 1800)]
    assert [each.partition(" (")[0] for each in told(*looks)][1:] == ["", "UPDATE", "", "UPDATE"]


def test_what_is_new_is_not_waited_for() -> None:
    incident = Incident()
    incident.look(of(BROKEN), NOON)
    text = incident.look(of(BROKEN, OTHER), NOON + timedelta(seconds=15))
    assert text.startswith("UPDATE (2026-11-20 12:00 UTC)\n")
    assert "What is new:" in text
    assert "pool 'h100'" in text.partition("What is new:")[2]
    assert "2 causes are found" in " ".join(text.split())
    assert incident.look(of(BROKEN, OTHER), NOON + timedelta(seconds=30)) == ""


def test_it_is_mended_when_two_looks_find_nothing() -> None:
    incident = Incident()
    incident.look(of(BROKEN, OTHER), NOON)
    assert incident.look(of(), NOON + timedelta(minutes=1)) == ""
    text = incident.look(of(), NOON + timedelta(minutes=2))
    assert text.startswith("RESOLUTION (2026-11-20 12:02 UTC)\n\nMended: 2026-11-20 12:01 UTC\n")
    assert "pool 'h100'" in text
    assert incident.look(of(), NOON + timedelta(minutes=3)) == ""


def test_what_comes_and_goes_is_not_mended() -> None:
    looks = [(0, of(BROKEN)), (15, of()), (30, of(BROKEN)), (45, of()), (60, of())]
    assert [each.partition(" (")[0] for each in told(*looks)][1:] == ["", "", "", "RESOLUTION"]


def test_what_can_not_be_seen_any_more_is_not_mended() -> None:
    looks = [(0, of(BROKEN)), (15, of(BLIND)), (30, of(BLIND)), (900, of(BLIND)), (915, of()), (930, of())]
    assert [each.partition(" (")[0] for each in told(*looks)][1:] == ["", "", "UPDATE", "", "RESOLUTION"]


def test_the_next_one_is_told_as_a_first_one() -> None:
    looks = [(0, of(BROKEN)), (15, of()), (30, of()), (45, of(BROKEN))]
    assert told(*looks)[-1].startswith("FIRST MESSAGE")
