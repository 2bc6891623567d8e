"""A folder with a job script, checked, and what one rule says of it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from tests.run import Ran, run


def check(folder: Path, *options: str) -> Ran:
    return run("check", ".", "--format", "json", "--show-passed", *options, cwd=folder)


def told(folder: Path, rule: str, script: str, **files: str) -> list[dict[str, Any]]:
    (folder / "job.sh").write_text(script, encoding="utf-8")
    for name, text in files.items():
        (folder / name.replace("_py", ".py").replace("_sh", ".sh")).write_text(text, encoding="utf-8")
    return [each for each in check(folder, "--rule", rule).findings if each["verdict"] not in ("pass", "skip")]


def verdicts(folder: Path, rule: str, script: str, **files: str) -> list[str]:
    return [each["verdict"] for each in told(folder, rule, script, **files)]
