"""What an editor is offered: the edits of `check --fix`, at the positions of the text that it holds."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.fix.folder import SOCKET, fix, laid
from tests.fix.test_mending import MENDED, WELLFORMED
from tests.lsp.client import Editor, applied

PATH = f"{{name: CONTAINERD_SOCKET, value: {SOCKET}}}"
TWO = (
    f"driver: {{enabled: false}}\ntoolkit:\n  env:\n    - {PATH}\n"
    "    - {name: A, value: on}\n    - {name: B, value: 1.10}\n"
)


@pytest.mark.parametrize(("before", "after"), MENDED.values(), ids=MENDED.keys())
def test_the_edit_is_that_of_check_fix(editor: Editor, folder: Path, before: str, after: str) -> None:
    name = f"{folder.name}/values.yaml"
    text = before.removeprefix("\ufeff")
    found = editor.open(name, text)
    offered = editor.actions(name, found)
    edits = [
        edit
        for action in offered
        if action["kind"] == "quickfix"
        for edit in action["edit"]["changes"][editor.uri(name)]
    ]
    if len(found) > 1 and found[0]["range"] != found[1]["range"]:
        (action,) = editor.actions(name, found, ["source.fixAll"])
        edits = action["edit"]["changes"][editor.uri(name)]
    assert applied(text, edits) == after.removeprefix("\ufeff")


def test_only_what_stands_where_the_cursor_is(editor: Editor) -> None:
    first, second = editor.open("two.yaml", TWO)
    (action,) = editor.actions("two.yaml", [first])
    (every,) = editor.actions("two.yaml", [], ["source"])
    assert (action["title"], action["kind"], action["isPreferred"]) == ("Quote the value", "quickfix", True)
    assert [each["range"] for each in action["diagnostics"]] == [first["range"]]
    (edit,) = action["edit"]["changes"][editor.uri("two.yaml")]
    assert applied(TWO, [edit]) == TWO.replace("value: on", 'value: "on"')
    assert every["kind"] == "source.fixAll.nodeworthy"
    both = applied(TWO, every["edit"]["changes"][editor.uri("two.yaml")])
    assert both == TWO.replace("value: on", 'value: "on"').replace("1.10", '"1.10"')
    assert [each["title"] for each in editor.actions("two.yaml", [second])][:1] == ["Quote the value"]
    assert [each["kind"] for each in editor.actions("two.yaml", [], ["quickfix"])] == ["quickfix", "quickfix"]


def test_positions_count_as_editors_do(editor: Editor) -> None:
    text = f"driver: {{enabled: false}}\ntoolkit: {{env: [{PATH}, {{name: 💡é, value: on}}]}}\n"
    (found,) = editor.open("wide.yaml", text)
    assert found["range"]["start"]["character"] == text.index("on}]") - 24
    (action,) = editor.actions("wide.yaml", [found])
    assert applied(text, action["edit"]["changes"][editor.uri("wide.yaml")]) == text.replace(": on", ': "on"')


def test_nothing_is_offered_where_nothing_is_certain(editor: Editor) -> None:
    found = editor.open("left.yaml", TWO.replace("value: on", "value: null").replace("1.10", "x").replace("B", "A"))
    assert found
    assert editor.actions("left.yaml", found) == []


def test_fix_all_is_what_the_command_does(editor: Editor, tmp_path: Path) -> None:
    before, after = WELLFORMED["twice the same"]
    laid(tmp_path, {"values.yaml": before})
    fix(tmp_path, "values.yaml")
    found = editor.open("all.yaml", before)
    (action,) = editor.actions("all.yaml", found, ["source.fixAll"])
    told = applied(before, action["edit"]["changes"][editor.uri("all.yaml")])
    assert told == after == (tmp_path / "values.yaml").read_text()
