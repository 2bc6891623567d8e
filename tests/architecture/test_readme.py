"""What the README, and the page of the moments behind it, show is what the commands print."""

from __future__ import annotations

import re
import shutil
from pathlib import Path

import pytest

from tests.by_day import some
from tests.case_files import whole
from tests.run import Ran, run

ROOT = Path(__file__).resolve().parents[2]
# Of the folders that .nodeworthy.yaml excludes those with cases are many, and the others few.
LEFT_OUT = [
    *(f"tests/cases/{each.name}" for each in sorted((ROOT / "tests" / "cases").iterdir()) if each.is_dir()),
    *("tests/turned", "tests/boot", "tests/userdata", "bench", "tools", "docs", "editors", "userdata/bodies"),
    *("nodeworthy/known", "nodeworthy/lab"),
]
OCTOBER = whole("profiling-before-driver/bad-october") / "al2023-user-data.sh"


def shown(command: str) -> list[str]:
    text = "".join((ROOT / each).read_text(encoding="utf-8") for each in ("README.md", "docs/moments.md"))
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


def test_a_wrong_socket(tmp_path: Path) -> None:
    """The four lines go to the fleet's operator, as the README says, and the preview says what the README shows."""
    for name in ("infra", "userdata"):
        shutil.copytree(ROOT / name, tmp_path / name, ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copy(ROOT / "Pulumi.yaml", tmp_path)
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    added = re.search(r"```yaml\n(      values:\n.*?)```", readme, re.DOTALL)
    assert added is not None
    fleet = (ROOT / "Pulumi.ci.yaml").read_text(encoding="utf-8")
    chart = "      chart: 26.3.0\n"
    (tmp_path / "Pulumi.ci.yaml").write_text(fleet.replace(chart, chart + added[1]), encoding="utf-8")
    ran = run("preview", "--stack", "ci", cwd=tmp_path)
    assert ran.code == 1
    printed = ran.out.rstrip("\n").splitlines()
    assert stands_in([*shown("nodeworthy preview --stack ci")[:-2], "…"], printed), "\n".join(printed)


@pytest.mark.parametrize(
    ("lines", "expected"), [(["a", "…", "d"], True), (["a", "d"], False), (["a", "…", "x"], False)]
)
def test_the_comparison_itself(lines: list[str], expected: bool) -> None:
    assert stands_in(lines, ["a", "b", "c", "d"]) is expected


def test_it_begins_with_what_works_from_a_clone_and_names_nobody() -> None:
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    first_screen = text.splitlines()[:20]
    for typed in ("$ uvx --from . nodeworthy check .", "$ make preview", "$ make test"):
        assert any(line.startswith(typed) for line in first_screen), typed
    assert "OWNER" not in text
    assert len(text.splitlines()) <= 125


def test_what_it_refers_to_is_there() -> None:
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    for path in re.findall(r"\]\((?!https?:)([^)#]+)", text):
        assert (ROOT / path).exists(), path


def test_its_first_line_judges_the_platform_of_this_repository() -> None:
    """Nothing is wrong with it, and what is left out is counted."""
    ran = run("check", ".", "--no-cache", cwd=ROOT)
    assert ran.code == 0, ran.out
    assert "0 fail" in ran.out
    assert "files excluded by the settings" in ran.out


@pytest.mark.night
def test_all_of_this_repository_is_judged() -> None:
    """Its cases are whatever people have ever written wrong."""
    assert judged(".").code == 1


@pytest.mark.parametrize("folder", some(LEFT_OUT, 16))
def test_all_of_this_repository_is_judged_a_part_at_a_time(folder: str) -> None:
    """All of it at once is by night."""
    assert judged(folder).code in (0, 1, 3)


def judged(path: str) -> Ran:
    ran = run("check", path, "--no-cache", "--no-settings", "--format", "json", cwd=ROOT)
    assert ran.out, ran.err
    assert [each["message"] for each in ran.findings if "fault of nodeworthy" in each["message"]] == []
    return ran
