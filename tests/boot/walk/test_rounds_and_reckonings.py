"""Loops round by round, the shell's arithmetic, folders and links."""

from __future__ import annotations

import pytest

from nodeworthy.boot.shell.arithmetic import reckon
from nodeworthy.boot.shell.state import State
from nodeworthy.boot.text import Hole, Text
from tests.boot.walk.told import file, timeline, told

F = "/etc/x"
REALLY = {
    "counted up": (f"N=5; ((N++)); let N+=2; echo $N > {F}", "8\n"),
    "counted by a loop": (
        f"n=0\nwhile [ $n -lt 3 ]; do n=$((n+1)); echo try $n > {F}; done",
        "try 3\n",
    ),
    "counted by until": (f"n=0\nuntil [ $n -ge 2 ]; do n=$((n + 1)); done\necho $n > {F}", "2\n"),
    "set --": (f'set -- p q r; shift; echo "$1 $# $*" > {F}', "q 2 q r\n"),
    "cd -": ("cd /etc; cd /opt; cd -; echo a > x", "a\n"),
    "pushd and popd": ("cd /etc; pushd /opt >/dev/null; popd; echo a > x", "a\n"),
    "a folder above": ("cd /etc/containerd; cd ..; echo a > x", "a\n"),
    "through a link": (f"ln -s {F} /opt/link; echo a > /opt/link; echo b >> /opt/link", "a\nb\n"),
    "a link that is gone": (f"echo a > {F}; ln -s {F} /opt/link; rm /opt/link; echo b > /opt/link", "a\n"),
}


@pytest.mark.parametrize("name", REALLY)
def test_what_really_stands_there(name: str) -> None:
    script, expected = REALLY[name]
    assert file(script, F) == expected


NOT_SURE = {
    "a round that nobody counts": f"n=0\nwhile true; do n=$((n+1)); curl -f http://x && break; done\necho $n > {F}",
    "a loop that a test of the machine ends": f"n=0\nuntil [ -e /x ]; do n=$((n+1)); done\necho $n > {F}",
    "a loop over what nobody knows": f"n=0\nfor i in $(cat /etc/list); do n=$((n+1)); done\necho $n > {F}",
    "a counting loop": f"for ((i = 0; i < 3; i++)); do true; done\necho $i > {F}",
    "it may have left earlier": f"n=0\nwhile [ $n -lt 9 ]; do n=$((n+1)); [ -e /x ] && break; done\necho $n > {F}",
}


@pytest.mark.parametrize("name", NOT_SURE)
def test_what_is_not_sure_is_not_claimed(name: str) -> None:
    assert told(NOT_SURE[name])[-1] == f"writes {F} (its content is not known)"


def test_a_loop_that_goes_on_for_ever_is_not_followed_for_ever() -> None:
    lines = told("n=0\nwhile [ $n -ge 0 ]; do n=$((n+1)); systemctl enable a; done")
    assert lines[-1].startswith("? only the first 64 rounds are followed")


def test_what_a_loop_of_unknown_rounds_does_is_told_once() -> None:
    effects = timeline("while ! curl -f http://x; do n=$((n+1)); modprobe nvidia; done").effects
    assert sum(type(each).__name__ == "LoadsModule" for each in effects) == 1


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("1 + 2 * 3", 7), ("(1 + 2) * 3", 9), ("-7 / 2", -3), ("-7 % 2", -1), ("N == 4 && 1", 1), ("!N", 0),
        ("N++", 4), ("++N", 5), ("N -= 1", 3), ("M = N + 1, M * 2", 10), ("N > 3 || 0", 1), ("$N + ${N}", 8),
        ("010", None), ("1 / 0", None), ("U + 1", None), ("N ? 1 : 2", None), ("1 +", None), ("", None),
        ("9" * 30, None), ("(" * 60 + "1" + ")" * 60, None), ("a[0]", None),
    ],
)  # fmt: skip
def test_reckoning(text: str, value: int | None) -> None:
    state = State()
    state.set("N", Text.of("4"))
    assert reckon(text, state) == value


def test_what_can_not_be_reckoned_is_forgotten() -> None:
    state = State()
    state.set("N", Text.of("4"))
    state.set("U", Text((Hole("$U", "unknown"),)))
    assert reckon("N += U", state) is None
    value = state.value("N")
    assert isinstance(value, Text)
    assert value.known is None
