"""docs/ is what the code says today; a page that was left behind is named."""

from __future__ import annotations

import importlib
import subprocess
import sys
from pathlib import Path
from types import ModuleType

import pytest

from tests.architecture.tree import ROOT, copy


@pytest.fixture(scope="module")
def written(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """docs/ with a stale page, a page too few and one too many, written anew. It runs every example, so only once."""
    docs = copy(tmp_path_factory.mktemp("written"), "docs") / "docs"
    (docs / "commands.md").write_text("old\n")
    (docs / "fleet.md").unlink()
    (docs / "rules" / "no-such-rule.md").write_text((docs / "rules" / "containerd-paths.md").read_text())
    program = [sys.executable, str(ROOT / "tools" / "generate_docs.py"), "--into", str(docs)]
    told = subprocess.run(program, cwd=ROOT, capture_output=True, text=True, timeout=300, check=False)
    assert told.returncode == 0, told.stderr
    return docs


def test_it_is_up_to_date(written: Path) -> None:
    ours = {path.relative_to(ROOT / "docs"): path.read_text() for path in (ROOT / "docs").rglob("*.md")}
    theirs = {path.relative_to(written): path.read_text() for path in written.rglob("*.md")}
    assert sorted(map(str, ours.keys() ^ theirs.keys())) == []
    assert [str(name) for name, text in ours.items() if theirs[name] != text] == []


def test_what_is_stale_is_written_and_what_is_gone_is_removed(written: Path) -> None:
    assert "nodeworthy check" in (written / "commands.md").read_text()
    assert (written / "fleet.md").exists()
    assert not (written / "rules" / "no-such-rule.md").exists()


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
    assert generator.main(["--check", "--into", str(tmp_path)]) == 0
