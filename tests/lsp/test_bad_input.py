"""Whatever an editor sends: the server is still there, and answers the next one."""

from __future__ import annotations

import random
from typing import Any

import pytest

from tests.case_files import every_case
from tests.lsp.client import Editor

VALUES = "driver: {enabled: false}\ntoolkit:\n  env:\n    - {name: A, value: true}\n"


def is_there(editor: Editor, name: str) -> None:
    found = editor.open(f"{name}.yaml", VALUES)
    assert "toolkit-env-wellformed" in {each["code"] for each in found}


@pytest.mark.parametrize(
    ("method", "told"),
    [
        ("textDocument/didOpen", {"textDocument": {"uri": 1}}),
        ("textDocument/didOpen", None),
        ("textDocument/didOpen", {"textDocument": {"uri": "untitled:1", "languageId": "", "version": 1, "text": "a"}}),
        ("textDocument/didOpen", {"textDocument": {"uri": "file:///%00", "languageId": "", "version": 1, "text": "a"}}),
        ("textDocument/didOpen", {"textDocument": {"uri": "file:", "languageId": "", "version": 1, "text": VALUES}}),
        ("textDocument/didOpen", {"textDocument": {"uri": "http://[", "languageId": "", "version": 1, "text": "a"}}),
        (
            "textDocument/didOpen",
            {"textDocument": {"uri": "file://[/x.yaml", "languageId": "", "version": 1, "text": ""}},
        ),
        ("textDocument/didChange", {"textDocument": {"uri": "file:///never", "version": 1}, "contentChanges": []}),
        ("textDocument/didClose", {"textDocument": {"uri": "file:///never"}}),
        ("textDocument/didSave", {"textDocument": {"uri": "file:///never"}}),
        ("workspace/didChangeWatchedFiles", {"changes": [{"uri": "::", "type": 1}]}),
        ("workspace/didChangeConfiguration", {"settings": []}),
        ("no/suchMethod", {}),
        ("$/cancelRequest", {"id": 12345}),
    ],
)
def test_what_no_editor_should_say(editor: Editor, request: pytest.FixtureRequest, method: str, told: Any) -> None:
    editor.tell(method, told)
    is_there(editor, str(abs(hash(request.node.name))))


@pytest.mark.parametrize(
    "data",
    [
        b"Content-Length: 3\r\n\r\n{{{",
        b"Content-Length: 2\r\n\r\n[]",
        b"Content-Length: 4\r\n\r\nnull",
        b"Content-Length: 2\r\n\r\n\xff\xfe",
        b"X: y\r\n\r\n",
    ],
)
def test_what_is_no_message(editor: Editor, data: bytes) -> None:
    editor.send(data)
    is_there(editor, data.hex())


def test_questions_about_files_that_nobody_opened(editor: Editor) -> None:
    at = {"textDocument": {"uri": editor.uri("never.yaml")}, "position": {"line": 9, "character": 9}}
    assert editor.ask("textDocument/hover", at) is None
    assert editor.actions("never.yaml", []) == []
    editor.tell("textDocument/hover", {"position": "here"})
    assert "error" in editor.answer("no/suchMethod", {})
    is_there(editor, "after-questions")


def test_positions_that_are_nowhere(editor: Editor) -> None:
    editor.open("nowhere.yaml", VALUES)
    far = {"line": 4_000_000, "character": 4_000_000}
    change = {"range": {"start": far, "end": far}, "text": VALUES}
    document = {"uri": editor.uri("nowhere.yaml"), "version": 2}
    editor.tell("textDocument/didChange", {"textDocument": document, "contentChanges": [change]})
    at = {"textDocument": {"uri": editor.uri("nowhere.yaml")}, "position": far}
    assert editor.ask("textDocument/hover", at) is None
    is_there(editor, "after-nowhere")


@pytest.mark.parametrize(
    "text",
    ["", "\x00", "\ud83d", "\ufeff", "a: &a [*a, *a]\n" * 50, "[" * 5000, "{{" * 999, "\r\r\r", "\u2028x: 1\u0085"],
)
def test_texts_that_nobody_writes(editor: Editor, text: str) -> None:
    name = f"odd-{len(text)}-{abs(hash(text))}"
    for ending in ("yaml", "sh"):
        editor.open(f"{name}.{ending}", text)
        editor.type(f"{name}.{ending}", {"text": VALUES + text})
        editor.actions(f"{name}.{ending}", [], ["source.fixAll"])
    is_there(editor, f"after-{name}")


def test_files_of_every_rule_in_pieces(editor: Editor) -> None:
    """Real files, cut and glued as by somebody who types, with a fixed seed."""
    source = random.Random(9)
    kinds = (".yaml", ".sh", ".mime", ".toml")
    bad = [each.folder for each in every_case() if each.kind == "bad"]
    files = sorted(file for folder in bad for file in folder.iterdir() if file.suffix in kinds)
    for number in range(40):
        file = source.choice(files)
        text = file.read_bytes().decode("utf-8", "replace")
        name = f"fuzz-{number}{file.suffix}"
        editor.open(name, text)
        for _ in range(3):
            start, length = source.randrange(len(text) + 1), source.randrange(30)
            text = text[:start] + source.choice(["", "'", '"', "{", "\n  ", "EOF", "\t", ": "]) + text[start + length :]
            editor.type(name, {"text": text})
        editor.actions(name, [], ["quickfix"])
        editor.close(name)
    is_there(editor, "after-fuzz")
