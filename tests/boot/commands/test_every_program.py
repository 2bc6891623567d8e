"""No call of any program is too odd, and none takes long."""

from __future__ import annotations

import random

import pytest

from nodeworthy.boot.commands.call import Call
from nodeworthy.boot.commands.table import PROGRAMS, did
from nodeworthy.boot.effects import Runs, Stage
from nodeworthy.boot.text import EMPTY, Text
from tests.boot.commands.calls import PLACE, Files, content, ran, text, told
from tests.by_day import some

WORDS = [
    *[
        "",
        "-",
        "--",
        "-a",
        "-i",
        "-n",
        "-e",
        "-o",
        "-t",
        "-r",
        "-c",
        "-d",
        "-s",
        "-rf",
        "-i.bak",
        "--now",
        "--output",
        "--gpus",
    ],
    *[
        "--x=",
        "--x=${Y}",
        "-${Z}",
        "${A}",
        "a${B}c",
        "/",
        "/etc/",
        "/etc/f",
        "/etc/${C}/x",
        "file://${D}",
        "s/a/b/",
        "s/${E}/b/",
    ],
    *[
        "install",
        "run",
        "pull",
        "start",
        "enable",
        "join",
        "init",
        "config",
        "runtime",
        "configure",
        "cp",
        "s3",
        "clone",
        "image",
    ],
    *[
        "nvidia",
        "nvidia-driver-570",
        "nvidia-${V}",
        "cuda",
        "./x.rpm",
        "x=1",
        "%s",
        "%d%",
        "1",
        "-1",
        "99999999",
        "é",
        "a b",
        "=",
        ":",
    ],
]
STDIN = [None, "", "a\n", "${X}\n", "a ${X} b\nc\n", "# x\n\nserver: ${Y}\n"]


def calls(program: str, count: int) -> list[Call]:
    chosen = random.Random(program)
    found = []
    for _ in range(count):
        arguments = [text(chosen.choice(WORDS)) for _ in range(chosen.randint(0, 5))]
        stdin = chosen.choice(STDIN)
        found.append(
            Call(
                (Text.of(program), *arguments),
                PLACE,
                Stage.SCRIPTS,
                Files({"/etc/f": "a\nb ${Q}\n", "/etc/fstab": "a /b c\n${X}\n#\nd\n"}),
                stdin=None if stdin is None else content(stdin),
                folder=chosen.choice(["/", "/root", None]),
            )
        )
    return found


@pytest.mark.parametrize("program", some(sorted(PROGRAMS), 60))
def test_no_call_is_too_odd(program: str) -> None:
    for call in calls(program, 150):
        done = did(call)
        assert all(effect.place == PLACE for effect in done.effects)


def test_a_program_that_nobody_knows_runs() -> None:
    assert told(ran("frobnicate --all ${X}")) == ["Runs arguments=frobnicate,--all,${X}"]
    assert told(ran("/opt/bin/frobnicate")) == ["Runs arguments=/opt/bin/frobnicate"]


def test_a_name_that_is_not_known_runs() -> None:
    assert isinstance(ran("${PROGRAM} x").effects[0], Runs)
    assert did(Call((EMPTY,), PLACE, Stage.SCRIPTS, Files())).effects
