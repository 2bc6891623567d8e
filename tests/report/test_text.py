"""What the report for a person ends with."""

from __future__ import annotations

from nodeworthy.report.text import render
from tests.report.reports import CRASH, DISKS, PATHS, judged, report


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
