"""What the report for a person says of what nobody would read to its end."""

from __future__ import annotations

from dataclasses import replace

from nodeworthy.report.text import render
from tests.report.reports import CRASH, DISKS, PATHS, finding, judged, report


def test_rules_that_were_skipped_for_one_reason_are_one_line() -> None:
    text = render(
        report(
            judged(why="there is no fleet"),
            judged(why="there is no fleet"),
            judged(rule=DISKS, why="there is no fleet"),
            judged(rule=DISKS, why="it has no disk"),
            judged(rule=CRASH),
        )
    )
    assert text.splitlines()[:-1] == [
        f"skipped {PATHS.id} (2 times), {DISKS.id}: there is no fleet",
        f"skipped {DISKS.id}: it has no disk",
    ]
    assert text.splitlines()[-1].startswith("1 verdicts of 1 rules on 1 subjects, 2 files: 1 pass, 0 fail")


def test_what_nobody_reads_to_its_end_is_cut() -> None:
    told = render(report(judged(replace(finding(), is_="/x" * 40_000, remedy="y" * 5_000))))
    words = " ".join(told.split())
    assert "… (cut: 80,000 characters)" in words
    assert "… (cut: 5,000 characters)" in words
    assert max(map(len, told.splitlines())) < 1_100


def test_a_rule_that_is_skipped_for_many_reasons_is_told_a_few() -> None:
    skips = [judged(why=f"nobody says who brings the driver of pool {number // 2}") for number in range(20)]
    closing = [line for line in render(report(*skips)).splitlines() if line.startswith("skipped")]
    assert len(closing) == 4
    assert closing[-1] == "skipped containerd-paths (14 times): 7 other reasons"


def test_a_command_is_on_one_line() -> None:
    command = "`journalctl --unit containerd --boot --no-pager --output cat | grep --ignore-case 'runtime handler'`"
    told = render(
        report(judged(replace(finding(), remedy=f"see in the journal of its node what was loaded: {command}")))
    )
    assert f" {command}" in told
