"""Nothing that a file, a log or a host says is obeyed: not by a terminal, not by the log of a job."""

from __future__ import annotations

import json

import pytest

from nodeworthy.report.printable import escape_json, printable

OBEYED = (
    "::stop-commands::x",
    "  ::add-mask::x",
    "a value that is long ::set-env name=PATH::/x",
    "(::error file=a::b)",
    "::Group::x",
    "x ##[set-env name=A]b",
    "##vso[task.setvariable variable=a]b",
    "##teamcity[message text='x']",
    "\rsection_start:0:x\r\x1b[0Ky",
)


@pytest.mark.parametrize("text", OBEYED)
def test_no_log_of_a_job_obeys_it(text: str) -> None:
    shown = printable(text)
    assert shown != text
    assert not any(mark in shown.lower() for mark in ("##[", "##vso[", "##teamcity[", "\r", "\x1b"))
    assert not any(word.startswith(("::", "(::")) for word in shown.split())


@pytest.mark.parametrize(
    "text", ["::1", "::/0", "fe80::1", "arn:aws:iam::aws:policy/X", "std::error::Error", "## a [link]", "a::b::c"]
)
def test_what_is_no_command_stays(text: str) -> None:
    assert printable(text) == text


def test_json_says_the_same() -> None:
    data = {"is": "##[group]x ##vso[a] \x1b[2J ::stop-commands::x", "##[a]": ["## b"]}
    written = escape_json(json.dumps(data, indent=2, ensure_ascii=False))
    assert json.loads(written) == data
    assert "##[" not in written
    assert "##vso" not in written
