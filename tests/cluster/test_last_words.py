"""Of a log, the words that tell: how it ended, else what is known of it, else what sounds like a fault."""

from __future__ import annotations

import pytest

from nodeworthy.collect.cluster.logs import last_words, most_telling

STARTED = 'time="2026-02-03T04:05:06Z" level=info msg="Starting"'
# Known, and no logger's mark of an error is on it.
KNOWN = "Failed to allocate device vector A (error code system not yet initialized)!"
FATAL = 'time="2026-02-03T04:05:07Z" level=fatal msg="the config has no devices"'


@pytest.mark.parametrize(
    ("log", "words"),
    [
        ([STARTED, KNOWN, "[Vector addition of 50000 elements]"], KNOWN),
        # A program's own last word counts more than what was known of a line before it.
        ([KNOWN, FATAL], "the config has no devices"),
        ([STARTED, "E: Release file is odd", "Stopping NVIDIA persistence daemon..."], "E: Release file is odd"),
        (
            [STARTED, "/usr/bin/start: line 9: VERSION: unbound variable"],
            "/usr/bin/start: line 9: VERSION: unbound variable",
        ),
        (
            [STARTED, "no answer was found in time, not found in cache"],
            "no answer was found in time, not found in cache",
        ),
        ([STARTED, "all is well"], ""),
        ([], ""),
    ],
)
def test_the_line_that_tells(log: list[str], words: str) -> None:
    assert last_words("\n".join(log)).words == words


def test_words_behind_much_else_of_their_line_are_not_cut_away() -> None:
    said = last_words("x" * 900 + " " + KNOWN).words
    assert said.endswith(KNOWN)
    assert len(said) <= 300


def test_only_where_it_is_searched_what_is_known_is_found() -> None:
    assert last_words(KNOWN, searched=False).weight < last_words(KNOWN).weight


def test_of_several_containers_the_one_that_says_why() -> None:
    assert most_telling(map(last_words, ["it could not start", KNOWN, "all is well"])) == KNOWN
    assert most_telling([]) == ""
