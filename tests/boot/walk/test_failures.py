"""What happens where a step fails."""

from __future__ import annotations

import pytest

from nodeworthy.boot.effects import Failure
from tests.boot.walk.told import failures, timeline, told

MORE = "\nsystemctl enable last"
CASES = {
    "nobody looks": (f"dnf install -y x{MORE}", Failure.UNNOTICED),
    "set -e": (f"set -e\ndnf install -y x{MORE}", Failure.STOPS),
    "set -euo pipefail": (f"set -euo pipefail\ndnf install -y x{MORE}", Failure.STOPS),
    "set -o errexit": (f"set -o errexit\ndnf install -y x{MORE}", Failure.STOPS),
    "taken back": (f"set -e\nset +e\ndnf install -y x{MORE}", Failure.UNNOTICED),
    "the first line": (f"#!/bin/bash -xe\ndnf install -y x{MORE}", Failure.STOPS),
    "|| exit": (f"dnf install -y x || exit 1{MORE}", Failure.STOPS),
    "|| true": (f"set -e\ndnf install -y x || true{MORE}", Failure.SWALLOWED),
    "|| :": (f"set -e\ndnf install -y x || :{MORE}", Failure.SWALLOWED),
    "|| exit 0": (f"dnf install -y x || exit 0{MORE}", Failure.SWALLOWED),
    "|| echo": (f"dnf install -y x || echo failed{MORE}", Failure.REPORTED),
    "|| echo that all is well, unseen": (
        f"set -e\ndnf install -y x 2>/dev/null || echo 'packages OK'{MORE}",
        Failure.SWALLOWED,
    ),
    "|| a function that says that all is well, unseen": (
        f"note() {{ echo $1; }}\ndnf install -y x &>/dev/null || note 'x is installed'{MORE}",
        Failure.SWALLOWED,
    ),
    "|| echo that all is well, in both streams": (
        f"dnf install -y x >/dev/null 2>&1 || {{ echo 'done'; }}{MORE}",
        Failure.SWALLOWED,
    ),
    "if not, it says that all is well, unseen": (
        f"if ! dnf install -y x 2>/dev/null; then echo 'that is fine'; fi{MORE}",
        Failure.SWALLOWED,
    ),
    # Its own errors are there for whoever reads.
    "|| echo that all is well, seen": (f"dnf install -y x || echo 'packages OK'{MORE}", Failure.REPORTED),
    "|| echo that all is well, seen in a log": (
        f"dnf install -y x >>/var/log/x 2>&1 || echo 'packages OK'{MORE}",
        Failure.REPORTED,
    ),
    "|| echo that it may be well": (
        f"dnf install -y x 2>/dev/null || echo 'x may be installed already'{MORE}",
        Failure.REPORTED,
    ),
    "|| echo that it is not well": (f"dnf install -y x 2>/dev/null || echo 'not installed'{MORE}", Failure.REPORTED),
    "|| echo that it failed, which is fine": (
        f"dnf install -y x 2>/dev/null || echo 'x failed, OK on a builder'{MORE}",
        Failure.REPORTED,
    ),
    "|| echo and something else, unseen": (
        f"dnf install -y x 2>/dev/null || {{ echo 'OK'; touch /failed; }}{MORE}",
        Failure.REPORTED,
    ),
    "|| a function that exits": (f"die() {{ echo $1; exit 1; }}\ndnf install -y x || die no{MORE}", Failure.STOPS),
    "|| { …; exit 1; }": (f"dnf install -y x || {{ echo no; exit 1; }}{MORE}", Failure.STOPS),
    "a trap": (f"trap 'echo failed' ERR\ndnf install -y x{MORE}", Failure.REPORTED),
    "in a pipe": (f"set -e\ndnf install -y x | grep done{MORE}", Failure.SWALLOWED),
    "in a pipe, with pipefail": (f"set -eo pipefail\ndnf install -y x | tee /tmp/log{MORE}", Failure.STOPS),
    "before &&": (f"set -e\ndnf install -y x && systemctl enable a{MORE}", Failure.UNNOTICED),
    "until it succeeds": (f"set -e\nuntil dnf install -y x; do sleep 5; done{MORE}", Failure.REPEATED),
    "while it fails": (f"set -e\nwhile ! dnf install -y x; do sleep 5; done{MORE}", Failure.REPEATED),
    "until it gives up": (
        f"set -e\nuntil dnf install -y x; do\n  ((++n > 9)) && exit 1\n  sleep 5\ndone{MORE}",
        Failure.UNNOTICED,
    ),
    "while it succeeds": (f"set -e\nwhile dnf install -y x; do sleep 5; done{MORE}", Failure.UNNOTICED),
    "until one of two": (f"set -e\nuntil dnf install -y x || ((++n > 9)); do sleep 5; done{MORE}", Failure.SWALLOWED),
    "the last one": ("dnf install -y x", Failure.STOPS),
    "the last one of the last function": ("main() {\n  dnf install -y x\n}\nmain", Failure.STOPS),
    "in the background": (f"set -e\ndnf install -y x &{MORE}", Failure.UNNOTICED),
    "if not, exit": (f"if ! dnf install -y x; then echo no; exit 1; fi{MORE}", Failure.STOPS),
    "if not, go on": (f"if dnf install -y x; then systemctl enable a; fi{MORE}", Failure.UNNOTICED),
    "or another one": (f"set -e\ndnf install -y x || dnf install -y y{MORE}", Failure.STOPS),
}


