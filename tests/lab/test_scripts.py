"""Scripts are run in booted nodes: what happened is what was expected, and what their timelines said."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.by_day import some

from .comparing import boot_and_compare
from .expects import expects

SCRIPTS = sorted(each.parent for each in (Path(__file__).parent / "scripts").glob("*/user-data"))


@pytest.mark.parametrize("folder", some(SCRIPTS, 15, lambda folder: folder.name))
@pytest.mark.usefixtures("lab")
def test_what_happens_is_what_the_timeline_says(folder: Path) -> None:
    differences = boot_and_compare((folder / "user-data").read_bytes(), expects(folder))
    assert not differences, "\n".join(differences)
