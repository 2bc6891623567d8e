"""Which file a script has run by sudo: what it writes there is a script, and what tee writes is none."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.run import run_json

SCRIPT = "#!/bin/bash\nN=5\ncat > /opt/prep <<EOF\nfor i in a b; do echo $i; done\nEOF\n{}\n"


@pytest.mark.parametrize(
    ("line", "told"),
    [
        ("sudo /opt/prep", 1),
        ("sudo -E /opt/prep", 1),
        ("sudo -u ubuntu -H /opt/prep", 1),
        ("sudo FOO=1 /opt/prep", 1),
        ("sudo tee /opt/prep < /dev/null", 0),
        ("sudo -u root tee /opt/prep < /dev/null", 0),
        ("sudo -u", 0),
    ],
)
def test_which_word_sudo_runs(line: str, told: int, tmp_path: Path) -> None:
    (tmp_path / "user-data.sh").write_text(SCRIPT.format(line))
    ran = run_json("check", "user-data.sh", "--rule", "heredoc-expands-late", cwd=tmp_path)
    assert len([each for each in ran.findings if each["verdict"] == "fail"]) == told
