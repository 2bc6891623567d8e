"""Texts of which only a part is known."""

from __future__ import annotations

import itertools
import random
import re
import time

import pytest

from nodeworthy.boot.text import Hole, Piece, Text

HOLE = Hole("${X}", "it is known on the node")
PIECES: list[Piece] = ["a", "b", "ab", HOLE]


@pytest.mark.parametrize(
    ("text", "what", "could"),
    [
        (Text.of("a"), "a", True),
        (Text.of("a"), "ab", False),
        (Text.of(), "", True),
        (Text.of(HOLE), "", True),
        (Text.of(HOLE), "anything\nat all", True),
        (Text.of("a", HOLE), "a", True),
        (Text.of("a", HOLE), "ba", False),
        (Text.of(HOLE, "a"), "ba", True),
        (Text.of(HOLE, "a"), "ab", False),
        (Text.of("a", HOLE, "a"), "a", False),
        (Text.of("a", HOLE, "a"), "aa", True),
        (Text.of("/etc/", HOLE, "/x/", HOLE, ".conf"), "/etc/a/x/b.conf", True),
        (Text.of("/etc/", HOLE, "/x/", HOLE, ".conf"), "/etc/a/b.conf", False),
        (Text.of(HOLE, "ab", HOLE, "b"), "ab", False),
    ],
)
def test_what_it_could_be(text: Text, what: str, *, could: bool) -> None:
    assert text.could_be(what) is could


def test_it_could_be_what_its_pattern_fits() -> None:
    chosen = random.Random(1)
    for _ in range(3000):
        text = Text.of(*(chosen.choice(PIECES) for _ in range(chosen.randint(0, 5))))
        pattern = "".join(piece if isinstance(piece, str) else ".*" for piece in text.pieces)
        for what in map("".join, itertools.product("ab", repeat=chosen.randint(0, 4))):
            assert text.could_be(what) == (re.fullmatch(pattern, what) is not None)


# What takes this long has no end; how fast it is, bench/ says.
HANGS = 60


def test_many_holes_take_no_time() -> None:
    begins = time.process_time()
    assert not Text((*[HOLE] * 100, "x")).could_be("nvidia-persistenced.service" * 10)
    separated: list[Piece] = [HOLE, "e"] * 50
    assert not Text.of(*separated, "x").could_be("e" * 500)
    assert time.process_time() - begins < HANGS
