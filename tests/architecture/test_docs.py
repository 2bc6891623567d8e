"""docs/ is what the code says today; a page that was left behind is named."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from tests.architecture.tree import ROOT, copy


def generate(*options: str) -> subprocess.CompletedProcess[str]:
    program = str(ROOT / "tools" / "generate_docs.py")
    return subprocess.run(
        [sys.executable, program, *options], cwd=ROOT, capture_output=True, text=True, timeout=300, check=False
    )


def test_it_is_up_to_date() -> None:
    told = generate("--check")
    assert told.returncode == 0, told.stdout + told.stderr


def test_a_stale_page_a_missing_one_and_one_too_many_are_named(tmp_path: Path) -> None:
    docs = copy(tmp_path, "docs") / "docs"
    (docs / "commands.md").write_text("old\n")
    (docs / "fleet.md").unlink()
    page = docs / "rules" / "containerd-paths.md"
    (docs / "rules" / "no-such-rule.md").write_text(page.read_text())
    (docs / "by-hand.md").write_text("# Written by a person\n")
    told = generate("--check", "--into", str(docs))
    assert told.returncode == 1
    named = [line.split(": ")[0] for line in told.stdout.splitlines()]
    assert {Path(name).name for name in named} >= {"commands.md", "fleet.md", "no-such-rule.md"}
    assert "by-hand.md" not in told.stdout


def test_what_is_stale_is_written_and_what_is_gone_is_removed(tmp_path: Path) -> None:
    docs = copy(tmp_path, "docs") / "docs"
    (docs / "commands.md").write_text("old\n")
    gone = docs / "rules" / "no-such-rule.md"
    gone.write_text((docs / "rules" / "containerd-paths.md").read_text())
    told = generate("--into", str(docs))
    assert told.returncode == 0, told.stderr
    assert not gone.exists()
    assert "nodeworthy check" in (docs / "commands.md").read_text()
    assert generate("--check", "--into", str(docs)).returncode == 0
