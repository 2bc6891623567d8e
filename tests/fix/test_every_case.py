"""Every bad file that the rules with a fixer are shown: mended or left, and never made worse."""

from __future__ import annotations

import shutil
from collections import Counter
from pathlib import Path

import pytest

from nodeworthy.rules import catalogue
from tests.by_day import some
from tests.case_files import cases_of, whole
from tests.fix.folder import fix
from tests.run import run_json

BAD = sorted(
    each.id
    for rule in catalogue()
    if rule.mends
    for each in cases_of(rule.id)
    if not any(word in each.name for word in ("-plan-", "-node-", "-cluster-")) and each.kind != "good"
)


def findings(folder: Path) -> Counter[tuple[str, ...]]:
    found = run_json("check", ".", cwd=folder).findings
    return Counter((each["rule"], each["verdict"], each["where"].get("path", ""), each["message"]) for each in found)


@pytest.mark.parametrize("case", some(BAD, 40))
def test_nothing_is_made_worse(tmp_path: Path, case: str) -> None:
    folder = tmp_path / "case"
    shutil.copytree(whole(case), folder)
    before = findings(folder)
    first = fix(folder)
    after = findings(folder)
    assert not after - before
    mended = "written" in first.err
    assert mended == (before != after)
    texts = {each: each.read_bytes() for each in folder.rglob("*") if each.is_file()}
    assert "nothing to mend" in fix(folder).err
    assert texts == {each: each.read_bytes() for each in folder.rglob("*") if each.is_file()}
