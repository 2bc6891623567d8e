"""echo and printf print what bash prints, and keep what is not known."""

from __future__ import annotations

import subprocess

import pytest

from tests.boot.commands.calls import PLACE, printed, ran

LIKE_BASH = [
    "echo",
    "echo -n",
    "echo -n a",
    "echo a  b 'c  d'",
    "echo -e 'a\\tb\\nc'",
    "echo -ne 'a\\n'",
    "echo -nE 'a\\n'",
    "echo -E -e '\\x41\\0102\\101'",
    "echo 'a\\nb'",
    "echo -x -n",
    "echo -- a",
    "echo -e 'a\\c b' c",
    "printf 'options nvidia %s=%d\\n' NVreg_RestrictProfilingToAdminUsers 0",
    "printf '%s\\n' a b c",
    "printf '%s=%s\\n' a b c",
    "printf '%s'",
    "printf 'a\\tb\\x41\\101\\n'",
    "printf '%5s|%-5s|%05d|%x|%o|%+d\\n' a b 12 255 8 5",
    "printf '%.2s|%c\\n' abc abc",
    "printf '%*s|\\n' 6 a",
    "printf '%d %d %d\\n' 0x10 010 \"'A\"",
    "printf '%x\\n' -1",
    "printf '%%s %b\\n' 'a\\nb'",
    "printf '%b' 'x\\c y' z",
    "printf '%q\\n' 'a b'",
    "printf -- '-a %s\\n' b",
    "printf '100%%\\n'",
    "printf '\\\\n\\n'",
]


@pytest.mark.parametrize("line", LIKE_BASH)
def test_prints_what_bash_prints(line: str) -> None:
    real = subprocess.run(["bash", "-c", line], capture_output=True, text=True, check=False).stdout
    # A last line without its end is a line all the same.
    assert printed(ran(line)) == (f"{real}\n" if real and not real.endswith("\n") else real)


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("echo options ${NAME}=0", "options ${NAME}=0\n"),
        ("echo -e 'a\\n${NAME}'", "a\n${NAME}\n"),
        ("printf '%s=%s\\n' a ${VALUE}", "a=${VALUE}\n"),
        ("printf '%d\\n' ${NUMBER}", "${NUMBER}\n"),
        ("printf '${FORMAT}\\n' a", "${FORMAT}\n"),
        ("printf '%s\\n' ${A} ${B}", "${A}\n${B}\n"),
        ("printf '%(%F)T\\n' -1", "%(%F)T\n"),
        ("printf '%f\\n' 1.5", "%f\n"),
        ("printf '%999999999s\\n' a", "%999999999s\n"),
    ],
)
def test_what_is_not_known_stays_a_hole(line: str, expected: str) -> None:
    done = ran(line)
    assert printed(done) == expected
    assert done.output is not None
    assert done.output.known is None


def test_every_line_has_the_place_of_its_call() -> None:
    output = ran("printf '%s\\n' a b c").output
    assert output is not None
    assert [(line.text.known, line.place) for line in output.lines] == [("a", PLACE), ("b", PLACE), ("c", PLACE)]


def test_a_variable_takes_what_printf_prints_with_v() -> None:
    assert printed(ran("printf -v NAME %s a")) == ""


def test_printing_succeeds() -> None:
    assert ran("echo").succeeded is True
    assert ran("printf a").succeeded is True
    assert ran("printf").succeeded is None
