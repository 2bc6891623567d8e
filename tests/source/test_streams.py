"""Where the output goes may have few letters, and a terminal of no known width: what was found is told all the same."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

VALUES = 'toolkit:\n  enabled: true\n  env:\n    - name: CONTAINERD_SOCKET\n      value: "/fünf/😀"\n'


def check(tmp_path: Path, *arguments: str, **environment: str) -> subprocess.CompletedProcess[bytes]:
    (tmp_path / "values.yaml").write_text(VALUES, encoding="utf-8")
    command = [sys.executable, "-m", "nodeworthy", "check", "values.yaml", "--no-cache", *arguments]
    return subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, timeout=60, check=False)


@pytest.mark.parametrize("encoding", ["ascii", "latin-1", "utf-8"])
@pytest.mark.parametrize("form", ["text", "json", "html"])
def test_letters_that_a_stream_lacks_are_written_as_json_writes_them(tmp_path: Path, encoding: str, form: str) -> None:
    ran = check(tmp_path, "--format", form, PYTHONIOENCODING=encoding)
    assert (ran.returncode, ran.stderr) == (1, b"")
    said = ran.stdout.decode(encoding)
    if form == "json":
        assert "/fünf/😀" in [each["is"] for each in json.loads(said)["findings"]]
    else:
        assert ("/fünf/😀" if encoding == "utf-8" else r"/f\u00fcnf/\ud83d\ude00") in said


@pytest.mark.parametrize("columns", ["abc", "0", "-3", "9" * 5000, "١٢"])
def test_a_terminal_of_no_width(tmp_path: Path, columns: str) -> None:
    ran = check(tmp_path, "--help", COLUMNS=columns)
    assert (ran.returncode, ran.stderr) == (0, b"")
