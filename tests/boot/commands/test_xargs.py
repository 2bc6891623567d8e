"""xargs makes the commands that the real one makes."""

from __future__ import annotations

import shlex
import subprocess

import pytest

from nodeworthy.boot.commands.starters import commands
from tests.boot.commands.calls import content, text


def made(line: str, stdin: str | None) -> list[list[str]]:
    arguments = [text(word) for word in shlex.split(line)]
    found = commands(arguments, None if stdin is None else content(stdin))
    return [[word.shown() for word in command] for command in found]


@pytest.mark.parametrize("stdin", ["a b\nc\n", "a\n", "", "one\ntwo three\n\nfour\n"])
@pytest.mark.parametrize(
    "line", ["xargs echo x", "xargs", "xargs -n 1 echo", "xargs -n2 echo y", "xargs -r echo", "xargs -t -P 4 echo -n1"]
)
def test_as_the_real_one(line: str, stdin: str) -> None:
    real = subprocess.run(shlex.split(line), input=stdin, capture_output=True, text=True, check=True).stdout
    assert sorted(" ".join(each[1:]) for each in made(line, stdin)) == sorted(real.splitlines())


def test_a_marker_is_filled_line_by_line() -> None:
    assert made("xargs -I{} cp {} /etc/{}.conf", "a b\nc\n") == [
        ["cp", "a b", "/etc/a b.conf"],
        ["cp", "c", "/etc/c.conf"],
    ]
    assert made("xargs -I % modprobe %", "nvidia\n") == [["modprobe", "nvidia"]]


@pytest.mark.parametrize("stdin", [None, "${PACKAGES}\n", "a\n" * 60])
def test_what_is_not_known_is_a_hole(stdin: str | None) -> None:
    assert made("xargs -r apt-get install -y", stdin) == [["apt-get", "install", "-y", "{}"]]
    (command,) = commands([text(word) for word in ("xargs", "install")], None if stdin is None else content(stdin))
    assert command[-1].holes


def test_a_word_with_a_hole_is_a_word() -> None:
    assert made("xargs dnf install -y", "nvidia-driver-${V}\n") == [["dnf", "install", "-y", "nvidia-driver-${V}"]]


def test_a_file_of_arguments_is_not_read() -> None:
    assert made("xargs -a /etc/packages install", "a\n") == [["install", "{}"]]
