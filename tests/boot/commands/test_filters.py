"""Filters over known text print what the real ones print; else one line that nobody knows."""

from __future__ import annotations

import shlex
import subprocess

import pytest

from tests.boot.commands.calls import printed, ran

INPUT = "root:x:0\n# comment\nNVIDIA driver:570\n\nlast line\n"

LIKE_THE_REAL_ONE = [
    "tr a-z A-Z",
    "tr '[:upper:]' '[:lower:]'",
    "tr -d '\\n'",
    "tr ':' '\\n'",
    "tr -d ':#'",
    "head -n 2",
    "head -2",
    "head",
    "tail -n 1",
    "tail -n2",
    "cut -d: -f1",
    "cut -d : -f 3",
    "grep driver",
    "grep -v '^#'",
    "grep -i nvidia",
    "grep -E 'root|last'",
    "grep -F '# c'",
    "grep -x 'last line'",
    "grep -e root -e last",
    "egrep '^(root|last)'",
    "grep nothing",
    "cat",
    "cat -",
    "seq 3",
    "seq 2 4",
    "seq 5 -2 1",
    "basename /etc/eks/bootstrap.sh",
    "basename /etc/eks/bootstrap.sh .sh",
    "basename /etc/eks/",
    "dirname /etc/eks/bootstrap.sh",
    "dirname bootstrap.sh",
    "dirname /x",
    "base64 -d",
]


@pytest.mark.parametrize("line", LIKE_THE_REAL_ONE)
def test_prints_what_the_real_one_prints(line: str) -> None:
    given = "aGVsbG8KZm9vCg==\n" if "base64" in line else INPUT
    done = subprocess.run(shlex.split(line), input=given, capture_output=True, text=True, check=False)
    real = done.stdout if done.stdout.endswith("\n") or not done.stdout else f"{done.stdout}\n"
    assert printed(ran(line, stdin=given)) == real


@pytest.mark.parametrize(
    ("line", "given", "expected"),
    [
        ("tr a-z A-Z", "a ${x} b\n", "A ${x} B\n"),
        ("grep -v '^#'", "# a\nb ${X}\n", "b ${X}\n"),
        ("head -n1", "a ${X}\nb\n", "a ${X}\n"),
        ("cat", "${MANY}\n", "${MANY}\n"),
        ("basename /opt/${NAME}", "", "${NAME}\n"),
    ],
)
def test_holes_go_through(line: str, given: str, expected: str) -> None:
    assert printed(ran(line, stdin=given)) == expected


@pytest.mark.parametrize(
    "line",
    [
        "tr -s ' '",
        "head -n ${N}",
        "head -c 3",
        "head -n 1 /unread",
        "cut -f1,2 -d:",
        "cut -c1-3",
        "grep -o root",
        "grep -c root",
        "grep root /unread",
        "grep ${WHAT}",
        "sort",
        "awk '{print $1}'",
        "jq -r .x",
        "base64",
        "base64 -d",
        "seq 1 ${N}",
        "seq 100000000",
        "cat /etc/os-release",
        "uname -r",
        "date",
        "hostname",
        "mktemp -d",
        "nproc",
    ],
)
def test_what_can_not_be_known_is_one_line_that_says_so(line: str) -> None:
    output = ran(line, stdin=INPUT).output
    assert output is not None
    (only,) = output.lines
    (hole,) = only.text.holes
    assert hole.shown == "$(" + " ".join(shlex.split(line)) + ")"
    assert hole.why.endswith("prints it on the node")


def test_containerds_default_has_its_own_words() -> None:
    output = ran("containerd config default").output
    assert output is not None
    assert output.text.why == "what `containerd config default` prints"


@pytest.mark.parametrize(
    ("line", "succeeds"),
    [("grep -q one /etc/f", True), ("grep -q two /etc/f", False), ("grep -q one /unread", None)],
)
def test_grep_tells_whether_it_found_something(line: str, succeeds: bool | None) -> None:
    done = ran(line, files={"/etc/f": "one\n"})
    assert done.succeeded is succeeds
    assert printed(done) == ""


def test_envsubst_knows_what_is_set() -> None:
    done = ran("envsubst", stdin="a $A $B $C\n", environment={"A": "1", "B": "${LATE}"})
    assert printed(done) == "a 1 ${LATE} $C\n"


def test_cat_reads_what_the_script_wrote() -> None:
    files = {"/etc/a": "1\n", "/etc/b": "2\n"}
    assert printed(ran("cat /etc/a /etc/b", files=files)) == "1\n2\n"
    assert printed(ran("cat /etc/a - /unread", files=files, stdin="0\n")) == "1\n0\n$(cat /etc/a - /unread)\n"


def test_pwd_is_the_folder() -> None:
    assert printed(ran("pwd", folder="/root")) == "/root\n"
    assert printed(ran("pwd", folder=None)) == "$(pwd)\n"


def test_what_asks_has_no_effect_and_what_sets_runs() -> None:
    assert ran("hostname -f").effects == ()
    assert ran("sysctl -n kernel.ostype").effects == ()
    assert len(ran("hostname node-1").effects) == 1
    assert len(ran("sysctl -w net.ipv4.ip_forward=1").effects) == 1
    assert len(ran("sysctl --system").effects) == 1
