"""Commands that end before their last line: as bash reads them."""

from __future__ import annotations

import subprocess

import pytest
import yaml

from nodeworthy.facts.boot.cut_short import Why, cut_short, folded_rows, may_be_cut_short

CUT = {
    "join a \\ \n  --token b": Why.BLANK,
    "join a \\\t\n  --token b": Why.BLANK,
    "join a \\\n  # --port 1 \\\n  --token b": Why.COMMENT,
    "join a \\\n  # one\n  # two\n  --token b": Why.COMMENT,
    "join a \\ # the address\n  --token b": Why.COMMENT,
    "join a # the address \\\n  --token b": Why.COMMENT,
    "join a \\\n\n  --token b": Why.EMPTY,
    "join a\n  --token b": Why.NOTHING,
}
# Here the words on the last line are no option, but stand deeper in than the command.
LOST_WORDS = {text.replace("--token b", "token b"): why for text, why in CUT.items() if why is not Why.NOTHING}
WHOLE = (
    "join a \\\n  --token b",
    "join 'a \\ \n  --token b'",
    "join a && \\\n  # and then\n  token b",
    "join a |\n\n  token b",
    "# join a \\ \ntoken b",
    "join a \\\n\ntoken b",
)


# An example for another machine, behind an empty line: the command has the option already.
NOTES = ("join --token a --port 1\n\n--token b --port 1\n--token c", "join --token=a\n\n# the second\n--token=b")


@pytest.mark.parametrize("text", NOTES)
def test_a_note_of_what_others_are_given_continues_nothing(text: str) -> None:
    rows = text.split("\n")
    assert not list(cut_short(rows, range(len(rows)), template=False))


@pytest.mark.parametrize("row", ["  -V|--version) shown; exit 0 ;;", "  --all | -a )  all=1 ;;", "  '-x') shown ;;"])
def test_a_branch_of_a_case_is_no_option(row: str) -> None:
    rows = ['case "$1" in', "  --vendor) vendor=$2; shift ;;", row]
    assert list(cut_short(rows, [1, 2], template=False)) == []


@pytest.mark.parametrize("text", ["join --set a\n  --set b", "join --set a\n\n  --token b"])
def test_an_option_that_may_stand_twice_or_is_new_was_meant_for_the_command(text: str) -> None:
    rows = text.split("\n")
    assert [each.why for each in cut_short(rows, [0, len(rows) - 1], template=False)] == [Why.NOTHING]


def _of_bash(text: str) -> str:
    """Which commands it runs."""
    called = 'join() { printf "join%s;" "$#"; }; command_not_found_handle() { printf "%s;" "$1"; }\n'
    return subprocess.run(["bash", "-c", called + text], capture_output=True, text=True, check=False).stdout


@pytest.mark.parametrize("text", [*CUT, *LOST_WORDS])
def test_bash_runs_the_rest_as_another_command(text: str) -> None:
    assert _of_bash(text).endswith(("--token;", "token;"))


@pytest.mark.parametrize(("text", "why"), [*CUT.items()])
def test_an_option_that_is_run_tells_it(text: str, why: Why) -> None:
    rows = text.split("\n")
    assert may_be_cut_short(text)
    assert [(each.lost, each.why) for each in cut_short(rows, [0, len(rows) - 1], template=False)] == [
        (len(rows) - 1, why)
    ]


@pytest.mark.parametrize(("text", "why"), [each for each in LOST_WORDS.items() if "address \\" not in each[0]])
def test_a_backslash_that_continues_nothing_tells_it(text: str, why: Why) -> None:
    rows = text.split("\n")
    assert may_be_cut_short(text)
    assert [(each.lost, each.why) for each in cut_short(rows, [0], template=False)] == [(len(rows) - 1, why)]


@pytest.mark.parametrize("text", WHOLE)
def test_what_goes_on_is_not_cut(text: str) -> None:
    rows = text.split("\n")
    begins = [index for index, row in enumerate(rows) if row.startswith("join")]
    assert list(cut_short(rows, begins, template=False)) == []


@pytest.mark.parametrize("above", ["join ${more}", "%{ if more ~}", "{% if more %}"])
def test_a_template_may_continue_it(above: str) -> None:
    rows = [above, "  --token b"]
    assert list(cut_short(rows, [1], template=True)) == []


# Items of runcmd, and whether a word of theirs begins with a blank.
ITEMS = {
    "- join a \\\n  --token b": True,
    "- >-\n  join a \\\n  --token b \\\n  --port 1": True,
    "- true && join 'a' \\\n  --token b": True,
    "- join a \\\n\n  --token b": False,
    "- |\n  join a \\\n  --token b": False,
    '- "join a \\\n  --token b"': False,
    "- join a\n  --token b": False,
    "- join 'a \\\n  --token b'": False,
    "- join a \\\n  && true": False,
    "- join a\\ b\n  --token b": False,
}


@pytest.mark.parametrize(("item", "is_told"), ITEMS.items())
def test_what_yaml_joins_is_told_as_bash_reads_it(item: str, is_told: bool) -> None:
    rows, [joined] = item.split("\n"), yaml.safe_load(item)
    called = 'join() { printf "<%s>" "$@"; }\n'
    ran = subprocess.run(["bash", "-c", called + joined], capture_output=True, text=True, check=False).stdout
    found = next(filter(None, (folded_rows(rows, 0, row) for row in joined.split("\n"))), None)
    assert (found is not None and found.why is Why.FOLDED) is is_told
    assert ("< --" in ran) is is_told


def test_what_is_printed_stays_the_same() -> None:
    assert folded_rows(["- echo a \\", "  --token b"], 0, "echo a \\ --token b") is None
