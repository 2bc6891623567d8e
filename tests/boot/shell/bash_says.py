"""What bash itself says to a script that it is asked to read and not to run, and scripts that it may refuse."""

from __future__ import annotations

import random
import re
import shutil
import subprocess
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

from nodeworthy.boot.shell.strict.reading import why_unreadable

TESTS = Path(__file__).parents[2]
_LINE = re.compile(r"^.*?: line (\d+): (.*)$", re.MULTILINE)
# What mends or breaks a script: each is put somewhere, or in the place of a word.
PIECES = (
    "\" ' ` $( ${ ( ) { } fi done then do esac ;; if case | && [[ ]] (( )) <<EOF << \n \\ # $(( in for while function ! > "
    "<( ; & a=( $'"
).split(" ")


@cache
def bash() -> str:
    """The words are those of 5.2: other versions count and say some things otherwise."""
    found = shutil.which("bash")
    if (
        found is None
        or "version 5.2" not in subprocess.run([found, "--version"], check=False, capture_output=True, text=True).stdout
    ):
        pytest.skip("there is no bash 5.2 here")
    return found


def bash_says(text: str) -> tuple[int, str] | None:
    """The line and the words of its first complaint; that a heredoc has no end is a warning, and none."""
    raw = text.encode("utf-8", "surrogateescape")
    ran = subprocess.run([bash(), "-n", "/dev/stdin"], check=False, input=raw, capture_output=True, timeout=60)
    said = ((int(each[1]), each[2]) for each in _LINE.finditer(ran.stderr.decode("utf-8", "replace")))
    return next((each for each in said if not each[1].startswith("warning:")), None)


def we_say(text: str) -> tuple[int, str] | None:
    found = why_unreadable(text)
    return (found.line, found.words) if found is not None else None


def scripts() -> list[str]:
    """Every shell script of the tests; `shopt -s extglob` is not run, so that bash can't be asked about what follows."""
    texts = (path.read_text(encoding="utf-8", errors="surrogateescape") for path in sorted(TESTS.rglob("*.sh")))
    return [each for each in texts if "\r" not in each and "\0" not in each and "extglob" not in each]


def broken_scripts(seed: int, count: int) -> Iterator[str]:
    chosen, texts = random.Random(seed), [each for each in scripts() if 0 < len(each) < 8000]
    for _ in range(count):
        text = chosen.choice(texts)
        for _ in range(chosen.choice((1, 1, 1, 2, 3))):
            text = _changed(text, chosen)
        yield text


def _changed(text: str, chosen: random.Random) -> str:
    at, how = chosen.randrange(len(text) or 1), chosen.random()
    if how < 0.25:
        return text[:at] + text[at + 1 :]
    if how < 0.5:
        return text[:at] + chosen.choice(PIECES) + text[at:]
    if how < 0.65:
        return text[:at]
    if how < 0.85:
        lines = text.split("\n")
        lines.pop(chosen.randrange(len(lines)))
        return "\n".join(lines)
    words = [each.span() for each in re.finditer(r"\S+", text)] or [(0, 0)]
    start, end = chosen.choice(words)
    return text[:start] + chosen.choice(PIECES) + text[end:]
