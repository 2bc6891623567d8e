"""What the report for a person says of what nobody would read to its end."""

from __future__ import annotations

from dataclasses import replace

from nodeworthy.report.report import Asked, Offer, Report
from nodeworthy.report.text import render
from nodeworthy.verdict import ToGive, Verdict
from tests.report.reports import CRASH, DISKS, PATHS, finding, judged, report

FLEET = ToGive("there is no fleet", "give --fleet FILE")
RECORDED = [ToGive(f"this recording was made before {what} was read", "record the node anew") for what in ("a", "b")]


def closing(made: Report, asked: Asked | None = None) -> list[str]:
    return render(made, asked).rstrip("\n").rpartition("\n\n")[2].splitlines()


def test_what_had_nothing_to_judge_is_a_number() -> None:
    told = closing(report(judged(why="it has none"), judged(rule=DISKS, why="it has no disk"), judged(rule=CRASH)))
    assert told == [
        "1 rule on 1 subject of 2 files: 1 pass, 0 fail, 0 unknown; 2 rules had nothing to judge (--show-skipped)"
    ]


def test_what_was_skipped_is_listed_when_asked_for() -> None:
    made = report(
        judged(why="there is no fleet"),
        judged(why="there is no fleet"),
        judged(rule=DISKS, why="there is no fleet"),
        judged(rule=DISKS, why="it has no disk"),
        judged(rule=CRASH),
    )
    for asked in (Asked(show_skipped=True), Asked(show_passed=True)):
        assert closing(made, asked)[:-1] == [
            f"skipped {PATHS.id} (2 times), {DISKS.id}: there is no fleet",
            f"skipped {DISKS.id}: it has no disk",
        ]


def test_a_check_that_was_skipped_beside_another_that_passes_is_listed() -> None:
    made = report(replace(judged(), also_skipped=("no zone is named",)))
    assert closing(made, Asked(show_skipped=True))[0] == f"skipped {PATHS.id}: no zone is named"
    assert "nothing to judge" not in closing(made)[-1]


def test_what_the_reader_could_give_is_one_line() -> None:
    told = closing(report(judged(why=FLEET), judged(rule=DISKS, why=FLEET), judged(rule=CRASH)))
    assert told[:-1] == [f"not judged by {PATHS.id}, {DISKS.id}: there is no fleet: give --fleet FILE"]
    told = closing(report(*(judged(why=each) for each in RECORDED), judged(rule=CRASH)))
    assert told[:-1] == [f"not judged by {PATHS.id}: record the node anew"]


def test_the_numbers_are_those_of_what_is_told() -> None:
    """A pair of rule and subject may hold several findings, of several verdicts."""
    both = judged(finding(message="one"), finding(message="two"), finding(Verdict.UNKNOWN, message="three"))
    made = report(both, judged(finding(rule=DISKS), rule=DISKS), judged(replace(finding(), suppressed=True)))
    assert closing(made) == ["2 rules on 3 subjects of 2 files: 0 pass, 2 fail, 1 warning, 1 unknown, 1 suppressed"]


def test_an_unknown_of_a_warning_is_counted_and_listed_when_asked_for() -> None:
    made = report(judged(), judged(finding(Verdict.UNKNOWN, DISKS), rule=DISKS))
    assert closing(made)[-1].endswith("1 pass, 0 fail, 0 unknown, 1 more unknown of warnings (--show-unknown)")
    assert DISKS.id not in render(made)
    for asked in (Asked(show_unknown=True), Asked(strict=True)):
        assert f"unknown {DISKS.id}" in render(made, asked)
        assert closing(made, asked)[-1].endswith("1 pass, 0 fail, 1 unknown")


def test_where_there_is_nothing_but_unknowns_they_are_listed() -> None:
    made = report(judged(finding(Verdict.UNKNOWN, DISKS), rule=DISKS))
    assert made.exit_code() == 3
    assert f"unknown {DISKS.id}" in render(made)
    assert closing(made)[-1] == "nothing but unknowns, so nothing is proven"


def test_files_that_nobody_read_and_what_can_be_mended_are_counted() -> None:
    offered = finding()
    made = replace(
        report(judged(offered)),
        looked_at={"files": 1, "unrecognised": 9, "excluded": 1},
        not_read={".md": 3, ".py": 2, "Makefile": 1, ".js": 1, ".go": 1, ".c": 1},
        offers={offered: Offer("set it", "values.yaml", ())},
    )
    assert closing(made) == [
        "1 rule on 1 subject of 1 file: 0 pass, 1 fail, 0 unknown; not read: 9 files of no known kind "
        "(3 .md, 2 .py, 1 .c, 1 .go, others); 1 file excluded by the settings; 1 finding has a fix (--fix)"
    ]


def test_what_nobody_reads_to_its_end_is_cut() -> None:
    told = render(report(judged(replace(finding(), is_="/x" * 40_000, remedy="y" * 5_000))))
    words = " ".join(told.split())
    assert "… (cut: 80,000 characters)" in words
    assert "… (cut: 5,000 characters)" in words
    assert max(map(len, told.splitlines())) < 1_100


def test_a_rule_that_is_skipped_for_many_reasons_is_told_a_few() -> None:
    skips = [judged(why=f"nobody says who brings the driver of pool {number // 2}") for number in range(20)]
    listed = closing(report(*skips), Asked(show_skipped=True))
    assert len([line for line in listed if line.startswith("skipped")]) == 4
    assert listed[3] == "skipped containerd-paths (14 times): 7 other reasons"


def test_a_command_is_on_one_line() -> None:
    command = "`journalctl --unit containerd --boot --no-pager --output cat | grep --ignore-case 'runtime handler'`"
    told = render(
        report(judged(replace(finding(), remedy=f"see in the journal of its node what was loaded: {command}")))
    )
    assert f" {command}" in told
