"""The readers survive damaged user data: the short form, a few seconds. `tools/fuzz_boot.py` is the long one."""

from __future__ import annotations

import random
import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from nodeworthy.boot.read import timeline_of
from nodeworthy.boot.unpack import unpack
from nodeworthy.verdict import Place

from .mutations import corpus, mutated

# On a machine that does other things as well; the bench knows how fast it really is.
LONGEST_S = 10
SECONDS = 2


def read(data: bytes) -> None:
    started = time.monotonic()
    timeline = timeline_of(unpack(data, Place("user-data")))
    assert all(effect.place.path == "user-data" for effect in timeline.effects)
    assert time.monotonic() - started < LONGEST_S


def test_damaged_user_data() -> None:
    """As many as there is time for, always the same ones first."""
    source, every, done, started = random.Random(4), corpus(), 0, time.process_time()
    while time.process_time() - started < SECONDS or done < 20:
        data = mutated(source, every)
        try:
            read(data)
        except Exception as problem:
            problem.add_note(f"user data number {done}: {data[:2000]!r}")
            raise
        done += 1


@pytest.mark.parametrize(
    "line",
    [
        'A="$A$A"',
        'A="x$A$A"',
        "A+=$A$A",
        'A="${A//x/xx}x"',
        'set -- "$@" "$@" x',
        'A=("${A[@]}" "${A[@]}" x)',
        "A+=(x)",
    ],
)
def test_what_doubles_with_every_line_ends(line: str) -> None:
    data = f"#!/bin/bash\nA=x\n{line}\n{(line + chr(10)) * 1000}echo $A $1\n".encode()
    read(data)


@settings(max_examples=100, deadline=None)
@given(st.text(alphabet="#!/binsh\n \t'\"$(){}[]<>|&;\\=`EOFifthen-*?~%", max_size=80))
def test_shell_of_any_letters(text: str) -> None:
    read(f"#!/bin/sh\n{text}".encode())
