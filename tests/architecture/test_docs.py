"""A page of docs/ that was left behind is named, and written anew. That none was is for `make docs-check` to say."""

from __future__ import annotations

import importlib
from pathlib import Path
from types import ModuleType

import pytest

from tests.architecture.tree import ROOT


@pytest.fixture
def generator(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    monkeypatch.syspath_prepend(str(ROOT / "tools"))
    found = importlib.import_module("generate_docs")
    pages = {name: f"{found.MARK}\n# {name}\n" for name in ("commands.md", "fleet.md")}
    monkeypatch.setattr(found, "pages", lambda: pages)
    return found


def test_a_stale_page_a_missing_one_and_one_too_many_are_named(
    generator: ModuleType, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "commands.md").write_text("old\n")
    (tmp_path / "gone.md").write_text(f"{generator.MARK}\n# of a rule that is gone\n")
    (tmp_path / "by-hand.md").write_text("# Written by a person\n")
    assert generator.main(["--check", "--into", str(tmp_path)]) == 1
    named = {Path(line.split(": ")[0]).name for line in capsys.readouterr().out.splitlines()}
    assert named >= {"commands.md", "fleet.md", "gone.md"}
    assert "by-hand.md" not in named
    assert generator.main(["--into", str(tmp_path)]) == 0
    assert sorted(path.name for path in tmp_path.iterdir()) == ["by-hand.md", "commands.md", "fleet.md"]
    assert "# commands.md" in (tmp_path / "commands.md").read_text()
    assert generator.main(["--check", "--into", str(tmp_path)]) == 0
