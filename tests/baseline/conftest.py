from __future__ import annotations

from pathlib import Path

import pytest

from tests.baseline.texts import pod, values
from tests.run import run


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / ".git").mkdir()
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture
def adopted(here: Path) -> Path:
    """A repository with a failure in each of two files, and both in its baseline."""
    values(here / "team")
    pod(here)
    assert run("check", ".").code == 1
    assert run("baseline").code == 0
    return here
