"""Who brings the driver, where only a default says that it is the operator: its values in the same repository decide."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.case_files import whole
from tests.run import run_json

BESIDE = whole("one-driver/bad-values-beside-the-script")


@pytest.mark.parametrize(("enabled", "code"), [("false", 0), ("true", 1)])
def test_its_values_decide(tmp_path: Path, enabled: str, code: int) -> None:
    for name in ("user-data.sh", "Pulumi.lab.yaml"):
        (tmp_path / name).write_text((BESIDE / name).read_text(encoding="utf-8"), encoding="utf-8")
    (tmp_path / "chart").mkdir()
    values = f"driver:\n  enabled: {enabled}\ntoolkit:\n  enabled: true\n  env: []\n"
    (tmp_path / "chart/values.yaml").write_text(values, encoding="utf-8")
    ran = run_json("check", ".", "--rule", "one-driver", cwd=tmp_path)
    assert (ran.code, len(ran.findings)) == (code, code)
