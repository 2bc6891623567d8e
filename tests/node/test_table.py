"""The table of hosts in a terminal: of any width, in colour or not, and nowhere else."""

from __future__ import annotations

import io
import os
import re
from typing import Any

import pytest

from nodeworthy.collect.node.asked import AskedHost
from nodeworthy.collect.node.recording import Recording, load
from nodeworthy.commands.node import progress
from nodeworthy.commands.node.progress import Table
from tests.run import run

from .recordings import INCIDENT, MENDED

UP = re.compile(r"\033\[(\d+)A\r\033\[J")
COUNTS = {"pass": 31, "fail": 2, "unknown": 1}


def sized(monkeypatch: pytest.MonkeyPatch, columns: int, lines: int = 24) -> None:
    monkeypatch.setattr("shutil.get_terminal_size", lambda: os.terminal_size((columns, lines)))


def screen(told: str) -> list[str]:
    """What stands in the terminal in the end, as one that obeys shows it."""
    lines: list[str] = []
    for part in re.split(r"(\033\[\d+A\r\033\[J)", told):
        up = UP.fullmatch(part)
        if up is None:
            lines += part.splitlines()
        else:
            del lines[len(lines) - int(up[1]) :]
    return lines


def answered(table: Table, *hosts: str, unreached: str | None = None) -> None:
    for each in hosts:
        table.asked(AskedHost(each, Recording(each, unreached=unreached)), each)


def test_each_host_has_a_row(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    sized(monkeypatch, 80)
    table = Table(lambda each: COUNTS if each.name == "ssh://a" else {"pass": 30}, colour=False)
    table.begin(["ssh://a", "ssh://longer", "ssh://c"])
    answered(table, "ssh://a", "ssh://longer")
    table.above("a pod is made\x1b[2J")
    answered(table, "ssh://c", unreached="refused\x1b]0;owned\x07")
    assert screen(capsys.readouterr().err) == [
        "a pod is made\ufffd[2J",
        "ssh://a       2 fail, 1 unknown, 31 pass",
        "ssh://longer  30 pass",
        "ssh://c       not reached: refused\ufffd]0;owned\ufffd",
        "3 of 3 hosts asked, 2 of them not well",
    ]


@pytest.mark.parametrize("columns", [1, 8, 13, 20, 33, 60, 200])
@pytest.mark.parametrize("lines", [1, 3, 10])
def test_no_row_is_wider_nor_the_table_higher_than_the_terminal(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, columns: int, lines: int
) -> None:
    sized(monkeypatch, columns, lines)
    table = Table(lambda _: COUNTS, colour=False)
    names = [f"ssh://gpu-node-number-{n}.internal" for n in range(50)]
    table.begin(names)
    answered(table, *names[:30])
    answered(table, *names[30:], unreached="no route to host")
    shown = screen(capsys.readouterr().err)
    assert max(map(len, shown)) <= max(columns - 1, 1)
    assert len(shown) <= max(lines - 2, 1)


def test_whoever_is_not_well_has_room_first(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    sized(monkeypatch, 80, 5)
    table = Table(lambda each: COUNTS if each.name == "h7" else {"pass": 3}, colour=False)
    table.begin([f"h{n}" for n in range(9)])
    answered(table, *(f"h{n}" for n in range(8)))
    table.above("")
    assert [each.split()[0] for each in screen(capsys.readouterr().err)[1:]] == ["h7", "h8", "8"]


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


@pytest.fixture
def terminal(monkeypatch: pytest.MonkeyPatch) -> pytest.MonkeyPatch:
    def observe(host: Any) -> Recording:
        said = load(MENDED if host.backend.get_hostname() == "well" else INCIDENT)
        return Recording(host.backend.get_pytest_id(), said.parts)

    monkeypatch.setattr("nodeworthy.collect.node.asked.observe", observe)
    monkeypatch.setattr("io.StringIO", Terminal)
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.delenv("NO_COLOR", raising=False)
    sized(monkeypatch, 100)
    return monkeypatch


ABOUT = ("--rule", "containerd-paths", "--rule", "toolkit-reaches-containerd")


def test_a_run_draws_it(terminal: pytest.MonkeyPatch) -> None:
    ran = run("node", "ssh://well", "ssh://ill", *ABOUT)
    shown = screen(ran.err)
    assert re.sub(r"\033\[[\d;]*m", "", "\n".join(shown)).splitlines() == [
        "ssh://well  2 pass",
        "ssh://ill   1 fail",
        "2 of 2 hosts asked, 1 of them not well",
    ]
    assert "\033[31;1m1 fail\033[0m" in shown[1]


@pytest.mark.parametrize("without", [("--no-color", ""), ("", "NO_COLOR")])
def test_it_needs_no_colours(terminal: pytest.MonkeyPatch, without: tuple[str, str]) -> None:
    option, variable = without
    if variable:
        terminal.setenv(variable, "1")
    ran = run("node", "ssh://ill", *ABOUT, *filter(None, [option]))
    assert "1 fail" in ran.err
    assert "m1 fail" not in ran.err


@pytest.mark.parametrize("options", [["--quiet"], []])
def test_where_nobody_looks_there_is_none(terminal: pytest.MonkeyPatch, options: list[str]) -> None:
    terminal.setenv("TERM", "xterm" if options else "dumb")
    assert run("node", "ssh://ill", *ABOUT, *options).err == ""


def test_recordings_are_read_too_fast_for_one(terminal: pytest.MonkeyPatch) -> None:
    err = run("node", f"replay:{MENDED}", *ABOUT).err
    assert "1 of 1 hosts asked, the last: replay:" in err


def test_what_is_told_when_the_table_is_done_is_a_line(
    terminal: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    run("node", "ssh://ill", *ABOUT)
    progress.tell("a pod is made")
    assert capsys.readouterr().err == "a pod is made\n"