@pytest.mark.parametrize("name", CASES)
def test_what_becomes_of_it(name: str) -> None:
    script, expected = CASES[name]
    assert failures(script)["dnf"] is expected


BROKEN = {
    "a stray fi": "modprobe a\nmodprobe b\nfi\nmodprobe c",
    "a stray brace": "modprobe a\nmodprobe b\n}\nmodprobe c",
    "an if that nobody closes": "modprobe a\nmodprobe b\nif [ -e /x ]; then\n  modprobe c\n",
}


@pytest.mark.parametrize("name", BROKEN)
def test_what_no_shell_can_read_does_not_blind_what_comes_before(name: str) -> None:
    lines = told(BROKEN[name])
    assert "may load the module a: modprobe loads it" in lines
    assert any(line.startswith("may load the module b: modprobe loads it") for line in lines)
    assert not any("module c" in line for line in lines)
    assert timeline(BROKEN[name]).not_understood("modprobe c") is not None


def test_a_script_that_does_too_much_ends_in_time() -> None:
    doubles = "\n".join(f"f{i}() {{ f{i + 1}; f{i + 1}; }}" for i in range(40))
    lines = told(f"{doubles}\nf40() {{ true; }}\nf0")
    assert any("does more than is followed" in line or "not followed" in line or "nested" in line for line in lines)


def test_a_function_that_calls_itself_ends() -> None:
    assert told("f() { f; }\nf\nsystemctl enable a")[-1] == "enables a.service"


def test_loops_in_loops_end_in_time() -> None:
    loops = "".join(f"for {name} in 1 2 3 4 5 6 7 8 9 10; do echo ${name}; " for name in "abcdefgh")
    lines = told(f"{loops}modprobe nvidia; {'done; ' * 8}")
    assert lines[-1].startswith("? the script does more than is followed")


def test_a_long_file_that_is_edited_over_and_over_ends_in_time() -> None:
    body = "\n".join(f"line {number}" for number in range(5000))
    script = f"cat > /etc/x <<'EOF'\n{body}\nEOF\n" + "sed -i 's/a/b/;s/b/a/' /etc/x\n" * 300
    assert told(script)[-1].startswith("? the script does more than is followed")


def test_what_a_script_that_was_given_up_may_do_concerns_every_rule() -> None:
    loops = "".join(f"for {name} in 1 2 3 4 5 6 7 8 9 10; do echo ${name}; " for name in "abcdefgh")
    script = f"{loops}{'done; ' * 8}\nsystemctl enable kubelet\n"
    assert timeline(script).not_understood("kubelet") is not None
