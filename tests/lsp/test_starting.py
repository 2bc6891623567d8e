"""How the server begins and ends, and what is said where it can't."""

from __future__ import annotations

import importlib.util
import io
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.fix.folder import K3S, laid
from tests.lsp.client import PATIENCE_S, Editor
from tests.lsp.test_typing import RIGHT, WRONG
from tests.run import run


@pytest.fixture
def workspace(tmp_path: Path) -> Path:
    both = {"Pulumi.a.yaml": K3S, "Pulumi.b.yaml": K3S.replace("k3s", "microk8s"), ".git/HEAD": ""}
    return laid(tmp_path, both)


@pytest.fixture
def started(workspace: Path) -> Iterator[Editor]:
    editor = Editor(workspace, "--stack", "a", "--docs", "https://docs.example.com/nodeworthy/")
    yield editor
    editor.end()


def test_it_is_told_which_fleet_and_where_the_pages_are(started: Editor) -> None:
    assert started.open("values.yaml", RIGHT) == []
    (found,) = started.open("other.yaml", WRONG)
    page = "https://docs.example.com/nodeworthy/rules/containerd-paths/"
    assert found["codeDescription"]["href"] == page
    assert started.leave() == 0
    assert started.errors == ""


def test_an_editor_that_watches_the_disk_is_asked_to(workspace: Path) -> None:
    """What is checked out while a file is open, its editor tells the server: nobody else would."""
    editor = Editor(workspace, can={"workspace": {"didChangeWatchedFiles": {"dynamicRegistration": True}}})
    try:
        (asked,) = editor.asked("client/registerCapability")["registrations"]
        globs = [each["globPattern"] for each in asked["registerOptions"]["watchers"]]
        assert asked["method"] == "workspace/didChangeWatchedFiles"
        assert [any(each in glob for glob in globs) for each in ("yaml", "tf", "tofu", "sh")] == [True] * 4
    finally:
        editor.end()


def test_an_editor_that_watches_nothing_is_not_asked(workspace: Path) -> None:
    editor = Editor(workspace)
    try:
        document = {"uri": editor.uri("values.yaml"), "languageId": "yaml", "version": 1, "text": WRONG}
        editor.tell("textDocument/didOpen", {"textDocument": document})
        assert editor.hear()["method"] == "textDocument/publishDiagnostics"
    finally:
        editor.end()


def test_an_editor_that_counts_bytes(workspace: Path) -> None:
    editor = Editor(workspace, "--stack", "a", units="utf-8")
    try:
        assert editor.can["positionEncoding"] == "utf-8"
        (found,) = editor.open("values.yaml", RIGHT.replace("env:\n", "env:\n    - {name: é, value: on}\n"))
        assert found["range"]["start"]["character"] == len("    - {name: é, value: ".encode())
    finally:
        editor.end()


def test_an_editor_that_dies_takes_it_along(workspace: Path) -> None:
    editor = Editor(workspace, cwd=workspace.parent)
    assert editor.process.stdin is not None
    editor.process.stdin.close()
    try:
        editor.process.wait(PATIENCE_S)
    finally:
        editor.end()


def test_without_the_extra_it_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    def none(name: str, package: str | None = None) -> None:
        return None

    monkeypatch.setattr(importlib.util, "find_spec", none)
    ran = run("lsp")
    assert ran.code == 2
    assert "pip install 'nodeworthy[lsp]'" in ran.err


def test_at_a_terminal_it_sends_people_elsewhere(monkeypatch: pytest.MonkeyPatch) -> None:
    class Terminal(io.StringIO):
        def isatty(self) -> bool:
            return True

    monkeypatch.setattr(sys, "stdin", Terminal())
    ran = run("lsp")
    assert ran.code == 2
    assert "an editor starts this and speaks with it" in ran.err


def test_help_and_check_import_none_of_it(tmp_path: Path) -> None:
    laid(tmp_path, {"values.yaml": WRONG})
    program = (
        "import sys; from nodeworthy.cli import main; main(['check', 'values.yaml', '--fix', '--dry-run']); "
        "assert not {'pygls', 'lsprotocol', 'cattrs', 'asyncio'} & set(sys.modules)"
    )
    command = [sys.executable, "-c", program]
    ran = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, timeout=90, check=False)
    assert ran.returncode == 0, ran.stderr
