"""What the README shows is what the commands print."""

from __future__ import annotations

import re
import shutil
from pathlib import Path

import pytest

from tests.run import run

ROOT = Path(__file__).resolve().parents[2]
OCTOBER = ROOT / "tests" / "cases" / "profiling-before-driver" / "bad-october" / "al2023-user-data.sh"


def shown(command: str) -> list[str]:
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    found = re.search(rf"```console\n\$ {re.escape(command)}\n(.*?)```", text, re.DOTALL)
    assert found is not None, f"the README no longer shows `{command}`"
    return found[1].splitlines()


def stands_in(lines: list[str], printed: list[str]) -> bool:
    """Line by line; `…` stands for any number of lines."""
    pattern = "\n".join(r"(?:.*\n)*?.*" if line == "…" else re.escape(line) for line in lines)
    return re.fullmatch(pattern, "\n".join(printed)) is not None


def test_the_timeline_of_a_boot_script(tmp_path: Path) -> None:
    shutil.copy(OCTOBER, tmp_path / "user-data.sh")
    lines = shown("nodeworthy boot user-data.sh")
    printed = run("boot", "user-data.sh", cwd=tmp_path).out.rstrip("\n").splitlines()
    assert stands_in(lines, printed), "\n".join(printed)


@pytest.mark.parametrize(
    ("lines", "expected"), [(["a", "…", "d"], True), (["a", "d"], False), (["a", "…", "x"], False)]
)
def test_the_comparison_itself(lines: list[str], expected: bool) -> None:
    assert stands_in(lines, ["a", "b", "c", "d"]) is expected
