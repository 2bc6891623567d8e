"""What the report for a person says of what nobody would read to its end."""

from __future__ import annotations

from dataclasses import replace

from nodeworthy.edit import Edit, EditKind
from nodeworthy.report.frame import Excerpt
from nodeworthy.report.report import Offer, Report, ReportOptions
from nodeworthy.report.text import render
from nodeworthy.verdict import ToGive, Verdict
from tests.report.reports import CRASH, DISKS, PATHS, PLACE, finding, judged, report

FLEET = ToGive("there is no fleet", "give --fleet FILE")
RECORDED = [ToGive(f"this recording was made before {what} was read", "record the node anew") for what in ("a", "b")]


def closing(made: Report, asked: ReportOptions | None = None) -> list[str]:
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
    for asked in (ReportOptions(show_skipped=True), ReportOptions(show_passed=True)):
        assert closing(made, asked)[:-1] == [
            f"skipped {PATHS.id} (2 times), {DISKS.id}: there is no fleet",
            f"skipped {DISKS.id}: it has no disk",
        ]


def test_a_check_that_was_skipped_beside_another_that_passes_is_listed() -> None:
    made = report(replace(judged(), also_skipped=("no zone is named",)))
    assert closing(made, ReportOptions(show_skipped=True))[0] == f"skipped {PATHS.id}: no zone is named"
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
    assert closing(made) == [
        "2 rules on 3 subjects of 2 files: 0 pass, 2 fail, 1 warning, 1 unknown, 1 suppressed",
        "4 findings",
    ]


def test_an_unknown_of_a_warning_is_counted_and_listed_when_asked_for() -> None:
    made = report(judged(), judged(finding(Verdict.UNKNOWN, DISKS), rule=DISKS))
    assert closing(made)[-1].endswith("1 pass, 0 fail, 0 unknown, 1 more unknown of warnings (--show-unknown)")
    assert DISKS.id not in render(made)
    for asked in (ReportOptions(show_unknown=True), ReportOptions(strict=True)):
        assert f"unknown {DISKS.id}" in render(made, asked)
        assert closing(made, asked)[-2].endswith("1 pass, 0 fail, 1 unknown")
        assert closing(made, asked)[-1] == "1 finding"


def test_where_there_is_nothing_but_unknowns_they_are_listed() -> None:
    made = report(judged(finding(Verdict.UNKNOWN, DISKS), rule=DISKS))
    assert made.exit_code() == 3
    assert f"unknown {DISKS.id}" in render(made)
    assert closing(made)[-2:] == ["nothing but unknowns, so nothing is proven", "1 finding"]


def test_files_that_nobody_read_and_what_can_be_mended_are_counted() -> None:
    offered = replace(finding(), edit=Edit(EditKind.VALUE, PLACE, "/run/a.sock", "/run/b.sock", "set it"))
    chart = [f"charts/{name}" for name in ("gpu/Chart.yaml", "gpu/templates/a.yaml", "gpu/templates/b/_helpers.tpl")]
    made = replace(
        report(judged(offered), judged(finding(message="another"))),
        looked_at={"files": 1, "unrecognised": 9, "excluded": 1},
        not_read=[*chart, "templates/c.yaml", "main.tf", "a.py", "b.py", "Makefile", "x/Makefile"],
        offers={offered: Offer("set it", "values.yaml", ())},
        mends="nodeworthy check --fix values.yaml",
    )
    assert closing(made) == [
        "1 rule on 2 subjects of 1 file: 0 pass, 2 fail, 0 unknown; not read: 9 files of no known kind "
        "(2 Helm templates in 2 folders, 2 Makefiles in 2 folders, 2 Python files, 1 Terraform file, 2 of other kinds); "
        "1 file excluded by the settings",
        "2 findings, 1 of them with a fix: nodeworthy check --fix values.yaml",
    ]
    assert closing(replace(made, offers={}))[-1] == "2 findings, none with a fix"


def test_a_finding_shows_its_line_and_names_its_page() -> None:
    shown = {("values.yaml", 6): Excerpt(5, ("    - name: A", "      value: /run/a.sock"))}
    told = render(report(judged(finding())), excerpts=shown).splitlines()
    at = told.index("    6 |       value: /run/a.sock")
    assert told[at + 1] == f"      | {' ' * 13}^"
    assert f"    page    `nodeworthy explain {PATHS.id}`" in told


def test_no_line_is_shown_of_a_file_that_has_changed() -> None:
    shown = {("values.yaml", 6): Excerpt(6, ("      value: /run/a.sock",), "the file has changed since it was judged")}
    assert " | " not in render(report(judged(finding())), excerpts=shown)


def test_of_a_long_line_the_place_is_shown() -> None:
    line = f"{'a' * 300}WRONG{'b' * 300}"
    far = replace(finding(), where=replace(PLACE, column=301))
    told = render(report(judged(far)), excerpts={("values.yaml", 6): Excerpt(6, (line,))}).splitlines()
    at = next(number for number, each in enumerate(told) if " | …" in each)
    assert told[at][told[at + 1].index("^") :].startswith("WRONG")


def test_what_nobody_reads_to_its_end_is_cut() -> None:
    told = render(report(judged(replace(finding(), is_="/x" * 40_000, remedy="y" * 5_000))))
    words = " ".join(told.split())
    assert "… (cut: 80,000 characters)" in words
    assert "… (cut: 5,000 characters)" in words
    assert max(map(len, told.splitlines())) < 1_100


def test_a_rule_that_is_skipped_for_many_reasons_is_told_a_few() -> None:
    skips = [judged(why=f"nobody says who brings the driver of pool {number // 2}") for number in range(20)]
    listed = closing(report(*skips), ReportOptions(show_skipped=True))
    assert len([line for line in listed if line.startswith("skipped")]) == 4
    assert listed[3] == "skipped containerd-paths (14 times): 7 other reasons"


def test_a_command_is_on_one_line() -> None:
    command = "`journalctl --unit containerd --boot --no-pager --output cat | grep --ignore-case 'runtime handler'`"
    told = render(
        report(judged(replace(finding(), remedy=f"see in the journal of its node what was loaded: {command}")))
    )
    assert f" {command}" in told
