from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.fix.folder import K3S, laid
from tests.lsp.client import Editor


@pytest.fixture(scope="module")
def editor(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Editor]:
    """One server for all tests of a file: that it is still there is a part of each."""
    root = laid(tmp_path_factory.mktemp("workspace"), {"Pulumi.dev.yaml": K3S, ".git/HEAD": ""})
    started = Editor(root)
    yield started
    started.end()


@pytest.fixture
def folder(editor: Editor, request: pytest.FixtureRequest) -> Path:
    """Of this test alone, below the fleet."""
    path: Path = editor.root / request.node.name.replace("/", "-")
    path.mkdir()
    return path
