"""What is told of files that were laid into a folder."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from tests.run import run_json


def lay(files: Mapping[str, str], folder: Path) -> None:
    """A repository with these files."""
    (folder / ".git").mkdir(parents=True)
    (folder / ".git/HEAD").write_text("ref: refs/heads/main\n")
    for name, text in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text)


def told(folder: Path, rule: str) -> list[tuple[str, str]]:
    """Verdict and value of each finding of this rule."""
    found = run_json("check", ".", cwd=folder).told_by(rule)
    return sorted((each["verdict"], each.get("is") or "") for each in found)
