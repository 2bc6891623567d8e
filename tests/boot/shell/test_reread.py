"""What is read again where it was changed is what is read of the whole."""

from __future__ import annotations

import random
from collections.abc import Iterator
from typing import Any

import pytest

from bench.boot import script as generated
from nodeworthy.boot.shell.parse import _lines
from nodeworthy.boot.shell.reread import Remembered
from nodeworthy.boot.shell.syntax import Script, Word

# What somebody types, line by line or letter by letter: it opens, closes, joins, continues.
_TYPED = ("x", "'", '"', "\\", "\n", " ", "$(", ")", "`", "{", "}", "#", "|", "&&", "&", ";", "<<EOF\n", "EOF\n", "<<E")
_TYPED_LINES = (
    "if true; then",
    "fi",
    "f() {",
    "}",
    "done",
    "EOF",
    "case a in",
    "esac",
    "",
    "(",
    "a \\",
    "cat <<E",
    "!",
)


def shown(value: Any) -> Any:
    """All of it, with the line and column of each word."""
    if isinstance(value, Word):
        return ("word", value.raw, value.spot, [shown(each) for each in value.parts], value.plain)
    if isinstance(value, tuple | list) or hasattr(value, "texts"):
        return [shown(each) for each in value]
    names = getattr(type(value), "__slots__", ())
    return (type(value).__name__, *(shown(getattr(value, each)) for each in names)) if names else value


def edits(source: random.Random, text: str, how_many: int) -> Iterator[str]:
    for _ in range(how_many):
        lines = text.split("\n")
        at = source.randrange(len(lines))
        kind = source.randrange(5)
        if kind == 0:
            lines[at] = source.choice(_TYPED_LINES)
        elif kind == 1:
            lines.insert(at, source.choice(_TYPED_LINES))
        elif kind == 2:
            del lines[at : at + source.randrange(1, 4)]
        elif kind == 3:
            where = source.randrange(len(lines[at]) + 1)
            lines[at] = lines[at][:where] + source.choice(_TYPED) + lines[at][where:]
        else:
            other = source.randrange(len(lines))
            lines[at], lines[other] = lines[other], lines[at]
        changed = "\n".join(lines)
        yield changed
        # Now and then it stays so, and what comes next is changed of that.
        if source.randrange(3) == 0:
            text = changed


@pytest.mark.parametrize("seed", range(12))
def test_it_is_the_same(seed: int) -> None:
    source = random.Random(seed)
    text = generated(source, 60)
    remembered = Remembered()
    remembered.script(text, _lines)
    for each in edits(source, text, 25):
        assert shown(remembered.script(each, _lines)) == shown(_lines(each)), each


def test_a_line_alone_is_read() -> None:
    text = "\n".join(f"echo {each}" for each in range(100)) + "\n"
    asked: list[tuple[str, int]] = []

    def read(lines: str, first: int) -> Script:
        asked.append((lines, first))
        return _lines(lines, first)

    remembered = Remembered()
    remembered.script(text, read)
    remembered.script(text.replace("echo 50\n", "echo 50x\n"), read)
    remembered.script(text.replace("echo 50\n", "echo 50xy\n"), read)
    assert asked[1:] == [("echo 50x\n", 51), ("echo 50xy\n", 51)]
