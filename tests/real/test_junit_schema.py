"""JUnit's XML by the schema of those who read it."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from nodeworthy.report import junit
from nodeworthy.report.report import Report
from tests.report.reports import hostile, judged, many, one_of_each, report

from .daemon import PATIENCE
from .tools import Tools

SCHEMA = Path(__file__).parents[1] / "report" / "schemas" / "junit-10.xsd"
REPORTS = {
    "one of each": one_of_each(),
    "hostile": report(judged(hostile()), judged(hostile(), place=hostile().where), judged(why=hostile().message)),
    "empty": report(),
    "many": many(),
}


@pytest.mark.parametrize("made", REPORTS.values(), ids=REPORTS)
def test_it_is_valid(made: Report, tools: Tools, tmp_path: Path) -> None:
    file = tmp_path / "junit.xml"
    file.write_text(junit.render(made), encoding="utf-8")
    command = [str(tools.path("xmllint")), "--noout", "--nonet", "--schema", str(SCHEMA), str(file)]
    ran = subprocess.run(command, capture_output=True, text=True, timeout=PATIENCE, check=False)
    assert ran.returncode == 0, ran.stderr
